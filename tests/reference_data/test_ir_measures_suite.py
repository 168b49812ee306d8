"""ir_measures' own test cases, with our provider in the place of theirs.

Its source distribution has them; IR_MEASURES_TESTS names the folder they were unpacked to.
"""

from __future__ import annotations

import importlib
import os
import sys
import types
import unittest
from pathlib import Path
from typing import Any

import ir_measures
import pytest

from tests.conftest import DATA
from unjudged.compat.ir_measures import UnjudgedProvider

TESTS = Path(os.environ.get("IR_MEASURES_TESTS", DATA / "ir_measures" / "tests"))
NOT_OURS = {"test_NumQ", "test_SetAP", "test_SetP"}  # NumQ, SetAP and SetP(relative=True) are not ours


class BaseMeasureTest(unittest.TestCase):
    """What their cases start from; it is not in the distribution."""

    def assertEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """To the last bits: F's beta is a square root here."""
        assert first == (pytest.approx(second, rel=1e-15) if isinstance(second, float) else second), msg

    def assertMetrics(self, found: Any, expected: Any, not_equal: bool = False) -> None:
        ours, theirs = ({(m.query_id, str(m.measure)): m.value for m in side} for side in (found, expected))
        assert (ours == pytest.approx(theirs, abs=1e-4)) is not not_equal


@pytest.mark.parametrize("module", ["test_pytrec_eval", "test_judged"])
def test_their_cases(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (TESTS / f"{module}.py").exists():
        pytest.skip(f"no tests of ir_measures in {TESTS}")
    package, base = types.ModuleType("their_tests"), types.ModuleType("their_tests.base")
    package.__path__ = [str(TESTS)]
    base.__dict__["BaseMeasureTest"] = BaseMeasureTest
    monkeypatch.setitem(sys.modules, "their_tests", package)
    monkeypatch.setitem(sys.modules, "their_tests.base", base)
    monkeypatch.setattr(ir_measures.providers, "PytrecEvalProvider", UnjudgedProvider)
    monkeypatch.setattr(ir_measures, "judged", UnjudgedProvider())
    cases = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(f"their_tests.{module}"))
    result = unittest.TestResult()
    cases.run(result)
    wrong = {test.id().rpartition(".")[2]: text for test, text in [*result.failures, *result.errors]}
    assert result.testsRun >= 1
    assert not wrong.keys() - NOT_OURS, wrong
