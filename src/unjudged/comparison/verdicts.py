"""The verdict on a pair of systems: is the difference significant, and can unjudged documents reverse it?"""

from __future__ import annotations

from dataclasses import dataclass

from unjudged.uncertainty.estimate import Estimate

CLEAR = "clear"
SIGNIFICANT = "significant, open to judging"
SETTLED = "settled, not significant"
OPEN = "open"
UNRESOLVED = "unresolved"
VERDICTS = (CLEAR, SIGNIFICANT, SETTLED, OPEN, UNRESOLVED)


def verdict_of(significant: bool, settled: bool, reversible: bool) -> str:
    """The verdict in one word or two."""
    if settled:
        return CLEAR if significant else SETTLED
    if not reversible:
        return UNRESOLVED
    return SIGNIFICANT if significant else OPEN


@dataclass(frozen=True)
class Pair:
    """Two systems and one measure: everything that is known about their difference.

    `difference` is A minus B with its bounds: what the unjudged documents leave open on these queries.
    `other_queries` is its interval for other queries under these judgments, `p` and `p_adjusted` the test's.
    `flip` is the prevalence from which on the expected sign is the other one, None if there is none.
    """

    a: str
    b: str
    measure: str
    mean_a: float
    mean_b: float
    difference: Estimate
    other_queries: Estimate
    calibrated: Estimate | None
    p: float
    p_adjusted: float
    test: str
    effect: float
    wins: int
    ties: int
    losses: int
    verdict: str
    flip: float | None
    flip_known: bool = True

    @property
    def ahead(self) -> str | None:
        """The system with the higher mean under these judgments, None if they are equal."""
        value = self.difference.value
        return None if value == 0 else self.a if value > 0 else self.b

    @property
    def better(self) -> str | None:
        """The system that is better on these queries whatever the unjudged documents turn out to be, or None."""
        return self.ahead if self.verdict in (CLEAR, SETTLED) else None

    def sentences(self) -> list[str]:
        """Difference, sign, flip, calibrated interval, test and verdict, in this order."""
        gap = self.difference
        lines = [
            f"mean {self.measure}: {self.a} {self.mean_a:.4f}, {self.b} {self.mean_b:.4f}",
            f"difference {gap.value:+.4f}; with all documents judged between {gap.low:+.4f} and {gap.high:+.4f} "
            f"({gap.method})",
            self._sign(),
        ]
        if self.calibrated is not None:
            c = self.calibrated
            lines.append(f"calibrated at {c.confidence:.0%}: {c.low:+.4f} to {c.high:+.4f} ({c.method})")
        corrected = "" if self.p_adjusted == self.p else f", {_p(self.p_adjusted)} after correction"
        other = self.other_queries
        lines.append(
            f"other queries ({self.test}): {_p(self.p)}{corrected}; {other.confidence:.0%} interval "
            f"{other.low:+.4f} to {other.high:+.4f}; {self.wins} won, {self.ties} tied, {self.losses} lost"
        )
        return [*lines, self.conclusion()]

    def _sign(self) -> str:
        if self.ahead is None:
            return "the two are equal under these judgments"
        if self.better is not None:
            return "unjudged documents cannot reverse it on these queries"
        can = "can" if self.verdict != UNRESOLVED else "may"
        if not self.flip_known:
            return f"unjudged documents {can} reverse it"
        if self.flip is None:
            return f"unjudged documents {can} reverse it, but not if all are equally likely to be relevant"
        return f"unjudged documents {can} reverse it: {self._stays()}"

    def _stays(self) -> str:
        assert self.flip is not None
        return f"{self.ahead} stays ahead as long as fewer than {self.flip:.0%} of them are relevant"

    def conclusion(self) -> str:
        """One sentence to act on."""
        other = self.b if self.ahead == self.a else self.a
        if self.verdict == CLEAR:
            return f"{self.verdict}: {self.ahead} is better than {other}; neither luck with queries nor missing judgments explain it."
        if self.verdict == SIGNIFICANT:
            return (
                f"{self.verdict}: {self.ahead} is ahead of {other} by more than luck with queries explains, but "
                f"missing judgments could explain it. Judge more (`unjudged next`)."
            )
        if self.verdict == SETTLED:
            if self.ahead is None:
                return f"{self.verdict}: {self.a} and {self.b} are equal, whatever the unjudged documents turn out to be."
            return f"{self.verdict}: {self.ahead} is ahead of {other} on these queries, but other queries could say the opposite. Use more queries."
        if self.verdict == OPEN:
            lead = f"{self.ahead} is ahead of {other}" if self.ahead else "the two are equal now"
            return f"{self.verdict}: {lead}, but both other queries and missing judgments could say the opposite."
        return f"{self.verdict}: {self.ahead} is ahead of {other}; whether missing judgments could reverse it was neither proved nor refuted."

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def _p(value: float) -> str:
    return "p < 0.0001" if value < 0.0001 else f"p = {value:.4f}"
