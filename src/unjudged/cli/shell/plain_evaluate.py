"""`unjudged evaluate QRELS RUN... -m MEASURE --format FORMAT -q`: these words, no others, without cyclopts.

To import cyclopts and to ask it takes longer than to score a small run. It is asked if there are other words,
or if something is wrong with these: help and complaints about words are always its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import unjudged
from unjudged.cli.options.input_files import check_files, read_judgments, suggest_estimates
from unjudged.cli.shell.output import check_output, show_grids
from unjudged.cli.shell.progress import reading
from unjudged.evaluation.evaluation import DEFAULT_MEASURES, name_runs
from unjudged.evaluation.scores import Scores
from unjudged.grids.grid import DECIMALS
from unjudged.grids.rendering import FORMATS
from unjudged.measures.kernel.names import parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import RunSource


def plain_evaluation(words: Sequence[str]) -> Callable[[], None] | None:
    """The evaluation that the words after `evaluate` ask for; None if they are not plain."""
    files: list[str] = []
    measures: list[str] = []
    formats: list[str] = []
    flags: list[str] = []
    values = {"-m": measures, "--measure": measures, "--format": formats}
    rest = iter(words)
    for word in rest:
        if word in ("-q", "--per-query"):
            flags.append(word)
            continue
        value = next(rest, "-") if word in values else word
        if value.startswith("-"):
            return None
        values.get(word, files).append(value)
    if len(files) < 2 or len(formats) > 1 or len(flags) > 1 or not set(formats) <= set(FORMATS):
        return None
    return partial(_evaluate, files, measures or DEFAULT_MEASURES, *formats, per_query=bool(flags))


def _evaluate(
    files: list[str], measures: Sequence[str], format: str | None = None, *, per_query: bool
) -> None:
    qrels, *runs = files
    check_files(files)
    check_output(format, None)
    named = name_runs(runs)
    scores = scored(lambda: read_judgments(qrels, None, fractions=True), named, parse_measures(measures))
    show_grids(replace(scores.grid(per_query), title="").rounded(DECIMALS), format)


def scored(
    read: Callable[[], Judgments],
    runs: Mapping[str, RunSource],
    measures: Sequence[Measure],
    depth: int | None = None,
) -> Scores:
    """Read the judgments and score the runs, with a bar if that takes long."""
    with reading(len(runs)) as on_read:
        judgments = read()
        suggest_estimates(judgments, measures)
        return unjudged.evaluate(judgments, runs, measures, depth=depth, on_read=on_read)
