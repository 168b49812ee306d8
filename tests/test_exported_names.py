"""The public surface is what `__all__` says, and every measure is in it."""

from __future__ import annotations

import doctest

import pytest

import unjudged
from unjudged import MEASURES, JudgedRankings


def test_every_exported_name_is_there() -> None:
    assert len(set(unjudged.__all__)) == len(unjudged.__all__)
    for name in unjudged.__all__:
        assert getattr(unjudged, name) is not None
    assert set(MEASURES) <= set(unjudged.__all__)


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = unjudged.Nothing


@pytest.mark.parametrize("name", MEASURES)
def test_the_example_of_a_measure(name: str) -> None:
    measure = MEASURES[name]
    names = {name: measure, "JudgedRankings": JudgedRankings}
    example = doctest.DocTestParser().get_doctest(measure.help, names, name, None, 0)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
