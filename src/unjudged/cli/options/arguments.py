"""Arguments that commands share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, Token

from unjudged.base.errors import InputError
from unjudged.measures.kernel.names import parse_measure, parse_measures
from unjudged.measures.kernel.registry import Measure


def _path_or_standard_output(_: object, tokens: Sequence[Token]) -> Path | None:
    """A file to write; a hyphen is standard output, as it is standard input among the files to read."""
    name = tokens[0].value
    if not name:
        raise ValueError("expected the name of a file, found none")
    if name.startswith("-") and name != "-":
        raise ValueError(f"expected the name of a file, found {name}")
    return None if name == "-" else Path(name)


File = Annotated[str, Parameter(allow_leading_hyphen=True)]
Format = Literal["table", "csv", "tsv", "json", "jsonl", "markdown", "latex", "html", "parquet"]
Judged = Annotated[list[str] | None, Parameter(("-j", "--judged"), negative="")]
Measures = Annotated[list[str] | None, Parameter(("-m", "--measure"), negative="")]
OUTPUT = Parameter(("-o", "--output"), converter=_path_or_standard_output, allow_leading_hyphen=True)
Output = Annotated[Path | None, OUTPUT]
Depth = Annotated[int | None, Parameter(("-k", "--depth"))]
Groups = Annotated[str | None, Parameter(("-g", "--groups"))]
Decimals = Annotated[int, Parameter("--decimals")]
Plot = Annotated[Path | None, Parameter("--plot")]
one_measure = parse_measure


def measures_with_rel(measures: Sequence[str], rel: float | None) -> list[Measure]:
    """The measures; `rel` is the lowest relevant grade of those that do not set their own."""
    chosen = parse_measures(measures)
    if rel is None:
        return chosen
    return [m(rel=rel) if "rel" in m.parameters and "rel" not in m.given else m for m in chosen]


def number_or_name(text: str) -> float | str:
    """A number if the text is one, else the text."""
    try:
        return float(text)
    except ValueError:
        return text


def read_groups(given: str, runs: Iterable[str]) -> dict[str, str]:
    """The groups that a file lists or a pattern finds; at least one of the runs must have one."""
    from unjudged.evaluation import groups

    names = list(runs)
    is_pattern = "(" in given
    group_of = groups.groups_by_pattern(given, names) if is_pattern else groups.read_groups(given)
    if not group_of.keys() & set(names):
        problem = "matches" if is_pattern else "lists"
        raise InputError(f"{given}: {problem} none of the runs: expected names such as {names[0]!r}")
    return group_of
