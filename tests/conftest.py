"""Collections that tests share: made by hypothesis, and the real one where it is at hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st

Qrels = dict[str, dict[str, int]]
RunDict = dict[str, dict[str, float]]

DATA = Path(os.environ.get("UNJUDGED_DATA", Path(__file__).parents[2] / "shared" / "data"))

FEWER = int(os.environ.get("UNJUDGED_FEWER_EXAMPLES", "1"))
"""Hypothesis tries one of so many examples: for a run beside one that tries them all."""
settings.register_profile("here", max_examples=100 // FEWER, deadline=None)
settings.load_profile("here")


def examples(count: int, **others: Any) -> settings:
    """How many examples a property is tried on."""
    return settings(max_examples=max(count // FEWER, 1), **others)


TOY_COLLECTIONS = {
    *("compat", "comparison", "engines", "formats", "fuzz", "judging", "measures", "oracles", "predictions"),
    *("papers", "uncertainty"),
}
"""Folders whose tests make runs and judgments that need not fit: what they warn of is not their subject."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests elsewhere must expect every warning, as `tests/rankings/test_coverage.py` does."""
    for item in items:
        if item.path.parent.name in TOY_COLLECTIONS:
            item.add_marker(pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning"))


@pytest.fixture(scope="session")
def data() -> Path:
    """Real runs and the reference tools' outputs; tests that need them skip where they are not."""
    if not DATA.is_dir():
        pytest.skip(f"no reference data in {DATA}")
    return DATA


@st.composite
def collections(draw: st.DrawFn, lowest: int = -1, highest: int = 3) -> tuple[Qrels, RunDict]:
    """Judgments and a run: ties, missing queries, unknown queries and documents, every grade.

    Scores are small whole numbers, which single precision holds too.
    """
    documents = [f"d{i}" for i in range(12)]
    grades = st.dictionaries(
        st.sampled_from(documents), st.integers(lowest, highest), min_size=1, max_size=10
    )
    scores = st.dictionaries(
        st.sampled_from(documents), st.integers(-3, 3).map(float), min_size=1, max_size=12
    )
    queries = [f"q{i}" for i in range(draw(st.integers(1, 4)))]
    qrels = {query: draw(grades) for query in queries}
    asked = draw(st.lists(st.sampled_from([*queries, "other"]), unique=True, max_size=4))
    run = {query: draw(scores) for query in [queries[0], *(q for q in asked if q != queries[0])]}
    return qrels, run
