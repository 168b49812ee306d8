"""The scanner in use: the compiled one, or its plain-Python twins where nothing was compiled."""

from __future__ import annotations

import os

from unjudged.base.errors import UnjudgedWarning, announce

try:
    from unjudged.data.scan.compiled.native import (
        KIND_OF_SCANNER,
        PARTS,
        DocumentNumbers,
        GroupedRows,
        Index,
        UnorderedRows,
        best_first,
        count_grades,
        ends_of_precision,
        environment_variable,
        ids_of_numbers,
        ids_of_strings,
        match_dicts,
        match_table,
        nested_rows,
        number_names,
        read_table,
        scan_run,
        scan_unordered,
        stretches_of_strings,
        sum_best_gains,
        sum_gains,
        sum_precisions,
        table_of_dicts,
        take_names,
    )
except ModuleNotFoundError as error:
    if error.name != "unjudged.data.scan.compiled.native":  # one of its imports is broken
        raise
    from unjudged.data.scan.plain.matcher import (
        KIND_OF_SCANNER,
        PARTS,
        DocumentNumbers,
        GroupedRows,
        Index,
        UnorderedRows,
        best_first,
        environment_variable,
        ids_of_numbers,
        ids_of_strings,
        match_dicts,
        match_table,
        nested_rows,
        number_names,
        stretches_of_strings,
        table_of_dicts,
        take_names,
    )
    from unjudged.data.scan.plain.ranking_sums import (
        count_grades,
        ends_of_precision,
        sum_best_gains,
        sum_gains,
        sum_precisions,
    )
    from unjudged.data.scan.plain.text import read_table, scan_run, scan_unordered

__all__ = [
    "KIND_OF_SCANNER",
    "PARTS",
    "DocumentNumbers",
    "GroupedRows",
    "Index",
    "UnorderedRows",
    "best_first",
    "count_grades",
    "ends_of_precision",
    "environment_variable",
    "ids_of_numbers",
    "ids_of_strings",
    "match_dicts",
    "match_table",
    "nested_rows",
    "number_names",
    "read_table",
    "scan_run",
    "scan_unordered",
    "stretches_of_strings",
    "sum_best_gains",
    "sum_gains",
    "sum_precisions",
    "table_of_dicts",
    "take_names",
]

LARGE = 10_000_000
"""Bytes of text above which reading with plain Python takes seconds."""

_ANNOUNCED: set[str] = set()


def announce_slow_reader(file: str | os.PathLike[str]) -> None:
    """Warn once per process that plain Python reads this file, if it is large."""
    if KIND_OF_SCANNER == "compiled" or _ANNOUNCED or os.path.getsize(file) < LARGE:
        return
    _ANNOUNCED.add(os.fspath(file))
    problem = "the compiled reader is missing, so files are read by plain Python, which is many times slower"
    remedy = (
        "install a wheel, or install a C compiler and then unjudged again (pip install --force-reinstall)"
    )
    announce([UnjudgedWarning(f"{problem}: {remedy}.")])
