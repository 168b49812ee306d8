"""One run of two million documents of which one in a hundred is judged; the benchmark takes ten million."""

from __future__ import annotations

import numpy as np
import pytest
from large_population import estimated, simulated


@pytest.mark.thorough
def test_the_estimate_is_within_four_standard_errors() -> None:
    population, score, gain, pi, weight = simulated(2_000)
    found, error, expected = estimated(population, score, gain, pi, weight)
    assert found == pytest.approx(population.rankings.total(weight * gain).mean(), abs=4 * error)
    assert np.abs(expected - score**2).mean() < 0.02
