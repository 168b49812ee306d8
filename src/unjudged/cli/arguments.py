"""Arguments that commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from unjudged.base.choices import Format, TiesName
from unjudged.base.errors import InputError, UsageError
from unjudged.cli.files import reads
from unjudged.cli.option import Option
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.results.rendering import FORMATS


def _path_or_standard_output(name: str) -> Path | None:
    """Return a file to write; a hyphen is standard output, as it is standard input among files to read."""
    if not name:
        raise UsageError("--output needs the name of a file: is a variable of the shell not set?")
    return None if name == "-" else Path(name)


def listed_measures(text: str) -> list[str]:
    """Return the measures in a word: lists have commas, or spaces that no bracket or comma is at.

    >>> listed_measures("AP RBP(p=0.8, rel=2)")
    ['AP', 'RBP(p=0.8, rel=2)']
    """
    if os.path.isfile(text):
        from unjudged.measures.kernel.names import is_measure

        if not is_measure(text):
            raise UsageError(f"{text} is a file, not a measure: files come before -m")
    reads(re.findall(r"""['"]([^'"]+)['"]""", text))  # as in infAP(actual='complete.qrels')
    parts = re.findall(r"(?:\s*,\s*|[^\s(),]|\([^()]*\))+", text)
    return parts if re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text) and parts else [text]


def one_measure(text: str) -> str:
    """Return a measure as it is given, once its files are known."""
    listed_measures(text)
    return text


def load(source: str) -> str:
    """Load measures from a file of Python or a package."""
    from unjudged.measures.kernel.loading import load_measures

    load_measures([source])
    return source


TO_FILE = "Write to this file. Default: standard output."
OUTPUT = Option("-o", "--output", writes=True, read=_path_or_standard_output, help=TO_FILE)
FORMAT = (
    "The output format. By default the suffix of the output file decides, or else it is text; csv, tsv, "
    "json, jsonl and parquet are one table with full precision."
)
BY_GROUP = (
    "A file of lines `run group`, or a pattern such as '(.*?)-' whose first bracket is the group in a run's "
    "name."
)
AGAINST = "The name of the run that the others are compared with, instead of all pairs."
LOWEST = "The lowest grade that counts as relevant, for every measure that does not set its own."
UP_TO = (
    "The depth of the rankings: scores use only the documents up to this rank. (In `pool` and `calibrate` it "
    "is the depth of the pool.)"
)
POOLED_TO = (
    "The depth of the pool: the rank up to which the runs were judged. (In `evaluate` and `compare` it is "
    "the depth of the rankings that are scored.)"
)
SEGMENTS = (
    "Segments of the queries: a file of lines `query segment` or `query,segment`, a table with these columns "
    "(FILE:COLUMN if its segments have another name), a JSON mapping, or with --scores a column of the table."
)
POOL_REACHED = (
    "The rank to which runs were pooled: in bounds and headlines, documents that every run has below it "
    "count as nonrelevant. Judgments that record the depth of their pool need not be told."
)
SAME_SCORE = (
    "What to do with documents of the same score: order (names descending, as trec_eval) or expected (the "
    "mean over all orders of them)."
)
FROM_FILE = (
    "A file of Python with measures of your own, or the name of an installed package that offers some; may "
    "be repeated. Its code is run."
)
WITHOUT_HEADER = (
    "Write no comments at the start of the file. They say how it was made, and later commands read them; not "
    "every tool does. Default: with comments."
)

KIND = "Read the predictions as grades or as scores, whatever the file looks like."

File = Annotated[str, Option(reads=True)]
InputFile = Annotated[str | None, Option(reads=True)]
NamedFiles = Annotated[list[str] | None, Option(reads=True)]
Output = Annotated[Path | None, OUTPUT]
Plot = Annotated[Path | None, Option(writes=True)]
OutputFormat = Annotated[Format | None, Option("-f", "--format", choices=FORMATS, help=FORMAT)]
Measures = Annotated[list[str] | None, Option("-m", "--measure", words=True, read=listed_measures)]
OneMeasure = Annotated[str, Option("-m", "--measure", read=one_measure)]
Rel = Annotated[float | None, Option(help=LOWEST)]
Depth = Annotated[int | None, Option("-k", "--depth", help=UP_TO)]
BoundsDepth = Annotated[int | None, Option("--pool-depth", help=POOL_REACHED)]
Ties = Annotated[TiesName, Option(help=SAME_SCORE)]
Load = Annotated[list[str] | None, Option(reads=True, read=load, help=FROM_FILE)]
"""Loaded when the command line is read, so that no command needs the value."""
PoolDepth = Annotated[int, Option("-k", "--depth", help=POOLED_TO)]
Groups = Annotated[str | None, Option("-g", "--groups", reads=True, help=BY_GROUP)]
Baseline = Annotated[str | None, Option("-b", "--baseline", help=AGAINST)]
PerQuery = Annotated[bool, Option("-q", "--per-query")]
Kind = Annotated[Literal["grades", "scores"] | None, Option(help=KIND)]
By = Annotated[str | None, Option("--by", reads=True, help=SEGMENTS)]
Header = Annotated[bool, Option("--no-header", help=WITHOUT_HEADER)]


def measures_with_rel(measures: Iterable[MeasureLike], rel: float | None) -> list[Measure]:
    """Return the measures; `rel` is the lowest relevant grade of those that do not set their own."""
    chosen = parse_measures(measures)
    if rel is None:
        return chosen
    return [m(rel=rel) if "rel" in m.parameters and "rel" not in m.given else m for m in chosen]


def named_file(word: str) -> tuple[str | None, str]:
    """Return the name, if it has one, and the file of `NAME=FILE` or `FILE`."""
    name, equals, file = word.partition("=")
    if not equals or os.path.exists(word):
        return None, word
    if not name or not file:
        raise UsageError(f"{word}: expected NAME=FILE, or a file")
    return name, file


def named_files(files: Iterable[str]) -> dict[str, str]:
    """Return files by name: the one before an equals sign, or that of the file."""
    from unjudged.evaluation.collection import file_name

    named: dict[str, str] = {}
    for given, file in map(named_file, files):
        name = given or file_name(file) or file
        if name in named:
            raise UsageError(f"two sources are called {name!r}: name them, as in first={file}")
        named[name] = file
    return named


def read_groups(given: str, runs: Iterable[str]) -> dict[str, str]:
    """Return the groups that a file lists or a pattern finds; at least one of the runs must have one."""
    from unjudged.evaluation import groups

    names = list(runs)
    is_pattern = "(" in given
    group_of = groups.groups_by_pattern(given, names) if is_pattern else groups.read_groups(given)
    if not group_of.keys() & set(names):
        problem = "matches" if is_pattern else "lists"
        raise InputError(f"{given}: {problem} none of the runs: expected names such as {names[0]!r}")
    return group_of
