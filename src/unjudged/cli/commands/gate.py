"""Let a build pass or fail: is the new run worse than the old one by more than a margin?

The exit code is 0 if it is not worse by more than the margin (pass), 1 if it is (fail), 2 if these queries
and judgments cannot tell (undecided), and 3 if anything is wrong: the command line, the input, or an error.
Both other queries and the unjudged documents count. Segments of a description are checked each.

    unjudged gate qrels.txt lexical.run fused.run --margin 0.01
    unjudged gate qrels.txt lexical.run fused.run --margin nDCG@10=0.01,R@100=0.02
    unjudged gate qrels.txt lexical.run fused.run --margin 0.01 --format markdown
"""

from __future__ import annotations

import re
from math import isnan, nan
from typing import TYPE_CHECKING

from unjudged.base.errors import UsageError, quoted
from unjudged.cli.opening import opened
from unjudged.cli.options import Option, options
from unjudged.cli.output import form_of, show_result, wrapped

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given

USAGE = "[SOURCE...]"
MARGIN = Option(
    "--margin",
    action="append",
    metavar="X",
    help="The loss that does not matter, in units of the measure. By default that of the description, or 0. "
    "Of each measure: nDCG@10=0.01,R@100=0.02.",
)
JUDGING = Option(
    "--judging",
    known=("seen", "worst", "as-judged"),
    default="seen",
    help="What to assume of unjudged documents. seen: those that favour either run are relevant as often as "
    "the judged ones; worst: whatever is worst and best for the new run; as-judged: none is relevant.",
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
OPTIONS = options("measure", MARGIN, "set", JUDGING, UNDECIDED, TEST, "alpha depth format output decimals")


def run(given: Given) -> int:
    """Ask, show the outcome, and return the exit code."""
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
            predictions=collection.predictions or None,
            depth=given.depth,
        )
    one = form == "table" and len(found.checks) == 1
    text = wrapped([found.sentence()]) if one else ""
    show_result(found, given, "gate", text=text)
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
