"""For every test, the examples in the documentation among them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from unjudged import MEASURES
from unjudged.evidence import value_bounds  # noqa: F401 (it registers)
from unjudged.evidence.intervals import INTERVALS
from unjudged.inference.corrections import CORRECTIONS
from unjudged.inference.significance import TESTS
from unjudged.judging.designs import DESIGNS
from unjudged.measures.kernel.registry import BOUNDS

gc.set_threshold(50_000, 20, 20)
"""Modules, tests and what hypothesis remembers stay: to look for cycles among them often finds none."""

REGISTRIES: tuple[dict[str, Any], ...] = (
    MEASURES,
    BOUNDS,
    INTERVALS,
    TESTS,
    CORRECTIONS,
    DESIGNS,
)


@pytest.fixture(autouse=True)
def _registries_as_they_were() -> Iterator[None]:
    """What a test or an example registers is gone after it."""
    before = [dict(registry) for registry in REGISTRIES]
    yield
    for registry, entries in zip(REGISTRIES, before, strict=True):
        registry.clear()
        registry.update(entries)
