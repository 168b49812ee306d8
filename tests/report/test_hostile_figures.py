"""No name can stop, break or slow the drawing of a figure or a page."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from tests.report.hostile_figures import HOSTILE, LONG, collection, figures
from tests.report.test_figures import points
from tests.report.test_page import read
from unjudged import report_page
from unjudged.base.wording import plain
from unjudged.results.escapes import LONGEST

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def drawn() -> dict[str, Any]:
    return {name: draw() for name, draw in figures().items()}


def test_every_figure_is_drawn(drawn: dict[str, Any]) -> None:
    """In a process of its own: the renderer ends the process where it cannot draw a name."""
    kinds = ["svg", "png", "pdf"]
    command = [sys.executable, "-m", "tests.report.hostile_figures", *kinds]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{name}: {kind}" for name in drawn for kind in kinds]
    assert time.perf_counter() - start < 360


def test_names_in_figures_are_plain_short_and_different(drawn: dict[str, Any]) -> None:
    for name, figure in drawn.items():
        texts = [
            value for row in points(figure.to_dict()) for value in row.values() if isinstance(value, str)
        ]
        assert all(text.isprintable() and len(text) <= LONGEST + len(" (2)") for text in texts), name
        assert "__proto__" not in texts
    runs = {row["run"] for row in points(drawn["intervals"].to_dict())}
    assert len(runs) == 6


def test_names_in_a_page_are_plain() -> None:
    qrels, runs = collection()
    page = report_page(qrels, runs, "AP", title=HOSTILE[0], command=HOSTILE[1]).html
    facts = read(page)[0]
    assert facts["title"] == plain(HOSTILE[0])
    assert len(set(facts["runs"])) == len(runs)
    assert len(set(facts["queries"])) == len(qrels)
    assert all(
        name.isprintable() for name in [*facts["runs"], *facts["queries"], *facts["measures"][0]["words"]]
    )
    assert LONG not in facts["runs"]
