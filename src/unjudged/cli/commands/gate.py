"""`unjudged gate`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from math import isnan, nan
from typing import Annotated, Literal

from unjudged.base.errors import UsageError, quoted
from unjudged.base.wording import shortlist
from unjudged.cli.arguments import (
    By,
    Depth,
    File,
    Load,
    Measures,
    Output,
    OutputFormat,
    Rel,
    measures_with_rel,
    named_file,
)
from unjudged.cli.given_arguments import usage
from unjudged.cli.input_options import JudgmentOptions
from unjudged.cli.option import Option
from unjudged.cli.output import (
    beside_standard_error,
    check_decimals,
    check_output,
    show,
    show_grids,
    wrapped,
)
from unjudged.cli.standard_streams import already_said, reading
from unjudged.cli.table_options import TableOptions
from unjudged.evaluation.collection import Collection
from unjudged.evaluation.scores import Scores
from unjudged.formats.sources import expanded
from unjudged.inference.gate import JudgingName
from unjudged.questions.gate import gate as ask
from unjudged.questions.sources import DEFAULT
from unjudged.results.grid import DECIMALS

WITH_TABLE = "gate --scores TABLE --old OLD --new NEW --margin 0.01"


def gate(
    qrels: File,
    /,
    *runs: File,
    margin: list[str],
    measures: Measures = None,
    _load: Load = None,
    rel: Rel = None,
    depth: Depth = None,
    alpha: float = 0.05,
    by: By = None,
    if_undecided: Annotated[Literal["pass", "fail"] | None, Option("--undecided")] = None,
    judging: JudgingName = "seen",
    old: str | None = None,
    new: str | None = None,
    inputs: JudgmentOptions = JudgmentOptions(),
    tables: TableOptions = TableOptions(),
    format: OutputFormat = None,
    output: Output = None,
    decimals: int = DECIMALS,
) -> None:
    """Let a build pass or fail: is the new run worse than the old one by more than a margin?

    The exit code is 0 if the new run is not worse by more than the margin, 1 if it is, 2 if these queries and
    judgments cannot tell, and 3 if something is wrong with the input. Both other queries and the unjudged
    documents count. With --scores the files are tables of scores by query: `unjudged gate --scores OLD NEW`.

    Parameters
    ----------
    qrels
        The judgments; with --scores a table of scores.
    runs
        The old run and the new one; with --scores further tables.
    margin
        The loss that does not matter, in units of the measure; or that of each measure, as in --margin
        nDCG@10=0.01,R@100=0.02. May be repeated.
    measures
        A measure; may be repeated, and then none may be worse. The default is those that --margin names, else
        nDCG@10, or with --scores all that the table has.
    alpha
        The probability of passing a run that is worse by the margin or more, and of failing one that is not.
    if_undecided
        What an undecided result counts as: pass (exit code 0) or fail (1). By default its exit code is 2.
    judging
        What to assume of the unjudged documents that favour either run: that they are relevant as often as
        the judged ones (seen), whatever is worst and best for the new run (worst), or none (as-judged).
    old
        The old system, if a table has several.
    new
        The new system, if a table has several.
    decimals
        The number of decimals in a table.

    Examples
    --------
    unjudged gate qrels.txt lexical.run fused.run --margin 0.01
    unjudged gate qrels.txt lexical.run fused.run --margin nDCG@10=0.01,R@100=0.02
    unjudged gate qrels.txt lexical.run fused.run --margin 0.01 --format markdown
    """
    chosen = check_output(format, output)
    check_decimals(decimals, chosen)
    losses = _margins(margin)
    if measures is None and isinstance(losses, dict):
        measures = list(losses)
    if tables.check(inputs, rel=rel, depth=depth):
        for file in runs:
            if not any(map(os.path.exists, expanded(named_file(file)[1]))):
                remedy = "name systems of one table by --old and --new"
                raise UsageError(f"{file}: no such file; {remedy}: unjudged {WITH_TABLE}")
        scores = tables.read([qrels, *runs], inputs, measures, by)
        before, after = _names(scores, old, new, len(runs) + 1)
        segments = scores.segments or by
        result = ask(
            scores,
            before,
            after,
            margin=losses,
            alpha=alpha,
            segments=segments,
            judging=judging,
            undecided=if_undecided,
        )
    else:
        if (old, new) != (None, None):
            raise UsageError("--old and --new name systems of a table: they go with --scores")
        named = inputs.runs(runs, least=2, or_scores=True)
        if len(named) > 2:
            raise UsageError(f"there are {len(named)} runs, expected an old one and a new one: {usage()}")
        asked = measures_with_rel(measures or [DEFAULT], rel)
        if isinstance(losses, dict):
            losses = {
                str(own): loss for name, loss in losses.items() for own in measures_with_rel([name], rel)
            }
        with reading(len(named)) as on_read:
            judged = inputs.read(qrels, fractions=True, or_scores=True)
            collection = Collection(judged, named, on_read=on_read)
            before, after = named
            result = ask(
                collection,
                before,
                after,
                asked,
                margin=losses,
                alpha=alpha,
                segments=by,
                judging=judging,
                undecided=if_undecided,
                depth=depth,
            )
    if chosen == "table" and len(result.checks) == 1:
        show(wrapped([result.sentence(), *result.notes]), output)
        if beside_standard_error(output):
            already_said(result.notes)
    else:
        show_grids(result.grid(decimals=decimals), format, output)
    sys.exit(result.code())


def _margins(words: Sequence[str]) -> float | dict[str, float]:
    """Return one margin, or one per measure, from words such as 0.01 or nDCG@10=0.01,R@100=0.02."""
    parts = [part for word in words for part in re.split(r",(?![^(]*\))", word)]
    by_measure: dict[str, float] = {}
    for part in parts:
        name, equals, number = part.rpartition("=")
        try:
            margin = float(number)
        except ValueError:
            margin = nan
        if isnan(margin) or bool(name) != bool(equals) or (not name and len(parts) > 1):
            expected = "expected a number such as 0.01, or MEASURE=NUMBER for each measure"
            raise UsageError(f"--margin has {quoted(part)}, {expected}")
        if name in by_measure:
            raise UsageError(f"--margin names {name} twice")
        if not name:
            return margin
        by_measure[name] = margin
    return by_measure


def _names(scores: Scores, old: str | None, new: str | None, files: int) -> Sequence[str]:
    """Return the old and the new system: as named, or the other of two, or in the order of two files."""
    runs = list(scores.runs)
    if len(runs) == 2 and (old in runs or new in runs):
        old = old or next(run for run in runs if run != new)
        new = new or next(run for run in runs if run != old)
    elif (old, new) == (None, None) and len(runs) == files == 2:
        old, new = runs
    if old is None or new is None:
        which = "say which system is old and which is new, with --old and --new"
        raise UsageError(f"{which}: there are {shortlist(runs)}")
    return old, new
