"""Objects of other libraries, as what the readers take: ranx, trectools, datasets; ir_datasets by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from unjudged.base.errors import InputError, missing_package, reason_of
from unjudged.formats.columns import NONE, Layout, columns_of, layout_of
from unjudged.formats.readers.arrow.frames import is_frame
from unjudged.formats.readers.memory.mappings import table_of_rows
from unjudged.formats.tables import Table

DATASET = "irds:"
"""Begins the name of a dataset of ir_datasets, which stands for a file."""
FRAMES = ("run_data", "qrels_data")
"""Where trectools' objects keep their frame of pandas."""


def is_foreign(source: Any) -> bool:
    """Whether an object is of one of these libraries; the columns of a frame may have the same names."""
    if is_frame(source):
        return False
    return _is_dataset(source) or _is_of_ranx(source) or _frame_of(source) is not None


def native(source: Any) -> Any:
    """What the readers take instead of an object of another library; anything else as it is."""
    if not is_foreign(source):
        return source
    if _is_dataset(source):
        return source.with_format("arrow")[:]
    if _is_of_ranx(source):
        return source.to_dict()
    return _frame_of(source)


def name_of(source: Any) -> str | None:
    """Return the name that a run of ranx carries."""
    name = source.name if is_foreign(source) and _is_of_ranx(source) else None
    return name if isinstance(name, str) and name else None


def _is_dataset(source: Any) -> bool:
    return hasattr(source, "with_format") and hasattr(source, "column_names")


def _is_of_ranx(source: Any) -> bool:
    return hasattr(source, "to_dict") and (hasattr(source, "qrels") or hasattr(source, "run"))


def _frame_of(source: Any) -> Any:
    return next((frame for name in FRAMES if (frame := getattr(source, name, None)) is not None), None)


def dataset_judgments(source: str) -> tuple[Table, Layout]:
    """Return the judgments of a dataset, which ir_datasets downloads if needed."""
    named: list[dict[str, str]] = []

    def rows(dataset: Any) -> Iterable[tuple[Any, ...]]:
        named.append(columns_of(dataset.qrels_cls()._fields, "grade", NONE))
        for row in dataset.qrels_iter():
            yield tuple(getattr(row, field) for field in named[0].values())

    judged = list(dataset_rows(source, "judgments", "qrels", rows))
    return table_of_rows(judged, tuple(named[0])[2:]), layout_of(named[0])


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
