"""Names for runs: the key they are given by, a column, a tag, or their file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from unjudged.base.errors import UsageError
from unjudged.formats.columns import NONE
from unjudged.formats.files import expanded, runs_in_file
from unjudged.formats.inputs import FILE, is_one_source, is_row, kind_of_source, name_in_errors
from unjudged.formats.readers.arrow.frames import is_frame
from unjudged.formats.readers.memory.other_libraries import is_foreign, name_of, native
from unjudged.formats.readers.several_runs import split_frame
from unjudged.formats.streams import STANDARD_INPUT
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
        found = [name or _file_name(run) or f"run {i}" for i, (name, run) in enumerate(own, 1)]
        if len(set(found)) < len(found):
            _refuse_one_file_twice(run for _, run in own)
            found = [name or _longer_name(run) or f"run {i}" for i, (name, run) in enumerate(own, 1)]
        if len(set(found)) < len(found):
            twice = next(name for name in found if found.count(name) > 1)
            raise UsageError(f"run {twice!r} is given twice")
        named = dict(zip(found, (run for _, run in own), strict=True))
    if not named:
        raise UsageError("no run given, expected at least one")
    return named


def _by_own_name(run: Any, by_tag: bool) -> list[tuple[str | None, Any]]:
    """The run with the name that it carries itself, or several if a column names them."""
    if kind_of_source(run) == FILE:
        if by_tag and os.fspath(run) == STANDARD_INPUT:
            raise UsageError("a run from standard input cannot be named by its tag: write it to a file first")
        return [*(runs_in_file(run, by_tag) or {}).items()] or [(None, run)]
    frame = native(run) if is_foreign(run) else run
    split = split_frame(frame, NONE, by_tag) if is_frame(frame) else None
    return [(name_of(run), run)] if split is None else list(split.items())


def _refuse_one_file_twice(runs: Iterable[Any]) -> None:
    """Refuse a file that has two names, such as `a.run` and `./a.run`."""
    files: dict[str, Any] = {}
    for run in runs:
        if _file_name(run) and os.fspath(run) != STANDARD_INPUT:
            first = files.setdefault(os.path.realpath(run), run)
            if first is not run:
                again = "" if str(first) == str(run) else f", the second time as {str(run)!r}"
                raise UsageError(f"run {str(first)!r} is given twice{again}")


def _longer_name(run: Any) -> str | None:
    return str(run) if _file_name(run) else None


def _file_name(run: Any) -> str | None:
    """`bm25` for `results/bm25.run.gz`."""
    if kind_of_source(run) != FILE:
        return None
    path = Path(run)
    if os.fspath(run) == STANDARD_INPUT:
        return "standard input"
    for suffix in SUFFIXES:
        path = path.with_suffix("") if path.suffix == suffix else path
    return path.name
