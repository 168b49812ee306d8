"""Questions that files answer, each with the command that does, or with the reason why none does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from unjudged.base.errors import UnjudgedError
from unjudged.collection.score_arrays import UNNAMED
from unjudged.collection.scores import Scores
from unjudged.data.sources import in_shell
from unjudged.diagnosis.recognised_files import RecognisedFile, with_gaps
from unjudged.measures.kernel.registry import MEASURES
from unjudged.questions.evaluating import evaluate
from unjudged.questions.fitting_measures import DEFAULT
from unjudged.questions.gathering import asked_about, gather
from unjudged.questions.gating import gate
from unjudged.results.fields import Row

MARGIN = 0.01
MAY_GO_ON = "May the second replace the first?", "gate"
ON_A_PAGE = "All of it on one page?", "report"


def about_tables(tables: Sequence[RecognisedFile]) -> Iterator[Row]:
    """Yield the questions about tables: about all together if each is a system, else about each."""
    together = _together(tables)
    for scores, several in [(one.content, [one]) for one in tables] if together is None else [together]:
        settings = dict.fromkeys(key for one in several for key in one.settings)
        more = [word for key in settings for word in ("--set", key)]
        yield from about_scores(scores, [one.file for one in several], more)


def _together(tables: Sequence[RecognisedFile]) -> tuple[Scores, Sequence[RecognisedFile]] | None:
    """Return the scores of several tables, if each is a system: it has one, or columns as all others."""
    names = [list(one.content.runs) for one in tables]
    if len(tables) > 1 and all(len(own) == 1 or own == names[0] for own in names):
        with suppress(UnjudgedError):
            scores, _ = with_gaps([one.file for one in tables])
            return (scores, tables) if len(scores.runs) == len(tables) else None
    return None


def about_scores(scores: Scores, files: Sequence[str], settings: Sequence[str]) -> Iterator[Row]:
    """Yield which questions a table of scores can answer, with their commands."""
    words = (*files, *settings)
    yield tried(partial(evaluate, scores), "How good is each system?", "evaluate", *words)
    if len(scores.runs) < 2:
        return
    chosen = _one_measure(scores)
    shown = scores.chosen(chosen[1:] or None)
    better = "Which is better, and could other queries reverse it?"
    yield tried(partial(gather, asked_about(shown)), better, "compare", *words, *chosen)
    old, new = scores.runs[:2]
    named = [] if len(files) == len(scores.runs) == 2 else [old, new]
    named = ["--", *named] if any(name.startswith("-") for name in named) else named
    unknown = [str(one) for one in shown.measures if one.name not in MEASURES and str(one) != UNNAMED]
    higher = [word for name in unknown[:1] for word in ("--set", f"scores.higher={name}")]
    more = (*settings, *higher, *chosen, "--margin", str(MARGIN))
    pair = (*files, *more, *named) if named[:1] == ["--"] else (*files, *named, *more)
    yield tried(partial(gate, shown, old, new, margin=MARGIN), *MAY_GO_ON, *pair)
    yield question(*ON_A_PAGE, *words, "-o", "report.html")


def _one_measure(scores: Scores) -> list[str]:
    """Return the option for one measure of quality, if the table has several measures."""
    traits = {str(measure): measure.traits for measure in scores.measures}
    names = [name for name, own in traits.items() if own.quality and own.summary != "sum"]
    plain = [name for name in names if not {*name} & {*" ,"} and not name.startswith("-")]
    if len(scores.measures) == 1 or not plain:
        return []
    return ["-m", DEFAULT if DEFAULT in plain else plain[0]]


def question(about: str, *words: str, refusal: str = "") -> Row:
    """Return a question with the words of a command that answers it, or why nothing here does."""
    command = f"unjudged {in_shell(words)}" if words else ""
    return {"question": about, "command": command, "refusal": refusal}


def tried(attempt: Callable[[], object], about: str, *words: str) -> Row:
    """Return the question, refused for the reason for which an attempt to answer it fails."""
    try:
        attempt()
    except UnjudgedError as error:
        return question(about, refusal=f"{error}.")
    return question(about, *words)
