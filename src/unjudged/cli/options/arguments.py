"""Arguments that commands share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, Token

from unjudged.cli.standard_error import warn
from unjudged.errors import InputError, UsageError
from unjudged.measures.names import parse_measure, parse_measures
from unjudged.measures.registry import Measure
from unjudged.rankings.judgments import Judgments


def _path_or_standard_output(_: object, tokens: Sequence[Token]) -> Path | None:
    """A file to write; a hyphen is standard output, as it is standard input among the files to read."""
    name = tokens[0].value
    if name.startswith("-") and name != "-":
        raise ValueError(f"expected the name of a file, found {name}")
    return None if name == "-" else Path(name)


File = Annotated[str, Parameter(allow_leading_hyphen=True)]
Format = Literal["table", "csv", "tsv", "json", "jsonl", "markdown", "latex", "html", "parquet"]
Conflicts = Literal["error", "first", "last", "highest"]
Judged = Annotated[list[str] | None, Parameter(("-j", "--judged"), negative="")]
Measures = Annotated[list[str] | None, Parameter(("-m", "--measure"), negative="")]
OUTPUT = Parameter(("-o", "--output"), converter=_path_or_standard_output, allow_leading_hyphen=True)
Output = Annotated[Path | None, OUTPUT]
Groups = Annotated[str | None, Parameter(("-g", "--groups"))]
Decimals = Annotated[int, Parameter("--decimals")]
Plot = Annotated[Path | None, Parameter("--plot")]
one_measure = parse_measure
DESIGN = b"unjudged-design"
"""How the file of a drawn sample begins."""


CONDITION = "if every document of the pool could be drawn"
"""What estimates from a sample assume; a design for P@10, for example, draws among the first ten only."""


def check_files(files: Sequence[str]) -> None:
    """Refuse an unknown option or measure where a file was expected, and standard input given twice."""
    for file in files:
        if file.startswith("--"):
            raise UsageError(f"unknown option {file}: --help lists the options")
        if "@" in file and "/" not in file and not os.path.exists(file):
            raise UsageError(f"{file}: neither a file nor a measure (`unjudged measures` lists those)")
    if list(files).count("-") > 1:
        raise UsageError("standard input (-) can be read only once")


def read_judgments(
    qrels: str, judged: Sequence[str] | None, conflicts: Conflicts = "error", *, fractions: bool = False
) -> Judgments:
    """The judgments and those of further files; what the files agree and differ on goes to standard error."""
    read = Judgments.with_fractions if fractions else Judgments.read
    judgments = _from_design(qrels) if _is_design(qrels) else read(qrels)
    if judged:
        from unjudged.predictions.combining import combine

        for file in judged:
            combined = combine(judgments, file, conflicts)
            judgments = combined.judgments
            for note in combined.notes():
                warn(f"{file}: {note}")
    return judgments


def suggest_estimates(judgments: Judgments, measures: Sequence[Measure]) -> None:
    """Where judgments are a recorded sample, name the measures that use it, unless one was asked for."""
    if judgments.chosen or any(m.traits.estimates for m in measures if m.name != "infAP"):
        return
    if (rank := judgments.drawn_to) is not None:
        below = f"nothing is known of documents that every run has below rank {rank}"
        warn(f"these judgments are a sample: statP@{rank} estimates P@{rank} from them; {below}.")
    elif judgments.probability is not None:
        warn(f"these judgments record inclusion probabilities: statAP estimates AP from them, {CONDITION}.")
    elif judgments.stratum is not None:
        warn(f"these judgments record strata: xinfAP and statAP estimate AP from them, {CONDITION}.")


def _is_design(file: str) -> bool:
    """Whether a file records a drawn sample; pipes are left alone, because they can be read only once."""
    path = Path(file)
    if not path.is_file():
        return False
    with suppress(OSError), path.open("rb") as stream:
        return stream.read(len(DESIGN)) == DESIGN
    return False


def _from_design(file: str) -> Judgments:
    from unjudged.predictions.judging_design import JudgingDesign

    return JudgingDesign.of(file).judgments


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
    from unjudged import groups

    names = list(runs)
    is_pattern = "(" in given
    group_of = groups.groups_by_pattern(given, names) if is_pattern else groups.read_groups(given)
    if not group_of.keys() & set(names):
        problem = "matches" if is_pattern else "lists"
        raise InputError(f"{given}: {problem} none of the runs: expected names such as {names[0]!r}")
    return group_of
