"""Contrasts to columns: values, intervals and p values for other queries, and what judging leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from unjudged.base.choices import called, check_parameters, checked_int
from unjudged.base.errors import UsageError
from unjudged.base.notes import Note
from unjudged.evidence.contrast import Contrast, Ends, Ints, Tip
from unjudged.evidence.estimates import powered_means
from unjudged.evidence.intervals.quantiles import has_range, interval_of_mean
from unjudged.inference.careful import careful
from unjudged.inference.corrections import Correction, adjusted, find_correction
from unjudged.inference.means import (
    Columns,
    in_own_direction,
    means_of_systems,
    possible_means,
    sampled_columns,
)
from unjudged.inference.pairs import Pairs
from unjudged.inference.pairwise import effect_size, outcomes, t_interval
from unjudged.inference.significance import DRAWS, SignificanceTest, find_test, p_values
from unjudged.inference.significance import t as students
from unjudged.inference.verdict import (
    PRECISION,
    PRECISION_OF_DRAWN,
    Judging,
    Verdicts,
    excludes_change,
    lowest_share,
    verdicts,
)
from unjudged.measures.kernel.averages import ROUNDING, mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Mask

MOST_DRAWN = 60
"""Pairs for which a loss share is sought by a test that resamples, or a flip share by completions."""
POf = Callable[[Floats], Floats]
"""From differences, pairs x queries, to their careful p values."""


@dataclass(frozen=True)
class Settings:
    """How contrasts are tested."""

    alpha: float = 0.05
    test: SignificanceTest = students
    correction: Correction | None = None
    draws: int = DRAWS
    seed: int = 0

    @classmethod
    def of(cls, test: str, correction: str, alpha: float, draws: int, seed: int) -> Settings:
        """Return settings by the names of test and correction, which may have `draws` as a parameter."""
        (name, given), (corrected, own) = called(test), called(correction)
        chosen, by = find_test(name), find_correction(corrected)
        check_parameters(test, given, ["draws"] if chosen.resamples else [])
        check_parameters(correction, own, ["draws"] if by.joint else [])
        draws = {**own, **given}.get("draws", draws)
        return cls(alpha, chosen, by, draws, checked_int("seed", seed))


def reach_of(measure: Measure) -> float:
    """Return the largest difference by a measure."""
    return np.inf if measure.geometric else float(np.ptp(measure.range))


@dataclass(frozen=True, eq=False)
class Tested:
    """Differences before any correction.

    `columns` are as shown, in the measure's own direction; p values are for other queries: `p` is that of
    the chosen test, `p_careful` also allows for skewness, and `judging` has those at s* and at worst.
    `in_orders` has p values and judging under the orders of tied documents that favour either system.
    """

    contrast: Contrast
    columns: Columns
    p: Floats
    p_careful: Floats
    judging: Judging
    pairs: Pairs
    in_orders: Sequence[tuple[Floats, Judging]] = ()
    notes: Sequence[Note] = ()


def run_tests(contrast: Contrast, settings: Settings, *, shares: bool = True) -> Tested:
    """Test differences of systems over queries; `shares` also finds flip and loss shares."""
    pairs = Pairs(contrast.scores, contrast.first, contrast.second)
    if contrast.surrogate is not None:
        return _with_surrogates(contrast, pairs, settings)
    p, notes = p_values(pairs, settings.test, draws=settings.draws, seed=settings.seed)
    columns = _difference_columns(contrast, pairs, settings.alpha)
    values, reach = contrast.values, reach_of(contrast.measure)

    def p_of(differences: Floats) -> Floats:
        return np.maximum(_p(differences, settings), _own_careful(differences, settings, reach))

    p_careful = np.maximum(p, _own_careful(values, settings, reach))
    judging, orders = Judging.nothing(len(pairs)), []
    if contrast.error is not None:
        columns |= sampled_columns(contrast, columns["difference"], settings.alpha, (-reach, reach))
        p_careful = _unless_slack_decides(contrast, columns, p_careful, p_of)
    if contrast.tips is not None:
        ahead, behind, turned = leaders(contrast, pairs)
        tip = contrast.tips(ahead, behind)
        judging, more = _judging(contrast, tip, p_of)
        equal = pairs.difference == 0
        columns["seen"] = np.where(equal, np.nan, tip.seen)
        if shares:
            open_pairs = np.flatnonzero(~judging.excluded & ~equal)
            columns |= _shares(tip, open_pairs, p_careful <= settings.alpha, p_of, settings)
            columns["flip"][equal] = 0.0
        if contrast.orders is not None:
            leading = Leading(ahead, behind, np.where(turned[:, None], -values, values), more)
            orders = list(_in_orders(contrast.orders, leading, judging, p_of))
    elif contrast.ends is not None:
        judging = _between_ends(contrast, p_careful)
    return Tested(contrast, columns, p, p_careful, judging, pairs, orders, notes)


def _unless_slack_decides(contrast: Contrast, columns: Columns, p: Floats, p_of: POf) -> Floats:
    """Return p values that predictions which nothing corrects cannot change; 1 where they turn the order."""
    if contrast.slack is None:
        return p
    columns["query_low"] = columns["query_low"] + contrast.slack[:, 0]
    columns["query_high"] = columns["query_high"] + contrast.slack[:, 1]
    values = contrast.values
    ahead = values.mean(axis=1) > 0
    least = values + np.where(ahead, contrast.slack[:, 0], contrast.slack[:, 1])[:, None]
    stays = np.where(ahead, 1, -1) * least.mean(axis=1) > ROUNDING
    return np.where(stays, np.maximum(p, p_of(least)), 1.0)


def _with_surrogates(contrast: Contrast, pairs: Pairs, settings: Settings) -> Tested:
    """Test differences that predictions of further queries make more precise; by Student's t alone."""
    if settings.test is not students or (settings.correction is not None and settings.correction.joint):
        problem = "a comparison with predictions for further queries has no other test or correction"
        raise UsageError(f"{problem}: choose t, and holm, bh, bonferroni or none")
    powered, (values, low, high) = powered_means(contrast, settings.alpha)
    columns: Columns = {"queries": contrast.scores.shape[1], "difference": values}
    columns |= {"query_low": low, "query_high": high}
    means = contrast.facts["means"]
    columns |= {"mean_a": means[contrast.first], "mean_b": means[contrast.second]}
    p = np.array([one.p for one in powered])
    return Tested(contrast, columns, p, p, Judging.nothing(len(pairs)), pairs)


PARTS = ("weight", "value", "error")


def powered_queries(contrast: Contrast) -> Floats:
    """Return k x q: scores by query whose mean, and its standard error, are those with the predictions.

    What the predictions leave of each query is stretched until its spread has that error. Without predictions
    for further queries these are the scores.
    """
    if contrast.surrogate is None:
        return contrast.values
    (powered, _), values = powered_means(contrast, 0.05), contrast.values
    weight, value, error = (np.array([getattr(one, name) for one in powered])[:, None] for name in PARTS)
    rest = values - weight * contrast.surrogate[0]
    rest = rest - rest.mean(axis=1, keepdims=True)
    spread = rest.std(axis=1, ddof=1, keepdims=True)
    stretched: Floats = rest * error * rest.shape[1] ** 0.5 / np.where(spread > 0, spread, np.inf)
    return value + stretched


def leaders(contrast: Contrast, pairs: Pairs) -> tuple[Ints, Ints, Mask]:
    """Return the systems ahead, the systems behind, and where these are not the first and the second."""
    turned = pairs.difference < 0
    first, second = contrast.first, contrast.second
    return np.where(turned, second, first), np.where(turned, first, second), turned


def _p(differences: Floats, settings: Settings) -> Floats:
    """Return the p value of the chosen test for each row of differences."""
    rows = len(differences)
    scores = np.vstack([differences, np.zeros((1, differences.shape[1]))])
    pairs = Pairs(scores, np.arange(rows), np.full(rows, rows))
    return p_values(pairs, settings.test, draws=settings.draws, seed=settings.seed).p


def _own_careful(differences: Floats, settings: Settings, reach: float) -> Floats:
    """Return Student's and Hall's p values where Student's test was chosen; other tests have their own."""
    if settings.test is not students:
        return np.zeros(len(differences))
    both = careful(differences, reach=reach).both
    same = np.abs(differences).max(axis=1, initial=0) <= ROUNDING
    return np.where(same, 1.0, both)


def _judging(contrast: Contrast, tip: Tip, p_of: POf) -> tuple[Judging, Floats]:
    at_seen = tip.at(tip.seen)
    worst = tip.at(np.ones(len(tip.seen)))
    none = np.zeros(len(tip.seen), bool)
    excluded = none if contrast.ends is None else excludes_change(contrast.ends)
    leads = at_seen.mean(axis=1) > ROUNDING
    p_seen = np.where(leads, p_of(at_seen), 1.0)
    p_worst = np.where(worst.mean(axis=1) > ROUNDING, p_of(worst), 1.0)
    return Judging(True, excluded, leads, p_seen, p_worst), at_seen


def _between_ends(contrast: Contrast, p: Floats) -> Judging:
    """Say what ends alone tell: the order where they exclude 0, and nothing of the test in between."""
    excluded = excludes_change(contrast.ends) if contrast.ends else np.zeros(len(p), bool)
    return Judging(True, excluded, excluded, np.ones(len(p)), np.ones(len(p)))


def _shares(tip: Tip, chosen: Ints, holds: Mask, p_of: POf, settings: Settings) -> Mapping[str, Floats]:
    """Return flip and loss shares; NaN where they were not sought, because that takes draws per pair."""
    pairs = len(tip.seen)
    none = np.full(pairs, np.nan)
    if tip.drawn and pairs > MOST_DRAWN:
        return {"flip": none, "loss": none.copy()}
    sought = partial(lowest_share, pairs=pairs, precision=PRECISION_OF_DRAWN if tip.drawn else PRECISION)
    flip = sought(lambda share, some: -tip.only(some).at(share).mean(axis=1), chosen=chosen)
    if settings.test.resamples and pairs > MOST_DRAWN:
        return {"flip": flip, "loss": none}

    def lost(share: Floats, some: Ints) -> Floats:
        at = tip.only(some).at(share)
        return np.where(at.mean(axis=1) > 0, p_of(at), 1.0) - settings.alpha

    loss = sought(lost, chosen=np.flatnonzero(holds))
    return {"flip": flip, "loss": np.where(holds, np.minimum(loss, flip), np.nan)}


@dataclass(frozen=True, eq=False)
class Leading:
    """Systems ahead and behind, the lead on each query as judged, and at the share seen."""

    ahead: Ints
    behind: Ints
    judged: Floats
    at_seen: Floats


def _in_orders(
    orders: Ends, leading: Leading, judging: Judging, p_of: POf
) -> Iterator[tuple[Floats, Judging]]:
    """Yield p values and judging under the orders of tied documents that favour either system."""
    for mine, theirs in ((orders.low, orders.high), (orders.high, orders.low)):
        change = (mine[leading.ahead] - theirs[leading.behind]) - leading.judged
        if np.abs(change).max(initial=0) > ROUNDING:
            now, seen = leading.judged + change, leading.at_seen + change
            p = np.where(now.mean(axis=1) > ROUNDING, p_of(now), 1.0)
            leads = seen.mean(axis=1) > ROUNDING
            p_seen = np.where(leads, p_of(seen), 1.0)
            yield p, Judging(True, judging.excluded & leads, leads, p_seen, judging.p_worst)


def _difference_columns(contrast: Contrast, pairs: Pairs, alpha: float) -> Columns:
    """Return what is shown of differences, in the measure's own direction."""
    measure, sign = contrast.measure, contrast.measure.sign
    means = measure.mean_of(sign * possible_means(contrast, mean_over_queries(contrast.scores)))
    columns: Columns = {"queries": contrast.scores.shape[1], "difference": sign * pairs.difference + 0.0}
    columns |= {"mean_a": means[contrast.first], "mean_b": means[contrast.second]}
    if contrast.ends is not None:
        low = np.minimum(contrast.ends.low, pairs.difference)  # whose means are rounded in another way
        high = np.maximum(contrast.ends.high, pairs.difference)
        columns["low"], columns["high"] = in_own_direction(sign, low, high)
    _, low, high = t_interval(pairs, 1 - alpha)
    columns["query_low"], columns["query_high"] = in_own_direction(sign, low, high)
    value, low, high = effect_size(pairs, 1 - alpha)
    columns["effect"] = sign * value
    columns["effect_low"], columns["effect_high"] = in_own_direction(sign, low, high)
    wins, ties, losses = outcomes(pairs)
    return columns | {"wins": wins, "ties": ties, "losses": losses}


def decide(tested: Sequence[Tested], settings: Settings) -> list[Columns]:
    """Correct these tests together and return the columns of each with its answers."""
    correction = settings.correction or find_correction("holm")
    p = _corrected([one.p for one in tested], tested, correction, settings)
    holds = _corrected([one.p_careful for one in tested], tested, correction, settings, careful_too=True)
    plain = find_correction("holm") if correction.joint else correction
    answers = _answers(holds, [one.judging for one in tested], tested, plain, settings)
    orders = [_in_order(k, tested, plain, settings) for k in range(2)]
    made = []
    for k, one in enumerate(tested):
        columns = {**one.columns, "p": one.p, "p_adjusted": p[k], **vars(answers[k])}
        decides = (p[k] <= settings.alpha) != (holds[k] <= settings.alpha)
        columns["p_careful"] = holds[k].astype(object)
        columns["p_careful"][~decides] = None
        others = [found[k] for found in orders[: len(one.in_orders)]]
        if others:
            columns["in_other_orders"] = _other_headline(answers[k], others)
        made.append(columns)
    return made


def _answers(
    holds: Sequence[Floats],
    judging: Sequence[Judging],
    tested: Sequence[Tested],
    correction: Correction,
    settings: Settings,
) -> list[Verdicts]:
    """Return the answers of each test from corrected p values for other queries, and what judging leaves."""
    seen = _corrected([one.p_seen for one in judging], tested, correction, settings)
    worst = _corrected([one.p_worst for one in judging], tested, correction, settings)
    alpha = settings.alpha
    return [
        verdicts(h <= alpha, s <= alpha, w <= alpha, own, one.pairs.queries)
        for h, s, w, own, one in zip(holds, seen, worst, judging, tested, strict=True)
    ]


def _in_order(
    order: int, tested: Sequence[Tested], correction: Correction, settings: Settings
) -> list[Verdicts]:
    """Return the answers under one of the orders of tied documents, or as given for tests without it."""
    if not any(len(one.in_orders) > order for one in tested):
        return []
    own = [[*one.in_orders[order:], (one.p_careful, one.judging)][0] for one in tested]
    p = _corrected([each[0] for each in own], tested, correction, settings)
    return _answers(p, [each[1] for each in own], tested, correction, settings)


def _corrected(
    p: Sequence[Floats],
    tested: Sequence[Tested],
    correction: Correction,
    settings: Settings,
    *,
    careful_too: bool = False,
) -> list[Floats]:
    """Correct p values over all of these tests; those of one query do not count."""
    if correction.joint:
        found = []
        for one, own in zip(tested, p, strict=True):
            joint = adjusted(own, one.pairs, correction, draws=settings.draws, seed=settings.seed)
            found.append(np.maximum(joint, own) if careful_too else joint)
        return found
    several = [k for k, one in enumerate(tested) if one.pairs.queries > 1]
    result = [np.asarray(one, float) for one in p]
    if several:
        after = correction.function(np.concatenate([p[k] for k in several]))
        for k, own in zip(
            several, np.split(after, np.cumsum([len(p[k]) for k in several])[:-1]), strict=True
        ):
            result[k] = own
    return result


def _other_headline(answers: Verdicts, others: Sequence[Verdicts]) -> np.ndarray:
    """Return the headline that another order of tied documents gives, None where it is the same."""
    found = np.full(len(answers.headline), None, object)
    for other in others:
        differs = other.headline != answers.headline
        found[differs] = other.headline[differs]
    return found


def describe_systems(contrast: Contrast, alpha: float) -> Columns:
    """Return the same with intervals for other queries."""
    measure, columns = contrast.measure, means_of_systems(contrast, alpha)
    if contrast.error is not None or contrast.surrogate is not None:
        return columns
    values = measure.sign * contrast.values
    if has_range(measure) or values.shape[1] > 1:
        low, high = interval_of_mean(measure, measure.mean_of(values), 1 - alpha)
        columns["query_low"], columns["query_high"] = low, high
    return columns
