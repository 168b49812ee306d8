"""Questions that tables of scores answer, with commands that work for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from unjudged.base.errors import UnjudgedError
from unjudged.comparison.gate import GATED, gate
from unjudged.comparison.systems import compare
from unjudged.diagnosis.diagnosis import Question, asked, tried
from unjudged.diagnosis.recognised_files import ZERO, RecognisedFile, gaps_of
from unjudged.evaluation.scores import Scores

MAY_GO_ON = "May a build go on in which the second replaces the first?"
ON_A_PAGE = "All of it on one page?"
MARGIN = 0.01


def about_tables(tables: Sequence[RecognisedFile]) -> Iterator[Question]:
    """Yield the questions about tables: about all together if each is a system, else about each."""
    together = _together(tables)
    if together is not None:
        files, gaps = [one.file for one in tables], gaps_of(together)
        yield from _about(together, files, ZERO if gaps else (), named=len(tables) > 2)
    for one in tables if together is None else ():
        yield from _about(one.content, [one.file], one.options, named=True)


def _together(tables: Sequence[RecognisedFile]) -> Scores | None:
    """Return the scores of several tables, if each is a system: it has one, or columns as all others."""
    names = [list(one.content.runs) for one in tables]
    if len(tables) > 1 and all(len(own) == 1 or own == names[0] for own in names):
        with suppress(UnjudgedError):
            scores = Scores.of([one.file for one in tables], missing="zero")
            return scores if len(scores.runs) == len(tables) else None
    return None


def _about(
    scores: Scores, files: Sequence[str], options: Sequence[str], *, named: bool
) -> Iterator[Question]:
    words = ("--scores", *files, *options)
    spread = "What would other queries show of each system?"
    yield tried(partial(scores.estimate, "queries"), spread, "evaluate", *words, "--interval", "queries")
    if len(scores.runs) < 2:
        return
    chosen = _one_measure(scores)
    shown = scores.chosen(chosen[1:] or None)
    yield tried(
        partial(compare, shown), "Which system is better on other queries?", "compare", *words, *chosen
    )
    old, new = scores.runs[:2]
    names = _option("--old", old) + _option("--new", new) if named else []
    passed = partial(gate, shown, old, new, margin=MARGIN)
    yield tried(passed, MAY_GO_ON, "gate", *words, *names, *chosen, "--margin", str(MARGIN))
    yield asked(ON_A_PAGE, "report", *words, "-o", "report.html")


def _one_measure(scores: Scores) -> list[str]:
    """Return the option for one measure of quality, if the table has several measures."""
    traits = {str(measure): measure.traits for measure in scores.measures}
    names = [name for name, own in traits.items() if own.quality and own.summary != "sum"]
    plain = [name for name in names if not {*name} & {*" ,"} and not name.startswith("-")]
    if len(scores.measures) == 1 or not plain:
        return []
    return ["-m", GATED if GATED in plain else plain[0]]


def _option(name: str, value: str) -> list[str]:
    """Return an option and its value, in one word if the value looks like another option."""
    return [f"{name}={value}"] if value.startswith("-") else [name, value]
