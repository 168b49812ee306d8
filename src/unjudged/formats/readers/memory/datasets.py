"""Judgments from ir_datasets: `irds:<id>` instead of a file."""

from __future__ import annotations

from typing import Any

from unjudged.base.errors import InputError, missing_package, reason_of
from unjudged.formats.columns import NONE, Layout, columns_of, layout_of
from unjudged.formats.readers.memory.mappings import table_of_rows
from unjudged.formats.tables import Table


def read_judgments(name: str) -> tuple[Table, Layout]:
    """Return the judgments of a dataset, which ir_datasets downloads if needed."""
    dataset = load_dataset(name)
    if not dataset.has_qrels():
        raise InputError("this dataset has no judgments; choose one of its parts that has them")
    columns = columns_of(dataset.qrels_cls()._fields, "grade", NONE)
    try:
        rows = [tuple(getattr(row, field) for field in columns.values()) for row in dataset.qrels_iter()]
    except (RuntimeError, OSError) as error:
        problem = "its judgments are not on this machine and could not be downloaded"
        raise InputError(f"{problem}; see the catalogue of ir_datasets ({reason_of(error)})") from None
    return table_of_rows(rows, tuple(columns)[2:]), layout_of(columns)


def load_dataset(name: str) -> Any:
    """Return the dataset of this name; nothing is downloaded before it is read."""
    try:
        import ir_datasets
    except ModuleNotFoundError:
        raise missing_package("ir-datasets", f"irds:{name}") from None
    try:
        return ir_datasets.load(name)
    except KeyError:
        raise InputError("ir_datasets has no dataset of this name, see its catalogue") from None
