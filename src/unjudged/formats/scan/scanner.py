"""The scanner in use: the compiled one, or its plain-Python twins where nothing was compiled."""

from __future__ import annotations

try:
    from unjudged.formats.scan.compiled import (
        KIND_OF_SCANNER,
        PARTS,
        GroupedRows,
        Index,
        UnorderedRows,
        best_first,
        match_dicts,
        match_mapping,
        match_table,
        nested_rows,
        number_names,
        read_table,
        scan_run,
        scan_unordered,
        table_of_dicts,
    )
    from unjudged.formats.scan.compiled_objects import ids_of_strings, stretches_of_strings
    from unjudged.formats.scan.compiled_scattered import match_scattered
except ModuleNotFoundError as error:
    compiled = [f"unjudged.formats.scan.compiled{part}" for part in ("", "_objects", "_scattered")]
    if error.name not in compiled:  # it was compiled, and one of its imports is broken
        raise
    from unjudged.formats.scan.plain import KIND_OF_SCANNER, Index, best_first, match_table, number_names
    from unjudged.formats.scan.plain_mappings import match_dicts, match_mapping, nested_rows, table_of_dicts
    from unjudged.formats.scan.plain_objects import ids_of_strings, stretches_of_strings
    from unjudged.formats.scan.plain_scattered import match_scattered
    from unjudged.formats.scan.plain_text import read_table, scan_run
    from unjudged.formats.scan.plain_unordered import PARTS, GroupedRows, UnorderedRows, scan_unordered

__all__ = [
    "KIND_OF_SCANNER",
    "PARTS",
    "GroupedRows",
    "Index",
    "UnorderedRows",
    "best_first",
    "ids_of_strings",
    "match_dicts",
    "match_mapping",
    "match_scattered",
    "match_table",
    "nested_rows",
    "number_names",
    "read_table",
    "scan_run",
    "scan_unordered",
    "stretches_of_strings",
    "table_of_dicts",
]
