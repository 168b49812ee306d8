"""Words of a command line, and the call that they ask for: argv is read here and nowhere else."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from inspect import BoundArguments, signature
from itertools import pairwise

from unjudged.cli.commands import COMMANDS
from unjudged.cli.given_arguments import take_arguments
from unjudged.cli.standard_streams import complete_output

HELP = ("help", "-h", "--help")
MEASURES = ("-m", "--measure", "--measures")
"""Names of options for measures, which take several words."""

_PLAIN = {
    "-m": "measures",
    "--measure": "measures",
    "--format": "format",
    "-q": "per_query",
    "--per-query": "per_query",
}
Parsed = tuple[Callable[..., object], BoundArguments]
"""A function, of a command or of the parser, and its arguments."""


def call_of(words: Sequence[str]) -> Callable[[], object]:
    """Return the call that the words ask for, once its files are known to be safe to write."""
    if words and words[0] in HELP:
        known = not words[1:] or words[1] in COMMANDS
        words = [*words[1:], "--help"] if known else words[1:]
    if loaded := _loaded(words):
        from unjudged.measures.kernel.loading import load_measures

        load_measures(loaded)
    words = separate_measures(words)
    function, bound = plain_evaluation(words) or _parsed(words)
    call = partial(function, *bound.args, **bound.kwargs)
    if function.__module__.startswith("cyclopts"):
        return complete_output()(call)
    take_arguments(function, bound.arguments)
    return call


def _loaded(words: Sequence[str]) -> list[str]:
    """Return the files and packages of `--load`, whose measures must be known before words are told apart."""
    before = words[: words.index("--")] if "--" in words else words
    several = [word.partition("=")[2] for word in before if word.startswith("--load=")]
    return several + [word for option, word in pairwise(before) if option == "--load"]


def _parsed(words: Sequence[str]) -> Parsed:
    from unjudged.cli.parser import parse

    return parse(words)


def plain_evaluation(words: Sequence[str]) -> Parsed | None:
    """Return what the parser would for `evaluate FILE... -m MEASURE --format FORMAT -q`, or None.

    To import the parser takes as long as to score a small run. It is asked if there is any other word, or if
    something is wrong with these.
    """
    if words[:1] != ["evaluate"]:
        return None
    from unjudged.grids.rendering import FORMATS

    files: list[str] = []
    given: dict[str, list[str]] = {}
    rest = iter(words[1:])
    for word in rest:
        option = _PLAIN.get(word)
        value = word if option in (None, "per_query") else next(rest, "-")
        if option != "per_query" and value.startswith("-"):
            return None
        (files if option is None else given.setdefault(option, [])).append(value)
    once = [given.get("format", [FORMATS[0]]), given.get("per_query", [""])]
    if len(files) < 2 or any(len(values) > 1 for values in once) or once[0][0] not in FORMATS:
        return None
    function = COMMANDS["evaluate"].function
    read: dict[str, Callable[[list[str]], object]] = {"format": lambda one: one[0], "per_query": bool}
    named = {name: read.get(name, list)(values) for name, values in given.items()}
    return function, signature(function).bind(*files, **named)


def separate_measures(words: Sequence[str]) -> list[str]:
    """Return the words of a command line with one `-m` per measure.

    `-m` always takes the next word. It takes each word after that which names a measure, up to the first that
    does not, or that names a file: so measures never swallow runs. A quoted list is several measures, too.
    With `--scores`, whose tables have measures of their own, a word that looks like no file is a measure.

    >>> separate_measures(["evaluate", "-m", "AP", "nDCG@10", "qrels.txt", "bm25.run"])
    ['evaluate', '-m', 'AP', '-m', 'nDCG@10', 'qrels.txt', 'bm25.run']
    >>> separate_measures(["evaluate", "-m", "AP RBP(p=0.8, rel=2)"])
    ['evaluate', '-m', 'AP', '-m', 'RBP(p=0.8, rel=2)']
    >>> separate_measures(["compare", "--scores", "-m", "AP", "hallucination", "own.csv"])
    ['compare', '--scores', '-m', 'AP', '-m', 'hallucination', 'own.csv']
    """
    is_listed = _is_no_file if "--scores" in words else _is_measure_not_file
    separated: list[str] = []
    listing = False
    for n, word in enumerate(words):
        if word == "--":
            return [*separated, *words[n:]]
        after_option = n > 0 and words[n - 1] in MEASURES
        if not after_option and listing and is_listed(word):
            separated.append(MEASURES[0])
        else:
            listing = after_option
        first, *others = _listed(word) if after_option else [word]
        separated += [first, *(part for other in others for part in (MEASURES[0], other))]
    return separated


def _listed(text: str) -> list[str]:
    """Return the parts of a quoted list of measures: between spaces that no bracket or comma is at."""
    parts = re.findall(r"(?:\s*,\s*|[^\s(),]|\([^()]*\))+", text)
    return parts if re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text) and parts else [text]


def _is_measure_not_file(word: str) -> bool:
    from unjudged.measures.kernel.names import is_measure

    return not word.startswith("-") and not os.path.exists(word) and is_measure(word)


def _is_no_file(word: str) -> bool:
    """Whether a word can be a measure of a table: no file has this name, and it has no suffix or folder."""
    plain = not word.startswith("-") and not os.path.exists(word) and not set(word) & set("./*?[=")
    return plain or _is_measure_not_file(word)
