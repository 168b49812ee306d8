"""Inputs that were once handled badly, and some that reach every kind of refusal, checked again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")
pytest.importorskip("polars")
pytest.importorskip("unjudged.data.scan.compiled.native", reason="nothing was compiled")

from fuzz import replay
from fuzz.kinds import NAMES
from fuzz.worker import CORPUS

pytestmark = pytest.mark.thorough

FILES = sorted(CORPUS.glob("*/*"))


@pytest.fixture(scope="module")
def results() -> dict[Path, str | None]:
    return replay.check(FILES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_saved_input(file: Path, results: dict[Path, str | None]) -> None:
    assert results[file] is None


def test_every_kind_has_saved_inputs() -> None:
    assert {file.parent.name for file in FILES} == set(NAMES)


def test_every_hostile_input_of_security_is_fuzzed() -> None:
    text = (CORPUS.parent.parent / "SECURITY.md").read_text()
    table = text.partition("| input | fuzzed as |")[2].partition("\n\n")[0]
    promised = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[-2])}
    assert promised == set(NAMES)
