"""Compare systems: which is better, would other queries say so too, and could more judging change it?

Two systems are compared in sentences, more in a table. Of several collections there is a column each, and
the mean over them.

    unjudged compare qrels.txt dense.run reranked.run
    unjudged compare qrels.txt *.run -m AP nDCG@10 --baseline lexical
    unjudged compare news=news.toml web=web.toml
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unjudged.base.errors import UsageError
from unjudged.cli.opening import are_several, collections_of_words, opened, predicting
from unjudged.cli.options import options, views
from unjudged.cli.output import form_of, show_figure, show_result, wrapped
from unjudged.results.rendering import FULL_PRECISION, WITHOUT_NOTES

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given
    from unjudged.results.comparison import Comparison

USAGE = "[SOURCE...]"
MOST_WORDS = 4
VIEW = views("systems", "pairs", "queries", "segments", "collections")
OPTIONS = options(
    "measure set", VIEW, "baseline test correction alpha depth seed format output decimals plot"
)


def run(given: Given) -> None:
    """Compare, and show the answer, the figure, and what to do next."""
    form = form_of(given)
    found = compared(given)
    two = len(found.runs) == 2 and "collections" not in found.settings
    if given.plot is not None:
        show_figure(found.plot.differences() if two else found.plot.intervals(), given.plot)
    if given.view == "queries":
        if len(found.runs) != 2:
            raise UsageError(f"--view queries is about two systems, and there are {len(found.runs)}")
        by_query = found.by_query()
        show_result(by_query if form in WITHOUT_NOTES else replace(by_query, view=""), given)
        return
    view = given.view or ("pairs" if two and form in FULL_PRECISION else "systems")
    if not found.rows.get(view):
        raise UsageError(f"--view {view}: there are no {view} here; use {', '.join(found.rows)}")
    text = wrapped(found.sentences()) if two and view == "systems" and "segments" not in found.rows else ""
    show_result(found, given, view, text=text if given.view is None else "", after=next_step(found, given))


def compared(given: Given) -> Comparison:
    """Compare the systems of one collection, or over several."""
    import unjudged

    tested = how_tested(given)
    if are_several(given.words):
        if given.measure and len(given.measure) > 1:
            raise UsageError(f"{len(given.measure)} measures are given: collections are compared by one")
        named, measure = collections_of_words(given), given.measure[0] if given.measure else None
        tested = {name: value for name, value in tested.items() if value is not None}
        return unjudged.compare_collections(named, measure, depth=given.depth, **tested)
    with opened(given) as collection:
        tested |= predicting(collection, given.set)
        return unjudged.compare(collection, measures=given.measure, depth=given.depth, **tested)


def how_tested(given: Given) -> dict[str, Any]:
    """Return how differences are tested."""
    names = ("baseline", "test", "correction", "alpha", "seed")
    return {name: getattr(given, name) for name in names if hasattr(given, name)}


def next_step(found: Comparison, given: Given) -> str:
    """Return the command to go on with, where more judging is what it needs."""
    from shlex import join

    from unjudged.rankings.runs import file_name

    open_pairs = [row for row in found.pairs if row["headline"] in ("needs judging", "needs both")]
    if not open_pairs or getattr(found.source, "shared", None) is None or given.view is not None:
        return ""
    words = list(given.words)
    if len(words) > MOST_WORDS:  # one pair is a start
        pair = [open_pairs[0]["b"], open_pairs[0]["a"]]
        words = [words[0], *(word for word in words[1:] if word in pair or file_name(word) in pair)]
    words += ["-m", open_pairs[0]["measure"]] if given.measure else []
    words += [part for text in given.set for part in ("--set", text)]
    return f"\nNext: {join(['unjudged', 'next', *words, '-n', '100', '-o', 'to-judge.qrels'])}\n"
