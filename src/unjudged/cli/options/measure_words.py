"""`-m AP nDCG@10`: several measures after one option."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

OPTIONS = ("-m", "--measure", "--measures")


def separate_measures(words: Sequence[str]) -> list[str]:
    """The words of a command line with one `-m` per measure.

    `-m` always takes the next word. It takes each word after that which names a measure, up to the first that
    does not, or that names a file: so measures never swallow runs. A quoted list is several measures, too.

    >>> separate_measures(["evaluate", "-m", "AP", "nDCG@10", "qrels.txt", "bm25.run"])
    ['evaluate', '-m', 'AP', '-m', 'nDCG@10', 'qrels.txt', 'bm25.run']
    >>> separate_measures(["evaluate", "-m", "AP RBP(p=0.8, rel=2)"])
    ['evaluate', '-m', 'AP', '-m', 'RBP(p=0.8, rel=2)']
    """
    separated: list[str] = []
    listing = False
    for n, word in enumerate(words):
        if word == "--":
            return [*separated, *words[n:]]
        after_option = n > 0 and words[n - 1] in OPTIONS
        if not after_option and listing and _is_measure_not_file(word):
            separated.append(OPTIONS[0])
        else:
            listing = after_option
        first, *others = _words(word) if after_option else [word]
        separated += [first, *(part for other in others for part in (OPTIONS[0], other))]
    return separated


def _words(text: str) -> list[str]:
    """The parts of a quoted list of measures: between spaces that no bracket or comma is at."""
    parts = re.findall(r"(?:\s*,\s*|[^\s(),]|\([^()]*\))+", text)
    return parts if re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text) and parts else [text]


def _is_measure_not_file(word: str) -> bool:
    from unjudged.measures.kernel.names import is_measure

    return not word.startswith("-") and not os.path.exists(word) and is_measure(word)
