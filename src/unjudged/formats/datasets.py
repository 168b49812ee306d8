"""Datasets of ir_datasets, by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from unjudged.base.errors import InputError, missing_package, reason_of
from unjudged.formats.columns import NONE, Layout, columns_of
from unjudged.formats.dicts import table_of_rows
from unjudged.formats.tables import Table

DATASET = "irds:"
"""Begins the name of a dataset of ir_datasets, which stands for a file."""


def dataset_judgments(source: str) -> tuple[Table, Layout]:
    """Return the judgments of a dataset, which ir_datasets downloads if needed."""
    named: list[dict[str, str]] = []

    def rows(dataset: Any) -> Iterable[tuple[Any, ...]]:
        named.append(columns_of(dataset.qrels_cls()._fields, "grade", NONE))
        for row in dataset.qrels_iter():
            yield tuple(getattr(row, field) for field in named[0].values())

    judged = list(dataset_rows(source, "judgments", "qrels", rows))
    return table_of_rows(judged, tuple(named[0])[2:]), Layout(tuple(named[0]))


def dataset_rows(source: str, what: str, part: str, read: Callable[[Any], Iterable[Any]]) -> Iterator[Any]:
    """Yield what `read` gives of the dataset `irds:<id>`; nothing is downloaded before it is read."""
    name = source.removeprefix(DATASET)
    try:
        import ir_datasets
    except ModuleNotFoundError:
        raise missing_package("ir-datasets", f"{DATASET}{name}") from None
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        problem = "ir_datasets has no dataset of this name, see its catalogue"
        raise InputError(problem, source=source) from None
    if not getattr(dataset, f"has_{part}")():
        problem = f"this dataset has no {what}; choose one of its parts that has them"
        raise InputError(problem, source=source)
    try:
        yield from read(dataset)
    except (RuntimeError, OSError) as error:
        problem = f"its {what} are not on this machine and could not be downloaded"
        problem += f"; see the catalogue of ir_datasets ({reason_of(error)})"
        raise InputError(problem, source=source) from None
