"""The public names: all there, all listed, all with their types, and every measure among them."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import assert_type, get_args, get_type_hints

import pytest
from stubs import stubs

import unjudged
from unjudged import AP, MEASURES, JudgedRankings, Judgments, Measure, judging, measures, nDCG, predictions
from unjudged.collection.scores import Score
from unjudged.judging import Pool
from unjudged.measures import RBP

OWN = {name for name, m in MEASURES.items() if m.function.__module__.startswith("unjudged.")}
STUB = Path(measures.__file__).with_suffix(".pyi")


PACKAGES = ("unjudged", "unjudged.judging", "unjudged.predictions", "unjudged.studies")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_exported_name_is_there(package: str) -> None:
    module = import_module(package)
    assert len(set(module.__all__)) == len(module.__all__)
    assert set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = module.Nothing


def test_exported_names_are_those_of_what_they_name() -> None:
    assert set(unjudged.__all__) >= OWN
    assert judging.next.__name__ == "next_documents"
    assert [getattr(predictions, name).__name__ for name in predictions.__all__] == list(predictions.__all__)


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
    assert_type(Pool(Judgments.read({"q": {"d": 1}})), Pool)
    assert_type(unjudged.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, AP), unjudged.Evaluation)
    assert_type(list(unjudged.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}})), list[Score])


def public() -> dict[str, object]:
    """Return what each public name of the packages is, measures left out."""
    found: dict[str, object] = {}
    for package in PACKAGES:
        module = import_module(package)
        for name in module._NAMES.all if package == "unjudged" else module.__all__:
            assert name not in found, f"{name} is there twice"
            found[name] = getattr(import_module(package), name)
    return found


def returned(function: object) -> set[type]:
    """Return the classes of this package that the annotation of what a function returns names."""
    try:
        hint = get_type_hints(function).get("return")
    except (NameError, TypeError):  # an annotation for type checkers alone
        return set()
    parts, classes = [hint], set()
    while parts:
        part = parts.pop()
        parts += get_args(part)
        if isinstance(part, type) and part.__module__.startswith("unjudged"):
            classes.add(part)
    return classes


def test_every_class_that_a_public_call_returns_is_public() -> None:
    names = public()
    classes = {thing for thing in names.values() if isinstance(thing, type)}
    assert len({one.__name__ for one in classes}) == len(classes)
    calls = [thing for thing in names.values() if inspect.isfunction(thing)]
    hidden = {(call.__name__, one.__name__) for call in calls for one in returned(call) - classes}
    assert not hidden


def test_docstrings_list_the_parameters() -> None:
    decorator = unjudged.measure
    for name in import_module("unjudged")._NAMES.all:
        call = getattr(unjudged, name)
        if inspect.isfunction(call) and call is not decorator:
            text = inspect.getdoc(call) or ""
            listed = "".join(
                line + "\n" for line in text.partition("----------\n")[2].splitlines() if line[:1] != " "
            )
            assert {*inspect.signature(call).parameters} <= {*re.findall(r"\w+", listed)}, name


def test_dir_shows_the_public_names_and_no_other() -> None:
    modules = {"judging", "measures", "predictions", "sample", "studies", "__version__"}
    shown = {*dir(unjudged)} - {*MEASURES}
    assert shown == {*import_module("unjudged")._NAMES.all, *modules}
    assert len(shown - {"MEASURES", "Measure", "measure", "measures"}) <= 35


def test_importing_everything_by_star() -> None:
    code = "from unjudged import *; print(AP, nDCG @ 10, Run.__name__, Page.__name__, sample.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["AP", "nDCG@10", "Run", "Page", "unjudged.sample"]


@pytest.mark.parametrize("name", MEASURES)
def test_the_example_of_a_measure(name: str) -> None:
    measure = MEASURES[name]
    names = {name: measure, "JudgedRankings": JudgedRankings}
    example = doctest.DocTestParser().get_doctest(measure.help, names, name, None, 0)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
