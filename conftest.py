"""For every test, the examples in the documentation among them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from unjudged import MEASURES


@pytest.fixture(autouse=True)
def _registry_as_it_was() -> Iterator[None]:
    """A measure that an example defines is gone with it."""
    before = dict(MEASURES)
    yield
    MEASURES.clear()
    MEASURES.update(before)
