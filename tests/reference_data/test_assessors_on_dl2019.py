"""Intervals for another assessor on DL-2019: learnt from some pairs of people, asked about the others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "trust"))


def test_intervals_hold_for_people_that_were_not_seen(data: Path) -> None:
    """From .90 over all runs and splits; the table of docs/trust.md has the values, and the worst pair."""
    if not (data / "dl2019" / "track" / "assessors").is_dir():
        pytest.skip("the assessors of DL-2019 are not here")
    from assessor_coverage import assessor_coverage

    found = assessor_coverage(data / "trec8")
    assert len(found) == 8
    for case in found:
        assert 0.90 < case.held.mean() < 0.99, case
