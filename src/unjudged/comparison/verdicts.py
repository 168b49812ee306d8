"""Verdict on a pair of systems: is the difference significant, and can unjudged documents reverse it?"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from unjudged.base.wording import p_text, percent
from unjudged.comparison.testing.pairs import ROUNDING
from unjudged.grids.grid import in_paragraphs
from unjudged.measures.kernel.estimand import POOL_JUDGED, SAMPLED
from unjudged.uncertainty.estimate import Estimate

CLEAR = "clear"
ROBUST = "robust"
SIGNIFICANT = "significant, open to judging"
SETTLED = "settled, not significant"
ROBUST_NOT_SIGNIFICANT = "robust, not significant"
OPEN = "open"
UNRESOLVED = "unresolved"
HIGHER = "significant"
SIMILAR = "not significant"
"""Verdicts by a measure without bounds: about other queries alone."""
EXACT, ENCLOSED, OF_EACH = "exact", "enclosed", "each system's own"
"""Whether completions reach the bounds of a difference; those of a table are of each system alone."""
KEPT = (CLEAR, SETTLED)
"""Verdicts on pairs whose order no unjudged document can reverse."""
BETTER = (CLEAR, ROBUST, HIGHER)
"""Verdicts after which one system may be called better."""

CONCLUSIONS = {
    CLEAR: (
        "is better than {}: neither the choice of queries nor missing judgments explain the difference.",
        "",
    ),
    ROBUST: (
        "is better than {}: other queries do not explain it, nor a plausible share of relevant documents.",
        "",
    ),
    SIGNIFICANT: (
        "is ahead of {} by more than the choice of queries explains, but missing judgments could undo it.",
        "Judge more documents first (`unjudged next`).",
    ),
    SETTLED: (
        "is ahead of {} on these queries, but other queries could say the opposite.",
        "Use more queries.",
    ),
    ROBUST_NOT_SIGNIFICANT: (
        "is ahead of {} with any plausible share of relevant documents, but other queries could differ.",
        "Use more queries.",
    ),
    OPEN: (
        "is ahead of {}, but missing judgments or other queries could undo it.",
        "Judge more documents (`unjudged next`), and use more queries.",
    ),
    UNRESOLVED: (
        "is ahead of {}; no judgments that reverse it were found, but the bounds do not exclude them.",
        "If p is low enough, judge more documents (`unjudged next`); if not, use more queries first.",
    ),
    HIGHER: ("is ahead of {} by more than the choice of queries explains.", ""),
    SIMILAR: (
        "is ahead of {} on these queries, but other queries could say the opposite.",
        "Use more queries.",
    ),
}
"""What a verdict says of the system ahead and the other one, and what to do about it."""
VERDICTS = tuple(CONCLUSIONS)


def verdict_of(
    significant: bool, settled: bool, reversible: bool, robust: bool = False, *, bounded: bool = True
) -> str:
    """Return the verdict on a pair; `bounded` if its measure has bounds.

    >>> verdict_of(significant=True, settled=False, reversible=True)
    'significant, open to judging'
    """
    if not bounded:
        return HIGHER if significant else SIMILAR
    if settled:
        return CLEAR if significant else SETTLED
    if robust:
        return ROBUST if significant else ROBUST_NOT_SIGNIFICANT
    if not reversible:
        return UNRESOLVED
    return SIGNIFICANT if significant else OPEN


@dataclass(frozen=True)
class Pair:
    """Two systems and one measure: everything that is known about their difference.

    `difference` is A minus B with its bounds: what the unjudged documents leave open on these queries.
    `other_queries` is its interval for other queries under these judgments; `p`, `p_adjusted` and `effect`,
    the difference in standard deviations, are about other queries too.

    `reversal` is the reversal prevalence: the lowest share of relevant documents, among the unjudged ones
    that favour the system behind, at which the other is no longer expected to be ahead. It is None if no
    share reverses the order, and also if it was not sought, which `reversal_known` says. `judged_share` is
    the share among the judged documents at the same ranks.
    """

    a: str
    b: str
    measure: str
    mean_a: float
    mean_b: float
    difference: Estimate
    other_queries: Estimate
    p: float
    p_adjusted: float
    test: str
    correction: str
    effect: Estimate
    wins: int
    ties: int
    losses: int
    verdict: str
    reversal: float | None = None
    reversal_known: bool = True
    reversible: bool = True
    judged_share: float | None = None
    lower: bool = False
    """Whether lower values are better."""

    @property
    def ahead(self) -> str | None:
        """System with the better mean under these judgments, None if they are equal."""
        value = -self.difference.value if self.lower else self.difference.value
        return None if value == 0 else self.a if value > 0 else self.b

    @property
    def better(self) -> str | None:
        """System that may be called better: significantly ahead, whatever plausible judgments would say.

        None if neither may. By a measure without bounds, it is the one that is significantly ahead.
        """
        return self.ahead if self.verdict in BETTER else None

    def sentences(self) -> list[str]:
        """Difference, sign, test and verdict, in this order."""
        gap, other = self.difference, self.other_queries
        means = f"{self.a} {self.mean_a:.4f}, {self.b} {self.mean_b:.4f}"
        of_what = "" if gap.of.statistic == "mean" else " of mean logarithms"
        lines = [f"{self.measure}: {means}, difference{of_what} {gap.value:+.4f}.", self._judgments()]
        corrected = "" if self.p_adjusted == self.p else f", {p_text(self.p_adjusted)} after correction"
        lines.append(
            f"Queries: {self.wins} won, {self.ties} tied, {self.losses} lost; {self.test}: {p_text(self.p)}"
            f"{corrected}; {_interval(other)}; {_effect(self.effect)}."
        )
        return [*lines, f"Verdict: {self.verdict}. {self.conclusion()}"]

    def _judgments(self) -> str:
        gap = self.difference
        if gap.of.judgments == POOL_JUDGED:
            return f"Judgments: {self.measure} estimates {gap.of.measure} with the pool judged; {SAMPLED}."
        if not gap.has_interval:
            return f"Judgments: {gap.method}."
        between = f"{gap.low:+.4f} and {gap.high:+.4f} ({gap.method} bounds). {self._sign()}"
        judged = f"with every document{self._covered()} judged"
        return f"Judgments: {judged}, the difference would be between {between}"

    def _covered(self) -> str:
        """Say which documents bounds are about: no others matter to sums, but they do to AP or nDCG."""
        return " of pool and runs" if self.difference.method == ENCLOSED else ""

    def _sign(self) -> str:
        if self.verdict in KEPT:
            return f"No unjudged document{self._covered()} can change the sign."
        if self.ahead is None:
            return "The two are equal under these judgments."
        gap = self.difference
        never_behind = gap.low >= -ROUNDING if gap.value > 0 else gap.high <= ROUNDING
        if gap.method == EXACT and never_behind:
            return "Unjudged documents can make the two equal, but they cannot reverse the order."
        can = "can" if self.reversible else "may"
        return f"Unjudged documents {can} reverse the order{self._needed()}."

    def _needed(self) -> str:
        """Say what share of relevant documents reverses the order, and what is known of such shares."""
        behind = self.b if self.ahead == self.a else self.a
        if self.difference.method == OF_EACH:
            return ""
        if not self.reversal_known:
            return "; which share of them is too much was not worked out, because there are too many pairs"
        if self.reversal is None:
            return f", but that is not expected, even if all that favour {behind} are relevant"
        needed = f"{behind} would need {share_text(self.reversal)} of its unjudged documents to be relevant"
        known = [f": {needed}, {self.ahead} none"]
        if self.judged_share is not None:
            known.append(f"of the judged documents at the same ranks {share_text(self.judged_share)} are")
        return "; ".join(known)

    def conclusion(self) -> str:
        """One or two sentences to act on."""
        first, second = (self.b, self.a) if self.ahead == self.b else (self.a, self.b)
        return conclusion(self.verdict, first, second, equal=self.ahead is None)

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def _repr_html_(self) -> str:
        return in_paragraphs(str(self))


def conclusion(verdict: str, ahead: str, other: str, *, equal: bool = False) -> str:
    """Say in one or two sentences what to conclude from the verdict on two systems."""
    if not equal:
        lead, advice = CONCLUSIONS[verdict]
        return f"{ahead} {lead.format(other)} {advice}".rstrip()
    if verdict in (HIGHER, SIMILAR):
        return f"{ahead} and {other} have the same mean."
    if verdict in KEPT:
        return f"{ahead} and {other} have the same mean, whatever the unjudged documents turn out to be."
    return (
        f"{ahead} and {other} have the same mean. Judge more documents (`unjudged next`) to tell them apart."
    )


def _interval(other: Estimate) -> str:
    """Neither one query nor equal differences have an interval."""
    if not isfinite(other.low):
        return "no interval for other queries"
    return f"{percent(other.confidence)} interval for other queries {other.low:+.4f} to {other.high:+.4f}"


def _effect(effect: Estimate) -> str:
    """A difference that does not vary has no size in standard deviations."""
    return f"effect size {effect.value:+.2f}" if isfinite(effect.value) else "no effect size"


def share_text(value: float) -> str:
    return f"{value:.1%}" if value < 0.1 else f"{value:.0%}"
