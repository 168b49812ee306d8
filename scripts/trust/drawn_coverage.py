"""How often intervals from drawn documents hold: holes of new runs, drawn one after another by size.

The sizes are what `unjudged next --design "holes(n)"` draws by: what each document may change of the means of
the runs. Only frames of which at most 70 % are drawn count. Intervals are cut to what was possible before
anything was drawn. The first 20 labels are the first batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np
from drawn_holes import TRACKS, Frame, Track
from held import Held

from unjudged.base.segments import Floats, Integers
from unjudged.evidence.contrast import ALONE
from unjudged.evidence.drawn.by_design import reach
from unjudged.judging.until import LEVEL

LABELS, SCENES, DRAWS, SEED = (20, 30, 50, 100), 16, 25, 45
MOST_DRAWN, ROUNDING = 0.7, 1e-9
MEASURES = ("nDCG@10", "AP", "RBP(p=0.8)", "P@10")
MODELS = {"TREC-8": (None,), "DL-2019": (None, "Llama", "flan-t5")}
CONTRASTS: dict[str, tuple[Integers, Integers]] = {
    "means": (np.arange(3), np.full(3, ALONE)),
    "differences": (np.array([0, 0, 1]), np.array([1, 2, 2])),
}
COLUMNS = (*Held._fields, "of_bounds", "worst_tenth", "bias")


class Looked(NamedTuple):
    """By contrast: whether the interval held, NaN for none; its width, that of the bounds, the errors."""

    held: Floats
    width: Floats
    bounds: Floats
    error: Floats
    deviation: Floats


def drawn_coverage(folder: Path, collection: str, model: str | None, measure: str) -> list[list[object]]:
    """Return a row for means and one for differences from each number of labels."""
    track = TRACKS[collection](folder)
    every = scenes(track, model, measure)
    return rows_of(track, model, measure, [next(every) for _ in range(SCENES)])


Scenes = dict[tuple[int, str], Looked]


def scenes(track: Track, model: str | None, measure: str) -> Iterator[Scenes]:
    """Yield what was looked at in one scene after another, draws x contrasts; the same for all models."""
    judges, asked = track.judges(model), track.named(measure)
    for number in count():
        rng = np.random.default_rng([SEED, number, *map(ord, track.name + measure)])
        frame = track.scene(rng).frame(asked, judges, 10 if "@10" in measure else None)
        if len(frame.row) * MOST_DRAWN >= max(LABELS):
            draws = [looks(frame, rng, LABELS) for _ in range(DRAWS)]
            yield {
                key: Looked(*map(np.stack, zip(*(draw[key] for draw in draws), strict=True)))
                for key in draws[0]
            }


def rows_of(track: Track, model: str | None, measure: str, found: Sequence[Scenes]) -> list[list[object]]:
    """Return the rows of some scenes."""
    who = model or "no model"
    return [
        _row(track.name, f"{n} labels, {of}, {who}", track.named(measure), [one[n, of] for one in found])
        for n, of in sorted(found[0])
    ]


def looks(frame: Frame, rng: np.random.Generator, counts: Sequence[int]) -> dict[tuple[int, str], Looked]:
    """Draw an order, and look at the estimates from its first documents."""
    order, found = frame.order(frame.size, rng), {}
    for n in counts:
        evidence = frame.drawn(frame.size, order[:n], min(LABELS))
        for of, (first, second) in CONTRASTS.items():
            least, most = frame.bounds(first, second)
            value, variance, labels, _ = evidence.estimates(first, second)
            half, middle = reach(labels, 1 - LEVEL) * np.sqrt(variance), np.clip(value, least, most)
            low, high = np.maximum(middle - half, least), np.minimum(middle + half, most)
            truth, given = frame.true(first, second), np.isfinite(half)
            held = (low - ROUNDING <= truth) & (truth <= high + ROUNDING)
            columns = held.astype(float), high - low, most - least, value - truth, np.sqrt(variance)
            found[n, of] = Looked(*(np.where(given, column, np.nan) for column in columns))
    return found


def _row(collection: str, setting: str, measure: str, found: Sequence[Looked]) -> list[object]:
    """Put together scenes x draws x contrasts.

    The worst tenth of the runs is chosen by the first half of the draws, and measured by the second.
    """
    held, width, bounds, error, deviation = map(np.stack, zip(*found, strict=True))
    half = held.shape[1] // 2
    first, second = (np.nanmean(part, axis=1).ravel() for part in (held[:, :half], held[:, half:]))
    known = np.flatnonzero(~np.isnan(first) & ~np.isnan(second))
    worst = known[np.argsort(first[known], kind="stable")][: max(1, len(known) // 10)]
    bias = np.nanmean(error, axis=1) / np.sqrt(np.nanmean(deviation**2, axis=1))
    refused = float(np.isnan(held).mean())
    trials = round(held.shape[0] * held.shape[1] * (1 - refused))
    kept = float(np.nanmean(held)), trials, float(np.nanmean(width)), refused
    more = np.nansum(width) / np.nansum(bounds), second[worst].mean(), np.sqrt(np.nanmean(bias**2))
    return [*Held(collection, setting, measure, LEVEL, *kept), *map(float, more)]
