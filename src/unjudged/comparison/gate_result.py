"""Result of a gate: pass, fail or open, in a sentence, a table and an exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite, nan
from typing import Literal, TypeAlias

from unjudged.base.wording import counted, p_text, percent, shortlist
from unjudged.evaluation.query_segments import EVERY
from unjudged.grids.grid import Cell, Column, Grid, Shown, blank, grid_of

PASS, FAIL, OPEN = "pass", "fail", "open"
CODES = {PASS: 0, FAIL: 1, OPEN: 2}
BAD_INPUT = 3
"""Exit code of a gate that could not be asked."""
BOUNDS, AS_THEY_ARE, UNKNOWN = "bounds", "as they are", "unknown"
IfOpen: TypeAlias = Literal["pass", "fail"] | None
"""What an open result counts as."""
SAME = "Two that score the same on every query pass: low and high are then empty, because nothing varies."


@dataclass(frozen=True)
class GateCheck:
    """One measure over all queries or over a segment: new minus old, against a margin.

    The mean is above `low` and below `high`, each at level alpha, for other queries and whatever the unjudged
    documents are, unless `judgments` says otherwise. `p_not_worse` is the p value against "worse by the
    margin or more", `p_worse` that against "not worse by more". Where it is open, `open_to` says whether
    queries, judgments or both leave it open, or the correction for several checks; `queries_needed` or
    `documents` to judge would tell. `constant` differences are the same on every query. Two that are
    `identical` pass, and have neither `low` nor `high`. With `lower`, lower values are better.
    """

    measure: str
    segment: str
    queries: int
    margin: float
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
    lower: bool = False

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
            return f"judge the unjudged documents that matter{most} (`unjudged next`){more}"
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


def _is_whole(check: GateCheck) -> bool:
    """Whether a check is of all queries."""
    return check.segment == EVERY


@dataclass(frozen=True, eq=False, repr=False)
class GateResult(Shown):
    """Whether the new system passes; `checks` has a row per measure and segment."""

    old: str
    new: str
    alpha: float
    checks: Sequence[GateCheck]
    notes: Sequence[str]

    @property
    def margin(self) -> float | Mapping[str, float]:
        """Return the loss that does not matter: one for all measures, or that of each."""
        each = {check.measure: check.margin for check in self.checks}
        return each if len({*each.values()}) > 1 else self.checks[0].margin

    def _margin_text(self) -> str:
        if not isinstance(self.margin, Mapping):
            return f"{self.margin:g}"
        return f"the margin ({shortlist([f'{name} {one:g}' for name, one in self.margin.items()])})"

    @property
    def outcome(self) -> str:
        """Return fail if any check fails, pass if every measure passes over all queries, else open."""
        if any(check.outcome == FAIL for check in self.checks):
            return FAIL
        whole = (check.outcome for check in self.checks if _is_whole(check))
        return PASS if all(outcome == PASS for outcome in whole) else OPEN

    @property
    def exit_code(self) -> int:
        """Return 0 for pass, 1 for fail, 2 for open."""
        return CODES[self.outcome]

    def code(self, if_open: IfOpen = None) -> int:
        """Return the exit code; an open result counts as `if_open` says."""
        return CODES[if_open] if self.outcome == OPEN and if_open else self.exit_code

    def verdict(self, if_open: IfOpen = None) -> str:
        """Say the outcome, of which checks it is, what the others say, and what an open one counts as."""
        outcome, two = self.outcome, f"worse than {self.old} by more than {self._margin_text()}"
        own = {which: [c for c in self.checks if c.outcome == which] for which in CODES}
        where = "" if outcome == PASS or len(self.checks) == 1 else f"{self._where(own[outcome])}, "
        told = {
            PASS: f"{self.new} is not {two}",
            FAIL: f"{self.new} is {two}",
            OPEN: f"whether {self.new} is {two} cannot be told",
        }
        others = [
            f"; {self._where(own[other])} {said}"
            for other, said in ((PASS, "it is not"), (OPEN, "that cannot be told"))
            if other != outcome and own[other]
        ]
        first = f"{outcome.capitalize()}: {where}{told[outcome]}{''.join(others)}."
        if outcome != OPEN or not if_open:
            return first
        return f"{first} The build {if_open}{'es' if if_open == PASS else 's'} because of --open {if_open}."

    def _where(self, checks: Sequence[GateCheck]) -> str:
        """Say of which measures and segments some checks are, as far as there are several."""
        segments: dict[str, list[str]] = {}
        for check in checks:
            segments.setdefault(check.measure, []).append(check.segment)
        places = []
        for measure, own in segments.items():
            named = [segment for segment in own if segment != EVERY]
            words = [f"by {measure}"] if len({c.measure for c in self.checks}) > 1 else []
            inside = [f"in {shortlist(named)}"] if named else []
            whole = ["over all queries"] if self._segmented and EVERY in own else []
            places.append(" ".join([*words, " and ".join([*inside, *whole])]).strip())
        return ", ".join(places)

    @property
    def _segmented(self) -> bool:
        return not all(map(_is_whole, self.checks))

    def sentence(self, if_open: IfOpen = None) -> str:
        """Say the outcome and the numbers that decide it."""
        outcome = self.outcome
        deciding = [c for c in self.checks if c.outcome == outcome and (outcome == FAIL or _is_whole(c))]
        return f"{self.verdict(if_open)} {'; '.join(map(self._numbers, deciding))}."

    def _numbers(self, check: GateCheck) -> str:
        where = "" if _is_whole(check) else f" in {check.segment}"
        start = f"{check.measure}{where}: difference {check.difference:+.4f}"
        sure, many = percent(1 - self.alpha), counted(check.queries, "query")
        if check.identical:
            return f"{start}: the two score the same on each of {many}"
        if check.outcome != OPEN:
            above = (check.outcome == PASS) != check.lower
            limit = f"above {check.low:+.4f}" if above else f"below {check.high:+.4f}"
            return f"{start}, {limit} with {sure} confidence ({many}, {self._judged(check)})"
        ends = (
            f"from {check.low:+.4f} to {check.high:+.4f}" if isfinite(check.low + check.high) else "unknown"
        )
        return f"{start}, {ends} ({many}, {self._judged(check)}); {check.would_tell()}"

    @staticmethod
    def _judged(check: GateCheck) -> str:
        if check.judgments == BOUNDS:
            return "whatever the unjudged documents are"
        return f"judgments: {check.judgments}"

    def grid(self, if_open: IfOpen = None) -> Grid:
        """Return a row per measure and segment, the outcome last."""
        columns = [Column("measure", "label")]
        columns += [Column("segment", "label")] if self._segmented else []
        columns += [Column("queries", "integer"), Column(self.old), Column(self.new), Column("difference")]
        columns += [Column("low"), Column("high"), Column("p worse", "p value"), Column("outcome", "text")]
        columns += [Column("what would tell", "text")] if any(c.outcome == OPEN for c in self.checks) else []
        rows: list[list[Cell]] = []
        for c in self.checks:
            row: list[Cell] = [c.measure, *([c.segment] if self._segmented else []), c.queries, c.old, c.new]
            row += [c.difference, *map(blank, (c.low, c.high, c.p_worse_adjusted)), c.outcome, c.would_tell()]
            rows.append(row[: len(columns)])
        sure, margin = percent(1 - self.alpha), self._margin_text()
        known = shortlist([*dict.fromkeys(map(self._judged, self.checks))])
        ends = f"{self.new} minus {self.old} is above, and below, these with {sure} confidence each"
        notes = [
            f"low, high: {ends} ({known}).",
            f"p worse: of a run that is not worse by more than {margin}, corrected by Holm's method.",
            *([SAME] if any(c.identical for c in self.checks) else []),
            *self.notes,
        ]
        return Grid(columns, rows, self.verdict(if_open), notes, records=self.records)

    def records(self) -> Grid:
        """Return a row per check for programs."""
        whole = {"old_run": self.old, "new_run": self.new, "margin": nan, "alpha": self.alpha}
        each = [{**whole, "gate": self.outcome, **asdict(check)} for check in self.checks]
        rows = [list(map(blank, row.values())) for row in each]
        return grid_of(list(each[0]), rows, [self.sentence(), *self.notes])

    def __str__(self) -> str:
        return super().__str__() if len(self.checks) > 1 else "\n".join([self.sentence(), *self.notes])
