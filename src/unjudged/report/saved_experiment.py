"""Result of an experiment as `unjudged experiment -o` saved it, for its curves."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from unjudged.base.errors import InputError, quoted
from unjudged.experiments.summary import STATISTICS, Agreement, Robustness
from unjudged.formats.small_files import number_in_file, read_small_text, whole_in_file
from unjudged.formats.streams import display_name
from unjudged.grids.grid import Column, Grid
from unjudged.judging.pooling.designs import DESIGNS

MOST_BYTES = 1 << 26
EXPECTED = "what `unjudged experiment -o FILE` writes as csv, json or jsonl"


@dataclass(frozen=True, eq=False)
class SavedExperiment:
    """How well each measure agrees with the actual values, at each level of a design."""

    agreement: list[Agreement]

    @classmethod
    def of(cls, source: Robustness | SavedExperiment | str | os.PathLike[str]) -> SavedExperiment:
        """Return a result in memory, or read a file that the command wrote."""
        if isinstance(source, SavedExperiment):
            return source
        if isinstance(source, Robustness):
            return cls(source.agreement)
        name = display_name(source)
        text = read_small_text(source, EXPECTED, MOST_BYTES)
        try:
            agreement = [_agreement(row) for row in _rows(text, _suffix(source))]
        except (ValueError, TypeError, KeyError, RecursionError, csv.Error):
            raise InputError(f"not the result of an experiment: expected {EXPECTED}", source=name) from None
        except InputError as error:
            problem = f"not the result of an experiment: {error.problem}; expected {EXPECTED}"
            raise InputError(problem, source=name) from None
        if not agreement:
            raise InputError(f"nothing in it: expected {EXPECTED}", source=name)
        if len({row.design for row in agreement}) > 1:
            raise InputError(f"it has several designs: expected {EXPECTED}", source=name)
        return cls(agreement)

    @property
    def design(self) -> str:
        return self.agreement[0].design

    @cached_property
    def against(self) -> str:
        """Measure whose actual values were estimated; each measure is also compared with itself."""
        return next((row.against for row in self.agreement if row.against != "itself"), "itself")

    @cached_property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(row.measure for row in self.agreement))

    @cached_property
    def statistics(self) -> list[str]:
        return list(dict.fromkeys(row.statistic for row in self.agreement))

    def agreement_by(self, statistics: Iterable[str]) -> list[Agreement]:
        names = set(statistics)
        return [row for row in self.agreement if row.statistic in names]

    def grid(self) -> Grid:
        """Every number, one per row."""
        columns = [
            Column("measure", "label"),
            Column("level", decimals=4),
            Column("judged per query", decimals=1),
            Column("statistic", "label"),
            Column("mean"),
            Column("deviation"),
            Column("samples", "integer"),
        ]
        rows = [
            (r.measure, r.level, r.judged, r.statistic, r.mean, r.deviation, r.repeats)
            for r in self.agreement
            if r.against == self.against
        ]
        return Grid(columns, rows, f"{self.design} design, against {self.against} with all judgments")


def _suffix(file: str | os.PathLike[str]) -> str:
    """Return the suffix before that of a compressed file."""
    path = Path(file)
    return Path(path.stem).suffix if path.suffix in (".gz", ".xz", ".zst") else path.suffix


def _rows(text: str, suffix: str) -> Iterable[dict[str, Any]]:
    if suffix == ".csv":
        return csv.DictReader(io.StringIO(text))
    if suffix == ".jsonl":
        return map(json.loads, text.splitlines())
    rows: Iterable[dict[str, Any]] = json.loads(text)["rows"]
    return rows


def _agreement(row: dict[str, Any]) -> Agreement:
    words = {name: str(row[name]) for name in ("design", "measure", "against", "statistic")}
    numbers = {
        name: float("nan") if row[name] in (None, "") else number_in_file(name, row[name], text=True)
        for name in ("level", "judged", "mean", "deviation")
    }
    for name, known in (("design", DESIGNS), ("statistic", STATISTICS)):
        if words[name] not in known:
            raise InputError(f"unknown {name} {quoted(words[name])}")
    repeats = whole_in_file("repeats", row["repeats"], 1, text=True)
    return Agreement(**words, **numbers, repeats=repeats)  # type: ignore[arg-type]
