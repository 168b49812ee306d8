"""Contrasts to columns: values, intervals and p values for other queries, and what judging leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest

import numpy as np

from unjudged.base.choices import called, check_parameters, checked_int
from unjudged.base.errors import UsageError
from unjudged.base.notes import Note
from unjudged.base.segments import Floats, Ints, Mask
from unjudged.evidence.contrast import Clusters, Contrast, Ends, Tip, in_own_direction
from unjudged.inference.corrections import (
    Correction,
    corrected_together,
    find_correction,
    holm,
    separate,
)
from unjudged.inference.pairs import Pairs, effect_size, outcomes, t_interval
from unjudged.inference.significance import DRAWS, SignificanceTest, careful, find_test, p_values
from unjudged.inference.significance import t as students
from unjudged.inference.system_rows import Columns, parts_of, sampled_columns
from unjudged.inference.verdict import (
    PRECISION,
    PRECISION_OF_DRAWN,
    Judging,
    excludes_change,
    lowest_share,
    other_headline,
    verdicts,
)
from unjudged.measures.kernel.measure import ROUNDING, mean_over_queries

MOST_DRAWN = 60
"""Pairs for which a loss share is sought by a test that resamples, or a flip share by completions."""
POf = Callable[[Floats], Floats]
"""From differences, pairs x queries, to their careful p values."""


@dataclass(frozen=True)
class Settings:
    """How contrasts are tested."""

    alpha: float = 0.05
    test: SignificanceTest = students
    correction: Correction = holm
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


@dataclass(frozen=True, eq=False)
class Tested:
    """Differences before any correction.

    `columns` are as shown, in the measure's own direction, and `p` comes from the chosen test. The first of
    the `cases` is as judged, others are under the orders of tied documents that favour either system. `pairs`
    are for joint corrections.
    """

    contrast: Contrast
    columns: Columns
    p: Floats
    cases: Sequence[Judging]
    pairs: Pairs
    notes: Sequence[Note] = ()

    @property
    def parts(self) -> int:
        """Number of independent parts: clusters, or else queries."""
        return parts_of(self.columns)


def run_tests(contrast: Contrast, settings: Settings, *, shares: bool = True) -> Tested:
    """Test differences of systems over queries; `shares` also finds flip and loss shares."""
    pairs = Pairs(contrast.scores, contrast.first, contrast.second, contrast.clusters)
    if contrast.surrogate is not None:
        return _with_surrogates(contrast, pairs, settings)
    p, notes = p_values(pairs, settings.test, draws=settings.draws, seed=settings.seed)
    columns = _difference_columns(contrast, pairs, settings.alpha)
    values, reach = contrast.values, contrast.measure.reach

    def p_of(differences: Floats) -> Floats:
        own = _own_careful(differences, settings, reach, contrast.clusters)
        return np.maximum(_p(differences, settings, contrast.clusters), own)

    p_careful = np.maximum(p, _own_careful(values, settings, reach, contrast.clusters))
    if contrast.error is not None:
        columns |= sampled_columns(contrast, columns["difference"], settings.alpha, (-reach, reach))
    cases = [Judging.nothing(p_careful)]
    if contrast.tips is not None:
        ahead, behind, turned = leaders(contrast, pairs.difference)
        tip, equal = contrast.tips(ahead, behind), pairs.difference == 0
        at_seen, worst = tip.at(tip.seen), _p_of_leads(tip.at_worst(), p_of)
        leads, p_seen = _p_of_leads(at_seen, p_of)
        if contrast.error is not None:  # more labels may say otherwise
            leads &= ~_may_be_zero(columns)
        judging = Judging.of(p_careful, contrast.known, contrast.ends, (leads, p_seen), worst)
        columns["seen"] = np.where(equal | contrast.gaps, np.nan, tip.seen)
        if shares and not contrast.gaps:
            open_pairs = np.flatnonzero(~judging.excluded & ~equal)
            columns |= _shares(tip, open_pairs, p_careful <= settings.alpha, p_of, settings)
            columns["flip"][equal] = 0.0
        led, cases = np.where(turned[:, None], -values, values), [judging]
        for change in _changed(contrast.orders, ahead, behind, led):
            leads, p_seen = _p_of_leads(at_seen + change, p_of)
            p_led, excluded = _p_of_leads(led + change, p_of)[1], judging.excluded & leads
            cases.append(replace(judging, p=p_led, excluded=excluded, leads=leads, p_seen=p_seen))
    elif contrast.ends is not None:
        cases = [_between_ends(contrast, p_careful)]
    return Tested(contrast, columns, p, cases, pairs, notes)


def _with_surrogates(contrast: Contrast, pairs: Pairs, settings: Settings) -> Tested:
    """Test differences that predictions of further queries make more precise; by Student's t alone."""
    if settings.test is not students or settings.correction.joint:
        problem = "a comparison with predictions for further queries has no other test or correction"
        raise UsageError(f"{problem}: choose t, and holm, bh, bonferroni or none")
    if contrast.clusters is not None:
        problem = "predictions for further queries take queries for independent, and they are in clusters"
        raise UsageError(f"{problem}: omit clusters or the predictions")
    from unjudged.evidence.powered import powered_means

    powered, (values, low, high) = powered_means(contrast, settings.alpha)
    columns: Columns = {"queries": contrast.scores.shape[1], "difference": values}
    columns |= {"query_low": low, "query_high": high}
    means = contrast.facts["means"]
    columns |= {"mean_a": means[contrast.first], "mean_b": means[contrast.second]}
    p = np.array([one.p for one in powered])
    return Tested(contrast, columns, p, [Judging.nothing(p)], pairs)


def leaders(contrast: Contrast, difference: Floats) -> tuple[Ints, Ints, Mask]:
    """Return the systems ahead, the systems behind, and where these are not the first and the second."""
    turned = difference < 0
    first, second = contrast.first, contrast.second
    return np.where(turned, second, first), np.where(turned, first, second), turned


def _p(differences: Floats, settings: Settings, clusters: Clusters | None) -> Floats:
    """Return the p value of the chosen test for each row of differences."""
    rows = len(differences)
    scores = np.vstack([differences, np.zeros((1, differences.shape[1]))])
    pairs = Pairs(scores, np.arange(rows), np.full(rows, rows), clusters)
    return p_values(pairs, settings.test, draws=settings.draws, seed=settings.seed).p


def _own_careful(differences: Floats, settings: Settings, reach: float, clusters: Clusters | None) -> Floats:
    """Return Student's and Hall's p values where Student's test was chosen; other tests have their own."""
    if settings.test is not students:
        return np.zeros(len(differences))
    both = careful(differences, 0.0, reach, clusters).both
    same = np.abs(differences).max(axis=1, initial=0) <= ROUNDING
    return np.where(same, 1.0, both)


def _may_be_zero(columns: Columns) -> Mask:
    """Return where the interval of an estimated difference on these queries has 0 in it."""
    low, high = (np.asarray(columns[name], float) for name in ("estimate_low", "estimate_high"))
    return (low <= 0) & (high >= 0)


def _p_of_leads(leads: Floats, p_of: POf) -> tuple[Mask, Floats]:
    """Return where the mean lead is above 0, and its p value; 1 where it is not."""
    above = leads.mean(axis=1) > ROUNDING
    return above, np.where(above, p_of(leads), 1.0)


def _between_ends(contrast: Contrast, p: Floats) -> Judging:
    """Say what follows from ends alone: the order where they exclude 0, and nothing in between."""
    ones = np.ones(len(contrast))
    excluded = excludes_change(contrast.ends) if contrast.ends else ones == 0
    return Judging(p, contrast.known, excluded, excluded, ones, ones)


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


def _changed(orders: Ends | None, ahead: Ints, behind: Ints, led: Floats) -> Iterator[Floats]:
    """Yield what the orders of tied documents that favour either system would change of each lead."""
    if orders is None:
        return
    for mine, theirs in ((orders.low, orders.high), (orders.high, orders.low)):
        change = (mine[ahead] - theirs[behind]) - led
        if np.abs(change).max(initial=0) > ROUNDING:
            yield change


def _difference_columns(contrast: Contrast, pairs: Pairs, alpha: float) -> Columns:
    """Return what is shown of differences, in the measure's own direction."""
    measure, sign = contrast.measure, contrast.measure.sign
    means = measure.mean_of(sign * mean_over_queries(contrast.scores))
    columns: Columns = {**contrast.sizes, "difference": sign * pairs.difference + 0.0}
    columns |= {"mean_a": means[contrast.first], "mean_b": means[contrast.second]}
    if contrast.ends is not None:
        low = np.minimum(contrast.ends.low, pairs.difference)  # whose means are rounded in another way
        high = np.maximum(contrast.ends.high, pairs.difference)
        ends = (np.where(contrast.known, end, np.nan) for end in (low, high))
        columns["low"], columns["high"] = in_own_direction(sign, *ends)
    _, low, high = t_interval(pairs, 1 - alpha)
    columns["query_low"], columns["query_high"] = in_own_direction(sign, low, high)
    value, low, high = effect_size(pairs, 1 - alpha)
    columns["effect"] = sign * value
    columns["effect_low"], columns["effect_high"] = in_own_direction(sign, low, high)
    return columns | outcomes(pairs)


def decide(tested: Sequence[Tested], settings: Settings) -> list[Columns]:
    """Correct these tests together and return the columns of each with its answers.

    A joint correction looks at the systems together; at the share seen and at worst Holm's stands for it.
    """
    correction, alpha, counts = settings.correction, settings.alpha, [one.parts > 1 for one in tested]
    if not tested:
        return []
    as_judged, *reordered = zip_longest(*(one.cases for one in tested))
    if correction.joint:
        more = {"draws": settings.draws, "seed": settings.seed}
        p = [correction.function(one.pairs, **more) for one in tested]
        holds = [np.maximum(own, case.p) for own, case in zip(p, as_judged, strict=True)]
    else:
        p = corrected_together([one.p for one in tested], counts, correction)
        holds = corrected_together([case.p for case in as_judged], counts, correction)
    separately = partial(corrected_together, counts=counts, correction=separate(correction))

    def answers(cases: Sequence[Judging], holds: Sequence[Floats]) -> list[Columns]:
        seen, worst = ([getattr(case, name) for case in cases] for name in ("p_seen", "p_worst"))
        each = zip(holds, separately(seen), separately(worst), cases, tested, strict=True)
        return [verdicts(h <= alpha, s <= alpha, w <= alpha, case, one.parts) for h, s, w, case, one in each]

    said, others = answers(as_judged, holds), list[list[Columns]]()
    for found in reordered:  # as judged where tied documents have no such order
        cases = [case or first for case, first in zip(found, as_judged, strict=True)]
        others.append(answers(cases, separately([case.p for case in cases])))
    made = []
    for k, one in enumerate(tested):
        decides = (p[k] <= alpha) != (holds[k] <= alpha)
        columns = {**one.columns, "p": one.p, "p_adjusted": p[k], **said[k]}
        columns["p_careful"] = holds[k].astype(object)
        columns["p_careful"][~decides] = None
        if headlines := [found[k]["headline"] for found in others[: len(one.cases) - 1]]:
            columns["in_other_orders"] = other_headline(said[k]["headline"], headlines)
        made.append(columns)
    return made
