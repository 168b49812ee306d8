"""Figures as pages in Chromium: no name breaks them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.report.hostile_figures import collection
from unjudged import compare, evaluate

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from unjudged.report.charts import save


@pytest.mark.parametrize("name", ["intervals", "judged_by_rank", "differences"])
def test_a_figure_with_hostile_names(browser: Any, tmp_path: Path, name: str) -> None:
    """Also with `__proto__`, a property of every object in JavaScript."""
    qrels, runs = collection()
    plot = (evaluate if name == "judged_by_rank" else compare)(qrels, runs, "AP").plot
    chosen = sorted(runs)[:2] if name == "differences" else ()
    save(getattr(plot, name)(*chosen), tmp_path / "figure.html")
    page = browser.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((tmp_path / "figure.html").as_uri())
    page.wait_for_selector("#vis canvas, #vis svg")
    assert problems == []
    page.close()
