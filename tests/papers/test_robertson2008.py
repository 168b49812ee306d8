"""Robertson (2008): the figure of user models shows the values of the measures."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from unjudged import JudgedRankings

pytestmark = pytest.mark.thorough

SCRIPTS = Path(__file__).parent.parent.parent / "scripts" / "papers"


def test_the_figure_of_user_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    monkeypatch.syspath_prepend(str(SCRIPTS))
    ranking = JudgedRankings.spelled("0 1 N 1", missed="1")
    chart = import_module("user_models").user_models(ranking)
    bars = chart.to_dict()["hconcat"][1]["data"]["values"]
    assert bars[0] == {"model": "uniform (AP)", "value": pytest.approx((1 / 2 + 2 / 4) / 3)}
    chart.save(tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").read_text().startswith("<svg")
