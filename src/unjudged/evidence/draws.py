"""Which unjudged documents turn out relevant, completion by completion.

A document's draws depend on its identity and the seed alone: not on the other documents, the number of
runs, the number of threads or the size of a batch. Only relevant documents are enumerated, by the gaps
between them, so one that stays nonrelevant costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unjudged.evidence.prevalence import Prevalence
from unjudged.rankings.hashing import Numbers, salt, uniforms
from unjudged.rankings.judged import Floats, Integers

AT_ONCE = 1 << 14
"""How many steps of documents are computed together."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Relevant documents of some completions: `document[i]` is relevant in completion `completion[i]`.

    `share` is a uniform number that decides the document's grade there.
    """

    completion: Integers
    document: Integers
    share: Floats


def drawn_relevant(
    identity: Numbers, prevalence: Prevalence, completions: int, batch: int, seed: int
) -> Iterator[Drawn]:
    """Documents that are relevant, in batches of completions, sorted by completion, then by document."""
    gaps, thinning, grading = salt(seed, "gap"), salt(seed, "thin"), salt(seed, "grade")
    chance = prevalence.table(completions, seed)
    highest = chance.max(axis=1)
    document = np.flatnonzero(highest[prevalence.cell] > 0)
    most, own = highest[prevalence.cell[document]], identity[document]
    with np.errstate(divide="ignore"):
        scale = 1 / np.log1p(-most)
    step = np.zeros(len(document), np.int64)
    position = _gap(uniforms(own, gaps, step), scale) - 1
    none = np.zeros(0, np.int64)
    for first in range(0, completions, batch):
        last = min(first + batch, completions)
        found = [(none, none, none)]
        which = np.flatnonzero(position < last)
        at, steps = position[which], step[which]
        while len(which):
            ahead = _steps_ahead(last - at, most[which])
            following = steps[:, None] + np.arange(1, ahead + 1)
            gap = _gap(uniforms(own[which][:, None], gaps, following), scale[which][:, None])
            places = np.cumsum(np.concatenate([at[:, None], gap], axis=1), axis=1)  # documents x steps
            inside = places < last
            row, more = np.nonzero(inside[:, :ahead])
            found.append((places[row, more], which[row], steps[row] + more))
            passed = np.minimum(inside.sum(axis=1), ahead)
            at, steps = places[np.arange(len(which)), passed], steps + passed
            position[which], step[which] = at, steps
            again = np.flatnonzero(at < last)
            which, at, steps = which[again], at[again], steps[again]
        at, which, steps = map(np.concatenate, zip(*found, strict=True))
        if chance.shape[1] > 1:  # drawn with the highest probability of all completions, so thin out
            share = chance[prevalence.cell[document[which]], at] / most[which]
            kept = uniforms(own[which], thinning, steps) <= share
            at, which, steps = at[kept], which[kept], steps[kept]
        at, which, steps = _sorted(at - first, which, steps)
        which = document[which]
        yield Drawn(at + first, which, uniforms(identity[which], grading, steps))


def _steps_ahead(completions: Integers, chance: Floats) -> int:
    """How many relevant completions of each document are looked for at once: those to expect, within reason.

    Looking for many at once takes memory, and for one at a time as many turns as a document has of them.
    """
    expected = 1 + float((completions * chance).max())
    return int(min(expected, max(1, AT_ONCE // len(completions))))


def _sorted(at: Integers, which: Integers, steps: Integers) -> tuple[Integers, Integers, Integers]:
    """Sorted by `at`, then by `which`: as one number, which is several times as fast as sorting places.

    Numbers of 32 bits take little more than half the time of longer ones.
    """
    shifts = [int(column.max(initial=0)).bit_length() for column in (which, steps)]
    bits = int(at.max(initial=0)).bit_length() + sum(shifts)
    if bits > 63:
        order = np.lexsort((which, at))
        return at[order], which[order], steps[order]
    key = ((at << shifts[0]) | which) << shifts[1] | steps
    key = np.sort(key.astype(np.uint32 if bits <= 32 else np.int64)).astype(np.int64)
    steps = key & ((1 << shifts[1]) - 1)
    key >>= shifts[1]
    return key >> shifts[0], key & ((1 << shifts[0]) - 1), steps


def _gap(uniform: Floats, scale: Floats) -> Integers:
    """How many completions until the next in which the document is relevant: geometric."""
    gap: Integers = np.minimum(1 + np.floor(np.log(uniform) * scale), 2.0**40).astype(np.int64)
    return gap
