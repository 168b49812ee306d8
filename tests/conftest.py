"""Collections that tests share: made by hypothesis, and the real one where it is at hand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, TypeVar

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
    *("collection", "compat", "engines", "data", "fuzz", "judging", "measures", "oracles", "predictions"),
    *("papers", "evidence", "inference", "results"),
}
"""Folders whose tests make runs and judgments that need not fit: what they warn of is not their subject."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests elsewhere must expect every warning, as `tests/rankings/test_coverage.py` does."""
    for item in items:
        if FEWER > 1 and item.get_closest_marker("thorough"):
            item.add_marker(pytest.mark.skip(reason="`make test` runs it"))
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
    grades = [*range(highest + 1), *range(lowest, 0)]
    queries = [f"q{i}" for i in range(draw(st.integers(1, 4)))]
    qrels = {query: of_documents(draw(st.binary(min_size=1, max_size=10)), grades) for query in queries}
    others = [*queries[1:], "other"]
    asked = draw(
        st.sampled_from([order for k in range(len(others) + 1) for order in permutations(others, k)])
    )
    scores = st.binary(min_size=1, max_size=12)
    return qrels, {query: of_documents(draw(scores), SCORES) for query in ["q0", *asked]}


SCORES = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0]
Value = TypeVar("Value", int, float)


def of_documents(text: bytes, values: Sequence[Value]) -> dict[str, Value]:
    """One of the values for as many documents of twelve as there are bytes.

    Each byte names a document and a value, so that hypothesis draws, and shrinks, all of them at once.
    """
    left = [f"d{i}" for i in range(12)]
    return {left.pop(byte % len(left)): values[byte // 12 % len(values)] for byte in text}
