"""How often intervals hold from labels that are scattered over pairs of query and document, on DL-2019.

Pairs are what all official runs have among their first ten, and labels are drawn from all of them alike. Only
some of them bear on a run. Coverage is by the effective number of labels: below 3 there is no estimate.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from drawn_holes import Frame, Scene, Track
from held import Held

from unjudged.evidence.contrast import ALONE
from unjudged.evidence.drawn.by_design import FEWEST, Poisson
from unjudged.evidence.drawn.effects import Effects
from unjudged.evidence.drawn.estimated import EstimatedEvidence
from unjudged.judging.until import LEVEL

MODELS = None, "Llama"
MEASURES, LABELS, DRAWS, SEED = ("P(rel=2)@10", "RBP(p=0.8, rel=2)"), (25, 50, 100, 200), 100, 47
BANDS = {"effective number 3 to 8": (FEWEST, 8.0), "8 to 20": (8.0, 20.0), "20 or more": (20.0, np.inf)}


def scattered_coverage(folder: Path, model: str | None) -> list[Held]:
    """Return a row for each band and measure."""
    track = Track.dl2019(folder, None)
    judges, runs = track.judges(model), sorted(track.group)
    rows = []
    for measure in MEASURES:
        frame = Scene(track, [], runs).frame(measure, judges)
        rng, found = np.random.default_rng(SEED), []
        for labels in LABELS:
            found += [_one(frame, labels / len(frame.row), rng) for _ in range(DRAWS)]
        number, held, outside = (np.concatenate(column) for column in zip(*found, strict=True))
        refused = float((number < FEWEST).mean())
        assert not outside.any()  # noqa: S101
        for band, (least, most) in BANDS.items():
            own = (number >= least) & (number < most)
            name = f"{band}, {model or 'no model'}"
            kept = float(held[own].mean()) if own.any() else np.nan
            rows.append(Held("DL-2019", name, measure, LEVEL, kept, int(own.sum()), refused=refused))
    return rows


def _one(frame: Frame, chance: float, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Draw labels; return effective numbers, which intervals held, and which left 0 to 1, by run."""
    drawn, every = rng.random(len(frame.row)) < chance, np.full(len(frame.row), chance)
    population = frame.judged(Poisson(every, drawn), np.flatnonzero(drawn), every)
    before = frame.evidence.effects
    predicted = population.predicted(before.steps, frame.judges)
    effects = Effects.of(population.shared, before.measure, before.row, before.steps, predicted)
    evidence = EstimatedEvidence(frame.evidence.plain, population, effects)
    runs = np.arange(len(evidence.systems))
    alone = np.full(len(runs), ALONE)
    found = evidence.estimates(runs, alone)
    error, middle = np.sqrt(found.variance), np.clip(found.value, 0.0, 1.0)
    down, up = evidence.reach(found, LEVEL)
    low, high = np.maximum(middle - down * error, 0.0), np.minimum(middle + up * error, 1.0)
    truth = frame.true(runs, alone)
    return found.labels, (low <= truth) & (truth <= high), (low < 0) | (high > 1)
