"""Experiments as text and as files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from unjudged.errors import missing_package
from unjudged.experiments.agreement import STATISTICS
from unjudged.experiments.robustness import Agreement, Robustness
from unjudged.report.tables import aligned, latex_rows, markdown_rows
from unjudged.report.text import plain

TITLES = {"tau": "tau", "tau_ap": "tau_AP", "rho": "rho", "rms": "RMS error", "bias": "bias"}


class RunMean(NamedTuple):
    """One run's mean at one level in one repeat, and with all judgments."""

    design: str
    level: float
    repeat: int
    run: str
    measure: str
    value: float
    actual: float


def run_means(found: Robustness) -> Iterator[RunMean]:
    """Every mean of the experiment."""
    levels, repeats, runs, measures = map(range, found.means.shape)
    for li, s, i, k in product(levels, repeats, runs, measures):
        place = found.design, float(found.levels[li]), s, found.runs[i], str(found.measures[k])
        yield RunMean(*place, float(found.means[li, s, i, k]), float(found.actual[i, k]))


def level_name(design: str, level: float) -> str:
    """`5 %` of a share, `depth 5` of a pool."""
    return f"{100 * level:g} %" if design in ("random", "stratified") else f"depth {level:g}"


def as_table(found: Robustness) -> str:
    head, rows = _cells(found)
    return aligned(head, rows, labels=1)


def as_markdown(found: Robustness) -> str:
    return markdown_rows(*_cells(found), labels=1)


def as_latex(found: Robustness) -> str:
    return latex_rows(*_cells(found), labels=1)


def as_csv(rows: Sequence[Agreement] | Sequence[RunMean]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(rows[0]._fields)
    writer.writerows(rows)
    return target.getvalue()


def as_json(rows: Sequence[Agreement] | Sequence[RunMean]) -> str:
    """One object a line; what is not a number is null."""
    return "".join(json.dumps(_without_nan(row._asdict())) + "\n" for row in rows)


def arrow_modules() -> tuple[Any, Any]:
    """Pyarrow and its parquet module, or an error that says how to get them."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise missing_package("pyarrow", "Parquet") from None
    return pyarrow, parquet


def as_parquet(rows: Sequence[Agreement] | Sequence[RunMean]) -> bytes:
    """Text that is not UTF-8 is written with escapes."""
    pyarrow, parquet = arrow_modules()
    safe = ([plain(c) if isinstance(c, str) else c for c in column] for column in zip(*rows, strict=True))
    columns = dict(zip(rows[0]._fields, safe, strict=True))
    target = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), target)
    return target.getvalue()


PAGES: dict[str, Callable[[Robustness], str]] = {
    "table": as_table,
    "markdown": as_markdown,
    "latex": as_latex,
}
DATA: dict[str, Callable[[Sequence[Agreement] | Sequence[RunMean]], str | bytes]] = {
    "csv": as_csv,
    "json": as_json,
    "parquet": as_parquet,
}


def _cells(found: Robustness) -> tuple[list[str], list[list[str]]]:
    """A row for each measure and level, against the measure that all are compared with."""
    head = ["measure", "level", "judged", *TITLES.values()]
    by_place = {
        (row.measure, row.level, row.statistic): row
        for row in found.agreement
        if row.against == str(found.against)
    }
    rows = []
    for measure, level in product(map(str, found.measures), found.levels):
        statistics = [by_place[measure, level, name] for name in STATISTICS]
        judged = f"{statistics[0].judged:.1f}"
        rows.append([measure, level_name(found.design, level), judged, *map(_number, statistics)])
    return head, rows


def _number(row: Agreement) -> str:
    return f"{row.mean:.4f}" + (f" ±{row.deviation:.4f}" if row.repeats > 1 else "")


def _without_nan(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if value != value else value for key, value in row.items()}  # noqa: PLR0124
