"""Result of a gate: pass, fail or open, in a sentence, a table and an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite, nan
from typing import Literal

from unjudged.base.wording import counted, p_text, percent, shortlist
from unjudged.comparison.verdicts import without_next
from unjudged.evaluation.query_segments import EVERY
from unjudged.grids.grid import Cell, Column, Grid, Shown, grid_of

PASS, FAIL, OPEN = "pass", "fail", "open"
CODES = {PASS: 0, FAIL: 1, OPEN: 2}
BAD_INPUT = 3
"""Exit code of a gate that could not be asked."""
BOUNDS, AS_THEY_ARE, UNKNOWN = "bounds", "as they are", "unknown"


@dataclass(frozen=True)
class GateCheck:
    """One measure over all queries or over a segment: new minus old.

    The mean is above `low` and below `high`, each at level alpha, for other queries and whatever the unjudged
    documents are, unless `judgments` says otherwise. `p_not_worse` is the p value against "worse by the
    margin or more", `p_worse` that against "not worse by more". Where it is open, `open_to` says whether
    queries, judgments or both leave it open, or the correction for several checks; `queries_needed` or
    `documents` to judge would tell. `constant` differences are the same on every query.
    """

    measure: str
    segment: str
    queries: int
    old: float
    new: float
    difference: float
    judgments: str
    low: float = nan
    high: float = nan
    p_not_worse: float = nan
    p_worse: float = nan
    p_worse_adjusted: float = nan
    outcome: str = OPEN
    identical: bool = False
    constant: bool = False
    open_to: str | None = None
    queries_needed: int | None = None
    documents: int | None = None
    by_subtopic: bool = False

    def would_tell(self) -> str:
        """Say what would close an open result."""
        if self.outcome != OPEN:
            return ""
        if self.open_to == "correction":
            alone = f"alone it fails ({p_text(self.p_worse)})"
            return f"{alone}, but not after Holm's correction over all checks; more queries would tell"
        if self.open_to != "queries":
            most = "" if self.documents is None else f", at most {self.documents:,}"
            asked = self.queries_needed if self.open_to == "both" else None
            more = "" if asked is None else f", and use about {asked:,} queries"
            said = f"judge the unjudged documents that matter{most} (`unjudged next`){more}"
            return without_next(said) if self.by_subtopic else said
        return self._queries_would_tell()

    def _queries_would_tell(self) -> str:
        if self.queries == 1:
            return "one query does not show how far others differ: use more"
        if self.constant and self.queries_needed is None:
            remedy = "" if isfinite(self.low) else ", unless the range of the measure is known (--range)"
            return f"differences that are all the same do not show how far others differ{remedy}"
        if self.queries_needed is None:
            return "no number of queries like these would tell: the difference is at the margin"
        return f"about {self.queries_needed:,} queries like these would tell"


@dataclass(frozen=True, eq=False, repr=False)
class GateResult(Shown):
    """Whether the new system passes; `checks` has a row per measure and segment."""

    old: str
    new: str
    margin: float
    alpha: float
    checks: Sequence[GateCheck]
    notes: Sequence[str]

    @property
    def outcome(self) -> str:
        """Return fail if any check fails, pass if every measure passes over all queries, else open."""
        if any(check.outcome == FAIL for check in self.checks):
            return FAIL
        whole = (check.outcome for check in self.checks if check.segment == EVERY)
        return PASS if all(outcome == PASS for outcome in whole) else OPEN

    @property
    def exit_code(self) -> int:
        """Return 0 for pass, 1 for fail, 2 for open."""
        return CODES[self.outcome]

    def code(self, if_open: Literal["pass", "fail"] | None = None) -> int:
        """Return the exit code; an open result counts as `if_open` says."""
        return CODES[if_open] if self.outcome == OPEN and if_open else self.exit_code

    def verdict(self) -> str:
        """Say the outcome."""
        told = {
            PASS: f"{self.new} is not worse than {self.old} by more than {self.margin:g}",
            FAIL: f"{self.new} is worse than {self.old} by more than {self.margin:g}",
            OPEN: f"whether {self.new} is worse than {self.old} by more than {self.margin:g} cannot be told",
        }
        untold = dict.fromkeys(c.segment for c in self.checks if c.segment != EVERY and c.outcome == OPEN)
        more = f" No segment fails; {shortlist(list(untold))} cannot be told." if untold else ""
        return f"{self.outcome.capitalize()}: {told[self.outcome]}.{more * (self.outcome == PASS)}"

    def sentence(self) -> str:
        """Say the outcome and the numbers that decide it."""
        outcome = self.outcome
        deciding = [
            c for c in self.checks if c.outcome == outcome and (outcome == FAIL or c.segment == EVERY)
        ]
        return f"{self.verdict()} {'; '.join(map(self._numbers, deciding))}."

    def _numbers(self, check: GateCheck) -> str:
        where = "" if check.segment == EVERY else f" in {check.segment}"
        start = f"{check.measure}{where}: difference {check.difference:+.4f}"
        sure, many = percent(1 - self.alpha), counted(check.queries, "query")
        if check.identical:
            return f"{start}: the two score the same on each of {many}"
        if check.outcome == PASS:
            return f"{start}, above {check.low:+.4f} with {sure} confidence ({many}, {self._judged(check)})"
        if check.outcome == FAIL:
            return f"{start}, below {check.high:+.4f} with {sure} confidence ({many}, {self._judged(check)})"
        ends = (
            f"from {check.low:+.4f} to {check.high:+.4f}" if isfinite(check.low + check.high) else "unknown"
        )
        return f"{start}, {ends} ({many}, {self._judged(check)}); {check.would_tell()}"

    @staticmethod
    def _judged(check: GateCheck) -> str:
        if check.judgments == BOUNDS:
            return "whatever the unjudged documents are"
        return f"judgments: {check.judgments}"

    def grid(self) -> Grid:
        """Return a row per measure and segment, the outcome last."""
        columns = [Column("measure", "label")]
        segmented = any(check.segment != EVERY for check in self.checks)
        columns += [Column("segment", "label")] if segmented else []
        columns += [Column("queries", "integer"), Column(self.old), Column(self.new), Column("difference")]
        columns += [Column("low"), Column("high"), Column("p worse", "p value"), Column("outcome", "text")]
        columns += [Column("what would tell", "text")] if any(c.outcome == OPEN for c in self.checks) else []
        rows: list[list[Cell]] = []
        for c in self.checks:
            row: list[Cell] = [c.measure, *([c.segment] if segmented else []), c.queries, c.old, c.new]
            row += [c.difference, c.low, c.high, c.p_worse_adjusted, c.outcome, c.would_tell()]
            rows.append(row[: len(columns)])
        sure = percent(1 - self.alpha)
        notes = [
            f"low, high: {self.new} minus {self.old} is above, and below, these with {sure} confidence each.",
            f"p worse: of a run that is not worse by more than {self.margin:g}, corrected by Holm's method.",
            *self.notes,
        ]
        return Grid(columns, rows, self.verdict(), notes, records=self.records)

    def records(self) -> Grid:
        """Return a row per check for programs."""
        own = {"old_run": self.old, "new_run": self.new, "margin": self.margin, "alpha": self.alpha}
        fields = [*own, "gate", *asdict(self.checks[0])]
        rows = [[*own.values(), self.outcome, *asdict(check).values()] for check in self.checks]
        return grid_of(fields, rows, [self.sentence(), *self.notes])

    def __str__(self) -> str:
        return super().__str__() if len(self.checks) > 1 else "\n".join([self.sentence(), *self.notes])
