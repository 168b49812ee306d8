"""For every test, the examples in the documentation among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from unjudged import MEASURES
from unjudged.comparison.corrections import CORRECTIONS
from unjudged.comparison.significance import TESTS

REGISTRIES: tuple[dict[str, Any], ...] = (MEASURES, TESTS, CORRECTIONS)


@pytest.fixture(autouse=True)
def _registries_as_they_were() -> Iterator[None]:
    """A measure or a test that an example defines is gone with it."""
    before = [dict(registry) for registry in REGISTRIES]
    yield
    for registry, entries in zip(REGISTRIES, before, strict=True):
        registry.clear()
        registry.update(entries)
