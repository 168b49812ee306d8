"""Commands that score systems and compare them."""

from __future__ import annotations

import re
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from unjudged.base.errors import UsageError, quoted
from unjudged.cli.opening import are_several, collections_of_words, opened, threshold_of
from unjudged.cli.options import Option, a_path, command, views
from unjudged.cli.output import form_of, progress, show, show_figure, show_result, tell, wrapped
from unjudged.results.rendering import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unjudged.base.notes import Note
    from unjudged.cli.command_line import Given
    from unjudged.results.comparison import Comparison
    from unjudged.results.evaluation import Evaluation
    from unjudged.results.fields import Row

INTERVAL = Option(
    "--interval",
    known="evidence.intervals.INTERVALS",
    help="Add an interval to each mean: bounds, calibrated, model, queries or sampling. bounds: any grades "
    'of unjudged documents, "bounds(extra_relevant=2)"; calibrated: a run like the pooled groups; model: '
    'each unjudged document is relevant with a probability, "model(prevalence=0.2)"; queries: other queries; '
    "sampling: other documents drawn. By default estimates from drawn documents have theirs, and other means "
    'their bounds. All take a confidence, as in "queries(confidence=0.9)".',
)


@command(
    "evaluate",
    "[SOURCE...]",
    "measure set",
    views("systems", "queries", "segments"),
    INTERVAL,
    "depth seed format output decimals plot",
)
def evaluate(given: Given) -> None:
    """Score systems against judgments: their means, what judging could make of them, and how much was judged.

    A measure that cannot have the interval that is asked for is printed with its mean alone and a note.

        unjudged evaluate qrels.txt *.run
        unjudged evaluate qrels.txt dense.run -m AP nDCG@10 --interval bounds
        unjudged evaluate qrels.txt *.run -m nDCG@10 --format latex -o systems.tex
    """
    import unjudged

    form_of(given)
    with opened(given) as collection, progress("estimating intervals", len(collection.runs)) as advance:
        found = unjudged.evaluate(
            collection,
            measures=given.measure,
            interval=given.interval,
            depth=given.depth,
            seed=given.seed,
            on_progress=lambda done, _: advance(done),
            threshold=threshold_of(collection, given.set),
        )
    if given.plot is not None:
        shown = None if given.interval is None else [given.interval]
        show_figure(found.plot.intervals(found.measures[0], shown), given.plot)
    tell(hardly_judged(found, given))
    view = given.view or "systems"
    show_result(found.as_view(view), given, view)


def hardly_judged(found: Evaluation, given: Given) -> Iterator[Note]:
    """Say of which systems little was judged, and which command lists what to judge."""
    from unjudged.base.notes import note
    from unjudged.results.fields import LITTLE, is_estimated

    rows = found.rows["systems"]
    estimated = {row["system"] for row in rows if is_estimated(row)}
    shares = {row["system"]: row["mean"] for row in rows if row["measure"] == "Judged@10"}
    if low := {name: share for name, share in shares.items() if share < LITTLE and name not in estimated}:
        name = min(low, key=lambda one: low[one])
        rankings = found.source.rankings
        command = "" if rankings is None else given.judge_next(rankings.judgments, [name], found.runs)
        remedy = f" What to judge: {command}" if command else ""
        yield note("hardly-judged", [name], unseen=1 - low[name], remedy=remedy)


PAIRED = views("systems", "pairs", "queries", "segments", "collections", "choices")


@command(
    "compare",
    "[SOURCE...]",
    "measure set",
    PAIRED,
    "baseline test correction alpha depth seed format output decimals plot",
)
def compare(given: Given) -> None:
    """Compare systems: which is better, would other queries say so too, and could more judging change it?

    Two systems are compared in sentences, more in a table. Of several collections there is a column each, and
    the mean over them.

        unjudged compare qrels.txt dense.run reranked.run
        unjudged compare qrels.txt *.run -m AP nDCG@10 --baseline lexical
        unjudged compare news=news.toml web=web.toml
    """
    form = FORMATS.find(form_of(given))
    if given.view == "choices":
        show_choices(given)
        return
    found = compared(given)
    two = len(found.runs) == 2 and "collections" not in found.settings
    if given.plot is not None:
        show_figure(found.plot.differences() if two else found.plot.intervals(), given.plot)
    if given.view == "queries":
        if len(found.runs) != 2:
            raise UsageError(f"--view queries is about two systems, and there are {len(found.runs)}")
        show_result(found.by_query(), given)
        return
    view = given.view or ("pairs" if two and form.exact else "systems")
    if not found.rows.get(view):
        raise UsageError(f"--view {view}: there are no {view} here; use {', '.join(found.rows)}")
    text = wrapped(found.sentences()) if two and given.view is None else ""
    after = ""
    if given.view is None:
        after = next_step(given, found.source, found.pairs, [row["system"] for row in found.systems])
    show_result(found, given, view, text=text, after=after)


def show_choices(given: Given) -> None:
    """Show two systems under every choice that could be defended."""
    import unjudged

    if are_several(given.words) or (given.measure and len(given.measure) > 1):
        raise UsageError("--view choices is about one collection, and at most one -m")
    how = {name: value for name, value in how_tested(given).items() if name not in ("baseline", "correction")}
    with opened(given) as collection:
        measure = given.measure[0] if given.measure else None
        found = unjudged.compare_choices(collection, None, measure, depth=given.depth, **how)
    if given.plot is not None:
        show_figure(found.plot.choices(), given.plot)
    show_result(found, given, "choices")


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
        tested["threshold"] = threshold_of(collection, given.set)
        return unjudged.compare(collection, measures=given.measure, depth=given.depth, **tested)


def how_tested(given: Given) -> dict[str, Any]:
    """Return how differences are tested."""
    names = ("baseline", "test", "correction", "alpha", "seed")
    return {name: getattr(given, name) for name in names if hasattr(given, name)}


OPEN = ("needs judging", "needs both")
"""Headlines after which judging is the next step."""


def next_step(given: Given, source: Any, rows: Sequence[Row], systems: Sequence[str]) -> str:
    """Return the command to go on with, where more judging is what a pair needs; the best system is first."""
    open_pairs = [row for row in rows if row["headline"] in OPEN]
    shared = getattr(source, "shared", None)
    if not open_pairs or shared is None:
        return ""
    best = min(open_pairs, key=lambda row: sorted(map(systems.index, (row["a"], row["b"]))))
    more = ["-m", best["measure"]] if given.measure else []
    command = given.judge_next(shared.original, [best["b"], best["a"]], systems, *more)
    return f"\nNext: {command}\n" if command else ""


MARGIN = Option(
    "--margin",
    action="append",
    metavar="X",
    help="The loss that does not matter, in units of the measure. By default as the description says, or 0. "
    "Of each measure: nDCG@10=0.01,R@100=0.02.",
)
JUDGING = Option(
    "--judging",
    known=("seen", "worst", "as-judged"),
    default="seen",
    help="What to assume of unjudged documents. seen: those that favour either run are relevant as often as "
    "the judged ones; as-judged: none is relevant; worst: what is worst, or best, for the new run.",
)
UNDECIDED = Option(
    "--undecided",
    known=("pass", "fail"),
    help="What an undecided result counts as. By default neither: its exit code is 2.",
)
TEST = Option(
    "--test",
    known=("t", "sequential"),
    default="t",
    help="t: for one look; sequential: for as many looks as you like while the same two runs meet more "
    "queries, from 30 on. It takes about twice as many.",
)


@command(
    "gate",
    "[SOURCE...]",
    "measure",
    MARGIN,
    "set",
    JUDGING,
    UNDECIDED,
    TEST,
    "alpha depth format output decimals",
)
def gate(given: Given) -> int:
    """Let a build pass or fail: is the new run worse than the old one by more than a margin?

    The exit code is 0 if it is not worse by more than the margin (pass), 1 if it is (fail), 2 if these
    queries and judgments cannot tell (undecided), and 3 if anything is wrong: the command line, the input, or
    an error. Both other queries and the unjudged documents count. Segments of a description are checked each.

        unjudged gate qrels.txt lexical.run fused.run --margin 0.01
        unjudged gate qrels.txt lexical.run fused.run --margin nDCG@10=0.01,R@100=0.02
        unjudged gate qrels.txt lexical.run fused.run --margin 0.01 --format markdown
    """
    import unjudged

    form = form_of(given)
    losses = None if given.margin is None else margins(given.margin)
    with opened(given) as collection:
        found = unjudged.gate(
            collection,
            measures=given.measure,
            margin=losses,
            alpha=given.alpha,
            judging=given.judging,
            undecided=given.undecided,
            test=given.test,
            depth=given.depth,
        )
    one = form == "table" and len(found.checks) == 1
    text = wrapped([found.sentence()]) if one else ""
    undecided = [row for row in found.checks if row["outcome"] == found.outcome == "undecided"]
    after = next_step(given, found.source, undecided, found.settings["systems"])
    show_result(found, given, "gate", text=text, after=after)
    return found.code()


def margins(words: list[str]) -> float | dict[str, float]:
    """Return one margin, or one per measure, from words such as 0.01 or nDCG@10=0.01,R@100=0.02."""
    parts = [part.rpartition("=") for word in words for part in re.split(r",(?![^(]*\))", word)]
    by_measure: dict[str, float] = {}
    for name, equals, number in parts:
        try:
            by_measure[name] = float(number)
        except ValueError:
            by_measure[name] = nan
        if isnan(by_measure[name]) or bool(name) != bool(equals) or (not name and len(parts) > 1):
            expected = "expected a number such as 0.01, or MEASURE=NUMBER for each measure"
            raise UsageError(f"--margin has {quoted(f'{name}{equals}{number}')}, {expected}")
    if len(by_measure) < len(parts):
        raise UsageError("--margin names a measure twice")
    return by_measure.get("", by_measure)


PAGE = Option(
    "-o", "--output", writes=True, type=a_path, required=True, metavar="PAGE", help="Write to this file."
)
TITLE = Option("--title", default="Evaluation report", metavar="TEXT", help="The title of the page.")
SUFFIXES = (".html", ".htm", "")


@command("report", "[SOURCE...]", PAGE, "measure set", INTERVAL, "baseline test correction alpha", TITLE)
def report(given: Given) -> None:
    """Write an evaluation as one page of HTML that needs neither a network nor a server.

    The page shows the systems with their ranges, the headline of every pair, the differences and the rankings
    of each query, and where judgments are missing.

        unjudged report qrels.txt *.run -o page.html
        unjudged report qrels.txt *.run -m AP nDCG@10 --baseline lexical -o page.html
        unjudged report -o page.html --title "Six systems"
    """
    from unjudged.data.sources import in_shell
    from unjudged.report.report_page import report_page

    output = given.output
    if output is not None and output.suffix.lower() not in SUFFIXES:
        raise UsageError(f"a report is a page of HTML: {output} must end in .html")

    with opened(given) as collection:
        page = report_page(
            collection,
            None,
            given.measure,
            interval=given.interval,
            title=given.title,
            command=given.line,
            source=in_shell([*given.words, *given.settings]),
            **how_tested(given),
        )
    show(page.html, output)
