"""Unjudged documents drawn one after another, by what each could change: estimates hold at any stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from unjudged.judging import sampling
from unjudged.rankings.draw_order import DrawOrder
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import CHECKED, Origin
from unjudged.rankings.pooled import unit


def in_random_order(
    judgments: Judgments, size: Floats, *, seed: int, depth: int | None, settings: Mapping[str, Any]
) -> Judgments:
    """Return the judgments with an order of the documents that have a size, of which none is drawn yet.

    Each is the next one with a probability proportional to its size among those that are left: they are
    sorted by random numbers of the exponential distribution, divided by the sizes. Names and seed decide.
    """
    rows = np.flatnonzero(size > 0)
    number = unit(sampling.numbers(sampling.identities_of_rows(judgments.pooled, rows), seed, "holes"))
    order = np.zeros(len(size), np.int64)
    order[rows[np.argsort(-np.log1p(-number) / size[rows], kind="stable")]] = np.arange(1, len(rows) + 1)
    frame = DrawOrder(size, order, np.zeros(len(size), np.int64), {**settings, "seed": seed})
    return replace(
        judgments, stratum=None, probability=None, origin=Origin(CHECKED, depth), frame=frame, drawn=None
    )


def with_next_batch(judgments: Judgments, n: int) -> Judgments:
    """Return the judgments with the next n documents of the order drawn as one batch more.

    While documents of an earlier batch wait for their grades nothing more is drawn.
    """
    frame = judgments.frame
    if frame is None or (frame.drawn & judgments.waiting).any():
        return judgments
    left = np.flatnonzero((frame.order > 0) & ~frame.drawn)
    chosen = left[np.argsort(frame.order[left])][:n]
    batch = frame.batch.copy()
    batch[chosen] = batch.max(initial=0) + 1
    drawn = replace(frame, batch=batch)
    return replace(judgments, frame=drawn, drawn=drawn.drawn if len(chosen) else None)
