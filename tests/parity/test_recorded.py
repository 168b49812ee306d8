"""What commit 705eafce answered is still the answer, but for the listed changes."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.conftest import DATA
from tests.parity.ask_new import ASK
from tests.parity.collections import read_cases, write_data
from tests.parity.compare import Change, alike, compare, source_of
from tests.parity.record import RECORDED, machine, recorded_questions, summarised, unpack
from tests.parity.rows import Key, Rows, ask_all, read_rows
from unjudged import UnjudgedError

OWN = ("small", "sample")
PROCESSES = 2


def ask_some(folder: Path, first: int) -> Rows:
    """Ask about one of `PROCESSES` collections of a folder."""
    names = {case.name for case in read_cases(folder)[first::PROCESSES]}
    return ask_all(
        ASK, folder, UnjudgedError, lambda case: recorded_questions(case) if case.name in names else ()
    )


def check(folder: Path, sources: tuple[str, ...]) -> None:
    """Ask about the collections of a folder, and compare with what is recorded of these sources."""
    old = {key: value for key, value in read_rows(unpack("answers")).items() if source_of(key) in sources}
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        parts = pool.map(ask_some, [folder] * PROCESSES, range(PROCESSES))
        new = summarised({key: value for part in parts for key, value in part.items()})
    bits = machine() == json.loads((RECORDED / "machine.json").read_text())
    result = compare(old, new, Change.read(), sources=sources, recorded=True, bits=bits)
    assert not result.wrong, "\n".join(result.problems)
    assert result.equal > 1000


@pytest.mark.thorough
def test_recorded_answers(tmp_path: Path) -> None:
    for line in unpack("collections"):
        case, name, text = json.loads(line)
        (tmp_path / case).mkdir(exist_ok=True)
        (tmp_path / case / name).write_text(text, encoding="utf-8")
    check(tmp_path, OWN)


@pytest.mark.thorough
def test_recorded_answers_about_reference_data(tmp_path: Path) -> None:
    if not DATA.is_dir():
        pytest.skip(f"no reference data in {DATA}")
    write_data(tmp_path, DATA)
    check(tmp_path, ("trec8", "dl2019"))


def key(field: str, measure: str = "AP") -> Key:
    return Key("pool 1", "", measure, "r0", "", field)


def test_every_difference_must_be_listed() -> None:
    old = {key("values.mean"): 0.5, key("interval bounds.value"): 0.25, key("gate.outcome"): "pass"}
    new = {key("values.mean"): 0.5 + 1e-16 * 2, key("interval bounds.value"): 0.25 + 1e-13, key("new.p"): 1}
    found = compare(old, new, [], sources=OWN)
    assert (found.equal, found.wrong) == (1, 3)
    listed = [
        Change("rounding", field="values.mean", measure="AP|P@5", counts={"small": 1}),
        Change("gone", field="gate.*", counts={"small": 1, "recorded_small": 1}),
        Change("new", field="new.*", counts={"small": 1}),
    ]
    found = compare(old, new, listed, sources=OWN)
    assert (found.equal, found.deliberate, found.wrong) == (1, 3, 0)
    assert compare(old, new, listed, sources=OWN, recorded=True).wrong == 2
    assert (
        compare(old, old, listed, sources=OWN).problems[0].startswith("listed change values.mean of AP|P@5")
    )


def test_which_values_are_alike() -> None:
    assert alike([0.1, None, "a", float("nan")], [0.1 + 1e-14, None, "a", float("nan")])
    assert not alike([0.1], [0.1 + 1e-14], exact=True)
    assert not alike([0.1], [0.1, 0.2])
    assert not alike(1, True)
    assert not alike(0.1, None)
    assert alike(1e9, 1e9 + 1e-4)
