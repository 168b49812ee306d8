"""Judgments of ir_datasets, for `irds:<id>` in the place of a file."""

from __future__ import annotations

from typing import Any

from unjudged.errors import InputError, UsageError
from unjudged.formats.headers import columns_of, layout_of
from unjudged.formats.readers.memory import table_of_rows
from unjudged.formats.roles import NONE, Layout
from unjudged.formats.tables import Table


def read_judgments(name: str) -> tuple[Table, Layout]:
    """The judgments of a dataset, which ir_datasets downloads if they are not on the disk yet."""
    dataset = _load(name)
    if not dataset.has_qrels():
        raise InputError("this dataset has no judgments, expected one of its parts that has")
    columns = columns_of(dataset.qrels_cls()._fields, "grade", NONE)
    try:
        rows = [tuple(getattr(row, field) for field in columns.values()) for row in dataset.qrels_iter()]
    except (RuntimeError, OSError) as error:
        problem = "its judgments are not on this machine and could not be downloaded"
        raise InputError(
            f"{problem}; ir_datasets' catalogue tells how to get them ({_short(error)})"
        ) from None
    return table_of_rows(rows, tuple(columns)[2:]), layout_of(columns)


def _load(name: str) -> Any:
    try:
        import ir_datasets
    except ModuleNotFoundError:
        raise UsageError(f"irds:{name} needs ir_datasets: pip install ir-datasets") from None
    try:
        return ir_datasets.load(name)
    except KeyError:
        raise InputError("ir_datasets knows no such dataset, expected a name as in its catalogue") from None


def _short(error: Exception) -> str:
    return " ".join(str(error.args[0] if error.args else error).split())[:200]
