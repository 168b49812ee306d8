"""Cohen's kappa against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from unjudged.agreement.coefficients import weighted_kappa


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_kappa_is_that_of_statsmodels(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs).T
    matrix = np.zeros((4, 4))
    np.add.at(matrix, (a, b), 1)
    ours = float(weighted_kappa(0)(matrix, np.arange(4.0)))
    if len(np.unique(pairs)) == 1:
        assert np.isnan(ours)
        return
    assert ours == pytest.approx(cohens_kappa(matrix, return_results=False, wt=None), abs=1e-12)
