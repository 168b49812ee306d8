"""Small collections of several runs, and every completion of their judgments."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tests.conftest import Qrels, RunDict
from unjudged.evidence.shared import SharedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import name_runs

DOCUMENTS = [f"d{i}" for i in range(7)]


@st.composite
def several_runs(
    draw: st.DrawFn, *, runs: int = 2, highest: int = 1, queries: int = 2
) -> tuple[Qrels, dict[str, RunDict]]:
    """Judgments of three documents or more of each query, some unjudged, and runs that share documents."""
    asked = [f"q{i}" for i in range(draw(st.integers(1, queries)))]
    grades = st.lists(st.integers(-1, highest), min_size=3, max_size=6)
    qrels = {query: dict(zip(DOCUMENTS, draw(grades), strict=False)) for query in asked}
    orders = st.permutations(DOCUMENTS)

    def ranking() -> dict[str, float]:
        kept = draw(orders)[: draw(st.integers(1, 5))]
        return {document: -float(rank) for rank, document in enumerate(kept)}

    names = ["one", "two", "three"][:runs]
    return qrels, {name: {query: ranking() for query in asked} for name in names}


def shared_of(qrels: Qrels, runs: dict[str, RunDict]) -> SharedRankings:
    return SharedRankings.of(Judgments.read(qrels), name_runs(runs))


@st.composite
def skilled_runs(draw: st.DrawFn) -> tuple[Qrels, dict[str, RunDict]]:
    """Three runs of 9 to 14 queries; the first of them may be far better, and some documents are unjudged."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    skills = draw(st.permutations([4.0, 1.0, 0.0]))
    judged = draw(st.sampled_from([0.5, 0.8, 0.95]))
    qrels: Qrels = {}
    runs: dict[str, RunDict] = {name: {} for name in ("one", "two", "three")}
    for number in range(draw(st.integers(9, 14))):
        query, relevant = f"q{number}", rng.random(12) < 0.4
        known = rng.random(12) < judged
        qrels[query] = {"x": 0} | {f"d{k}": int(relevant[k]) for k in range(12) if known[k]}
        for name, skill in zip(runs, skills, strict=True):
            scores = skill * relevant + rng.random(12)
            runs[name][query] = {f"d{k}": float(scores[k]) for k in np.argsort(-scores)[:5].tolist()}
    return qrels, runs
