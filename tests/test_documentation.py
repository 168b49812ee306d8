"""The pages made from the code are as the code would make them now."""

from __future__ import annotations

from pathlib import Path

import pytest

from unjudged import MEASURES, JudgedRankings, UsageError
from unjudged.measures.references import REFERENCES
from unjudged.report import plots
from unjudged.report.pages import measures_in_markdown, page

DOCS = Path(__file__).parent.parent / "docs"


def of_the_package() -> set[str]:
    return {name for name, m in MEASURES.items() if m.function.__module__.startswith("unjudged.")}


def test_the_page_of_measures_is_up_to_date() -> None:
    if set(MEASURES) == of_the_package():
        assert (DOCS / "measures.md").read_text() == measures_in_markdown(), "run `make docs`"


@pytest.mark.parametrize("name", sorted(of_the_package()))
def test_a_page_has_all_that_a_reader_needs(name: str) -> None:
    text = page(MEASURES[name])
    assert "Use it" in text or MEASURES[name].traits.summary == "sum"
    assert "judged" in text
    assert "Values from" in text
    assert all(REFERENCES[key].text in text for key in MEASURES[name].traits.cite)


def test_bibtex_has_balanced_braces() -> None:
    for key, reference in REFERENCES.items():
        entry = reference.bibtex(key)
        assert entry.count("{") == entry.count("}")
        assert f"year = {{{reference.year}}}" in entry


def test_the_figure_of_user_models(tmp_path: Path) -> None:
    ranking = JudgedRankings.spelled("0 1 N 1", missed="1")
    chart = plots.user_models(ranking)
    bars = chart.to_dict()["hconcat"][1]["data"]["values"]
    assert bars[0] == {"model": "uniform (AP)", "value": pytest.approx((1 / 2 + 2 / 4) / 3)}
    chart.save(tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").read_text().startswith("<svg")


def test_without_altair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    with pytest.raises(UsageError, match="a figure needs altair"):
        plots.altair_module()
