"""Prevalence: the probability that an unjudged document is relevant, and which turn out so by chance.

A document's draws depend on its identity and the seed alone: not on the other documents, the number of
runs, the number of threads or the size of a batch. Only relevant documents are enumerated, by the gaps
between them, so one that stays nonrelevant costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.errors import UsageError
from unjudged.rankings.judged import Floats, Integers
from unjudged.rankings.pooled import Numbers, salt, uniforms

AT_ONCE = 1 << 14
"""How many steps of documents are computed together."""

GivenPrevalence = float | Sequence[float]
"""A probability, or a probability per rank band 1, 2, 3-4, 5-8, ..."""


class Prevalence(NamedTuple):
    """The probability of each document, and where it is from."""

    chance: Floats
    assumption: str


def given_prevalence(given: GivenPrevalence, rank: Integers) -> Prevalence:
    """Return the prevalence of documents at these ranks by a number, or by a number per rank band."""
    values = np.atleast_1d(np.asarray(given, float))
    if not (values.ndim == 1 and len(values) and (values >= 0).all() and (values <= 1).all()):
        raise UsageError(f"prevalence is {given!r}: use a probability from 0 to 1, or one per rank band")
    if len(values) == 1:
        return Prevalence(np.full(len(rank), values[0]), f"given prevalence {values[0]:g}")
    shown = ", ".join(f"{value:.3g}" for value in values)
    chance = values[np.minimum(band_of(rank), len(values) - 1)]
    return Prevalence(chance, f"given prevalence {shown} at ranks 1, 2, 3-4, 5-8, ...")


def band_of(rank: ArrayLike) -> Integers:
    """Return the band of each rank: 0 for rank 1, 1 for 2, 2 for 3 and 4, 3 for 5 to 8, ..."""
    band: Integers = np.ceil(np.log2(np.maximum(np.asarray(rank, float), 1))).astype(np.int64)
    return band


class Drawn(NamedTuple):
    """Relevant documents of some completions: `document[i]` is relevant in completion `completion[i]`.

    `share` is a uniform number that decides the document's grade there.
    """

    completion: Integers
    document: Integers
    share: Floats


def drawn_relevant(
    identity: Numbers, chance: Floats, completions: int, batch: int, seed: int
) -> Iterator[Drawn]:
    """Documents that are relevant, in batches of completions, sorted by completion, then by document."""
    gaps, grading = salt(seed, "gap"), salt(seed, "grade")
    document = np.flatnonzero(chance > 0)
    chance, own = chance[document], identity[document]
    with np.errstate(divide="ignore"):
        scale = 1 / np.log1p(-chance)
    step = np.zeros(len(document), np.int64)
    position = _gap(uniforms(own, gaps, step), scale) - 1
    none = np.zeros(0, np.int64)
    for first in range(0, completions, batch):
        last = min(first + batch, completions)
        found = [(none, none, none)]
        which = np.flatnonzero(position < last)
        at, steps = position[which], step[which]
        while len(which):
            ahead = _steps_ahead(last - at, chance[which])
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
        order = np.argsort((at - first) * len(document) + which)
        at, which, steps = at[order], document[which[order]], steps[order]
        yield Drawn(at, which, uniforms(identity[which], grading, steps))


def _steps_ahead(completions: Integers, chance: Floats) -> int:
    """How many relevant completions of each document are looked for at once: those to expect, within reason.

    Looking for many at once takes memory, and for one at a time as many turns as a document has of them.
    """
    expected = 1 + float((completions * chance).max())
    return int(min(expected, max(1, AT_ONCE // len(completions))))


def _gap(uniform: Floats, scale: Floats) -> Integers:
    """How many completions until the next in which the document is relevant: geometric."""
    gap: Integers = np.minimum(1 + np.floor(np.log(uniform) * scale), 2.0**40).astype(np.int64)
    return gap
