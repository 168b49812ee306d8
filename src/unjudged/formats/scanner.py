"""The scanner in use: the compiled one, or its plain-Python twin where nothing was compiled."""

from __future__ import annotations

try:
    from unjudged.formats.scan import (
        KIND_OF_SCANNER,
        Index,
        best_first,
        match_mapping,
        match_table,
        nested_rows,
        read_table,
        scan_run,
    )
except ModuleNotFoundError:
    from unjudged.formats.mapping_reference import match_mapping, nested_rows
    from unjudged.formats.scan_reference import (
        KIND_OF_SCANNER,
        Index,
        best_first,
        match_table,
        read_table,
        scan_run,
    )

__all__ = [
    "KIND_OF_SCANNER",
    "Index",
    "best_first",
    "match_mapping",
    "match_table",
    "nested_rows",
    "read_table",
    "scan_run",
]
