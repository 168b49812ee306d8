"""A name for every run: as given, of its column or tag, of its file, or a number."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from unjudged.base.errors import UsageError
from unjudged.data.frames import is_frame, runs_in_frame
from unjudged.data.sources import (
    FILE,
    expanded,
    is_one_source,
    is_row,
    kind_of_source,
    name_in_errors,
    runs_in_file,
)
from unjudged.data.streams import STANDARD_INPUT, without_links
from unjudged.rankings.runs import RunSource

SUFFIXES = (
    *(".gz", ".xz", ".zst", ".run", ".txt", ".trec", ".tsv", ".res"),
    *(".csv", ".json", ".jsonl", ".parquet", ".arrow", ".feather", ".ipc"),
)

Names = Literal["file", "tag"]
RunsSource = RunSource | Sequence[RunSource] | Mapping[str, RunSource]


def name_runs(runs: RunsSource, names: Names = "file") -> dict[str, RunSource]:
    """A name for every run: the key it has, else its file's name, else a number.

    A column `run`, `run_id` or `system` of a frame or a file with a header names the run of each row. With
    names="tag" the tag of a run names it: the sixth column of TREC text, or a column `tag`.
    """
    if names not in ("file", "tag"):
        raise UsageError(f"names is {names!r}, expected 'file' or 'tag'")
    one = is_one_source(runs)
    if one and type(runs) is dict:  # looking for a name takes longer than to evaluate a few documents
        return {"run 1": runs}
    if isinstance(runs, Mapping) and not one:
        named = {str(name): run for name, run in cast("Mapping[str, RunSource]", runs).items()}
    else:
        several: list[Any] = [runs] if one else list(cast("Sequence[RunSource]", runs))
        several = [file for run in several for file in (expanded(run) if isinstance(run, str) else [run])]
        if not one and several and is_row(several[0]):
            several = [several]  # the rows of one run, from an iterator or as lists
        own: list[tuple[str | None, Any]] = []
        for i, run in enumerate(several, 1):
            with name_in_errors(run, f"run {i}"):
                own += _by_own_name(run, names == "tag")
        named = by_own_names(own)
    if not named:
        raise UsageError("no run given, expected at least one")
    return named


def _by_own_name(run: Any, by_tag: bool) -> list[tuple[str | None, Any]]:
    """Return the run with the name that it carries itself, or several if a column names them."""
    if kind_of_source(run) == FILE:
        if by_tag and os.fspath(run) == STANDARD_INPUT:
            raise UsageError("a run from standard input cannot be named by its tag: write it to a file first")
        return [*(runs_in_file(run, by_tag) or {}).items()] or [(None, run)]
    split = runs_in_frame(run, by_tag) if is_frame(run) else None
    return [(None, run)] if split is None else list(split.items())


def by_own_names(sources: Sequence[tuple[str | None, Any]]) -> dict[str, Any]:
    """Return sources by name: as given, else that of the file, with folders if two are alike, or a number."""
    found = [name or file_name(one) or f"run {i}" for i, (name, one) in enumerate(sources, 1)]
    if len(set(found)) < len(found):
        _refuse_one_file_twice(one for _, one in sources)
        found = [name or _longer_name(one) or f"run {i}" for i, (name, one) in enumerate(sources, 1)]
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise UsageError(f"run {twice!r} is given twice")
    return dict(zip(found, (one for _, one in sources), strict=True))


def _refuse_one_file_twice(runs: Iterable[Any]) -> None:
    """Refuse a file that has two names, such as `a.run` and `./a.run`."""
    files: dict[str, Any] = {}
    for run in runs:
        if file_name(run) and os.fspath(run) != STANDARD_INPUT:
            first = files.setdefault(without_links(run), run)
            if first is not run:
                again = "" if str(first) == str(run) else f", the second time as {str(run)!r}"
                raise UsageError(f"run {str(first)!r} is given twice{again}")


def _longer_name(run: Any) -> str | None:
    return str(run) if file_name(run) else None


def file_name(run: Any) -> str | None:
    """`bm25` for `results/bm25.run.gz`."""
    if kind_of_source(run) != FILE:
        return None
    if os.fspath(run) == STANDARD_INPUT:
        return "standard input"
    name = Path(run).name
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix) or name
    return name
