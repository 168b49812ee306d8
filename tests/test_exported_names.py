"""The public names: all there, all listed, all with their types, and every measure among them."""

from __future__ import annotations

import ast
import doctest
import subprocess
import sys
from pathlib import Path
from typing import assert_type

import pytest
from stubs import stubs

import unjudged
from unjudged import AP, MEASURES, JudgedRankings, Judgments, Measure, Pool, Score, judging, measures, nDCG
from unjudged.measures import RBP

OWN = {name for name, m in MEASURES.items() if m.function.__module__.startswith("unjudged.")}
STUB = Path(measures.__file__).with_suffix(".pyi")


def test_every_exported_name_is_there() -> None:
    assert len(set(unjudged.__all__)) == len(unjudged.__all__)
    for name in unjudged.__all__:
        assert getattr(unjudged, name) is not None
    assert set(unjudged.__all__) <= set(dir(unjudged))
    assert set(unjudged.__all__) >= OWN


def test_the_list_of_measures_is_the_registry() -> None:
    """The stubs, in which editors and type checkers look names up, are what `make docs` writes now."""
    for path, text in stubs().items():
        assert path.read_text() == text, "run `make docs`"
    typed = [node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.AnnAssign)]
    names = {node.target.id: node.annotation.id for node in typed if isinstance(node.target, ast.Name)}  # type: ignore[attr-defined]
    assert names == dict.fromkeys(OWN, "Measure")
    for name in OWN:
        assert getattr(measures, name) is MEASURES[name]


def test_types_are_known() -> None:
    """Checked by mypy, which reads the tests too; `assert_type` does nothing when it runs."""
    assert_type(AP, Measure)
    assert_type(nDCG @ 10, Measure)
    assert_type(unjudged.infAP, Measure)
    assert_type(RBP(p=0.5), Measure)
    assert_type(Pool(Judgments.of({"q": {"d": 1}})), Pool)
    assert_type(unjudged.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, AP), unjudged.Scores)
    assert_type(list(unjudged.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}).rows()), list[Score])


def test_what_functions_return_can_be_named() -> None:
    found = unjudged.simulate(documents=20, queries=2, seed=1)
    assert isinstance(found, unjudged.Simulated)
    assert isinstance(found.judgments, unjudged.Judgments)
    assert isinstance(judging.sample(judging.pool(unjudged.sample.runs), "depth", 1), judging.DrawnSample)
    for name in (
        "Agreement",
        "JudgmentPlan",
        "Comparison",
        "Estimate",
        "Robustness",
        "Run",
        "Scores",
    ):
        assert isinstance(getattr(unjudged, name), type)


def test_the_names_for_judging() -> None:
    assert len(set(judging.__all__)) == len(judging.__all__)
    assert set(judging.__all__) <= set(dir(judging))
    for name in judging.__all__:
        assert getattr(judging, name) is not None
    assert judging.next.__name__ == "next_documents"
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        getattr(judging, "Nothing")  # noqa: B009


def test_the_names_for_predictions() -> None:
    from unjudged import predictions

    assert set(predictions.__all__) <= set(dir(predictions))
    for name in predictions.__all__:
        assert getattr(predictions, name).__name__ == name
    assert predictions.spot_check is unjudged.spot_check
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        getattr(predictions, "Nothing")  # noqa: B009


def test_importing_everything_by_star() -> None:
    code = "from unjudged import *; print(AP, nDCG @ 10, Pool.__name__, Robustness.__name__, sample.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["AP", "nDCG@10", "Pool", "Robustness", "unjudged.sample"]


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        getattr(unjudged, "Nothing")  # noqa: B009 (mypy would refuse the attribute)


@pytest.mark.parametrize("name", MEASURES)
def test_the_example_of_a_measure(name: str) -> None:
    measure = MEASURES[name]
    names = {name: measure, "JudgedRankings": JudgedRankings}
    example = doctest.DocTestParser().get_doctest(measure.help, names, name, None, 0)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
