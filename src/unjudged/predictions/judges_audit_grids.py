"""Result of an audit of several judges, and its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from unjudged.agreement.coefficients import COEFFICIENTS
from unjudged.agreement.leaderboards import LeaderboardAgreement
from unjudged.base.wording import percent
from unjudged.grids.grid import Cell, Column, Grid, grid_of
from unjudged.predictions.audit_grids import (
    ENDS,
    WEIGHTED,
    Audit,
    Audited,
    bias_records,
    by_people,
    ends_of,
    is_sampled,
    people_columns,
)
from unjudged.predictions.score_bias import Biases
from unjudged.uncertainty.estimate import Estimate

PEOPLE = "people"
AGREEMENT = {name: c.title for name, c in COEFFICIENTS.items() if not c.of_all}
ORDERS = ("tau", "tau_ap_b", "spearman", "top")
"""Coefficients of the order of the runs that are shown."""


class Favour(NamedTuple):
    """How much more a judge overrates the runs of one group than the other runs."""

    judge: str
    group: str
    runs: int
    own: bool
    """It is the judge's own family."""
    estimate: Estimate

    @property
    def word(self) -> str:
        """What the interval says."""
        if self.estimate.low > 0:
            return "favoured"
        return "disfavoured" if self.estimate.high < 0 else "open"


@dataclass(frozen=True, eq=False, repr=False)
class JudgesAudit(Audited):
    """Several judges beside people.

    `agreement[judge][coefficient]` is on documents, `biases[judge]` of runs, `board` compares the orders.
    """

    rel: int
    judges: Sequence[str]
    audits: Mapping[str, Audit]
    agreement: Mapping[str, Mapping[str, Estimate]]
    measure: str
    biases: Mapping[str, Biases]
    favours: Sequence[Favour]
    board: LeaderboardAgreement | None
    notes: Sequence[str]
    confidence: float

    def grids(self) -> list[Grid]:
        """Return a table per question."""
        made = [self._agreement()]
        made += [self._biases()] if self.biases else []
        made += [self._favours()] if self.favours else []
        return made if self.board is None else [*made, self._orders(self.board)]

    def records(self) -> Grid:
        """Return everything in one table in long form, for programs."""
        rows: list[list[Cell]] = [
            [name, "documents", judge, *ends] for name, judge, _, *ends in self._agreed()
        ]
        for judge, found in self.biases.items():
            rows += bias_records(self.measure, found.by_run, judge)
        for favour in self.favours:
            name = f"bias of {self.measure}, group minus others"
            rows.append([name, favour.group, favour.judge, *ends_of(favour.estimate)])
        rows += [[name, "order of runs", judge, *ends] for name, judge, *ends in self._ordered()]
        return grid_of(["statistic", "of", "judge", "value", "low", "high"], rows, self._notes())

    def _notes(self) -> list[str]:
        level = percent(self.confidence)
        notes = [f"{level} intervals for other queries; a document is relevant from grade {self.rel} on."]
        if any(audit.weighted for audit in self.audits.values()):
            notes.append(WEIGHTED)
        for judge in self.judges:
            if self.audits[judge].missing:
                notes.append(f"{judge} has no prediction for {self.audits[judge].missing} of the documents.")
            if len(self.agreement[judge]) == 1:
                notes.append(f"{judge} has scores without a threshold, so AUC is all that they tell.")
        return [*notes, *self.notes]

    def _agreed(self) -> list[list[Cell]]:
        names = dict.fromkeys(name for own in self.agreement.values() for name in own)
        return [
            [name, judge, self.audits[judge].documents, *ends_of(self.agreement[judge][name])]
            for name in names
            for judge in self.judges
            if name in self.agreement[judge]
        ]

    def _agreement(self) -> Grid:
        columns = [Column("agreement with people", "label"), Column("judge", "label")]
        columns += [Column("documents", "integer"), *ENDS]
        return Grid(columns, self._agreed(), "Agreement on documents that people judged", self._notes())

    @property
    def sampled(self) -> bool:
        """True if people judged a sample, so that the scores by people are estimates too."""
        return any(is_sampled(found.by_run) for found in self.biases.values())

    def _biases(self) -> Grid:
        columns = [Column("run", "label"), Column("judge", "label"), *people_columns(self.sampled)]
        columns += [Column("by the judge"), Column("bias"), *ENDS[1:]]
        by_run: dict[str, list[list[Cell]]] = {}
        for judge, found in self.biases.items():
            for bias in found.by_run:
                people = by_people(bias, self.sampled)
                row: list[Cell] = [bias.run, judge, *people, bias.human + bias.bias.value]
                by_run.setdefault(bias.run, []).append([*row, *ends_of(bias.bias)])
        note = "by people: had they judged everything, estimated with the help of all judges; from, to: for "
        note += "these queries, had another sample been judged."
        rows = [row for rows in by_run.values() for row in rows]
        title = f"{self.measure} by each judge minus by people"
        return Grid(columns, rows, title, [note] if self.sampled else [])

    def _favours(self) -> Grid:
        columns = [Column("group", "label"), Column("runs", "integer"), Column("judge", "label")]
        columns += [Column("own family", "label"), Column("difference"), *ENDS[1:], Column("verdict", "text")]
        rows: list[list[Cell]] = [
            [f.group, f.runs, f.judge, "yes" if f.own else "no", *ends_of(f.estimate), f.word]
            for f in self.favours
        ]
        note = "difference: mean bias of the group's runs minus that of the other runs; each interval is for "
        note += "one group, not corrected for how many there are."
        return Grid(columns, rows, "Does a judge favour a group of runs?", [note])

    def _ordered(self) -> list[list[Cell]]:
        if self.board is None:
            return []
        found = {judge: self.board.estimates[PEOPLE, judge] for judge in self.judges}
        return [
            [self.board.coefficients[name].title, judge, *ends_of(found[judge][name])]
            for name in ORDERS
            for judge in self.judges
        ]

    def _orders(self, board: LeaderboardAgreement) -> Grid:
        columns = [Column("agreement with people", "label"), Column("judge", "label"), *ENDS]
        notes = list(board.notes)
        if self.sampled:
            notes.append(
                "The order by people comes from a sample: its noise lowers the agreement with any judge."
            )
        title = f"Order of {len(board.systems)} runs by {self.measure}"
        return Grid(columns, self._ordered(), title, notes)
