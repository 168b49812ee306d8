"""The page of `unjudged report` in Chromium: what a reader can do with it, and what it must not do."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open
from tests.cli.in_process import printed
from tests.report.test_page import FILES, HOSTILE, MEASURES, hostile_page
from unjudged import Scores, compare, report_page, sample
from unjudged.base.wording import plain

Shot = Callable[[Any], Path]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "page.html"
    printed("report", *FILES, "-o", str(path))
    return path


def cells(page: Any, table: str, column: int) -> list[str]:
    found: list[str] = page.locator(f"#{table} tbody tr td:nth-child({column})").all_inner_texts()
    return found


def test_the_first_screen_has_sentence_picture_and_next_step(opened: Open, page_file: Path) -> None:
    page = opened(page_file, 1200, 700)
    assert page.locator("h1").inner_text() == "reranked leads. dense cannot be placed yet."
    for part in ("#systems svg >> nth=5", "#next", "#notes summary"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] < 700
    assert page.locator("#next code").inner_text().startswith("unjudged next ")
    marks = page.locator("#systems svg").all()
    assert marks[0].get_attribute("aria-label").startswith("mean 0.4485; judging could make it")
    page.locator("#measures button").nth(1).click()
    assert page.locator("#measures button[aria-pressed=true]").inner_text() == "AP"
    assert "AP" in page.locator("#systems th").all_inner_texts()


def test_tables_sort_by_any_column(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    page.locator("#pairs-all summary").click()
    for table, header, column in (("systems", "system", 1), ("pairs-table", "other", 2)):
        button = page.locator(f"#{table} th:nth-child({column}) button")
        assert button.inner_text() == header
        button.click()
        shown = cells(page, table, column)
        assert shown in (sorted(shown), sorted(shown)[::-1])
        button.press("Enter")
        assert cells(page, table, column) == shown[::-1] or len(set(shown)) < len(shown)
    judged = page.locator("#systems th button", has_text="top ten judged")
    judged.click()
    assert cells(page, "systems", 1)[-1] == "dense"


def test_choosing_a_pair_and_a_query(opened: Open, page_file: Path, shot: Shot) -> None:
    page = opened(page_file)
    page.locator("#measures button").nth(2).click()
    page.select_option("#system-a", label="fused")
    page.select_option("#system-b", label="dense")
    pair = compare(sample.qrels, sample.runs, MEASURES).pair("fused", "dense", MEASURES[2])
    words = page.locator("#pair-words").inner_text()
    assert "fused is ahead of dense, but unjudged documents could" in words
    assert f"{pair['query_low']:+.4f} to {pair['query_high']:+.4f} (95 %)" in words
    assert f"difference {pair['difference']:+.4f}" in words
    page.locator("#pair details summary").click()
    page.locator("#differences-table tr", has_text="q07").locator("button").click()
    assert page.locator("#query-name option:checked").inner_text() == "q07"
    for place, run in (("ranking-0", "fused"), ("ranking-1", "dense")):
        assert page.locator(f"#{place} caption").inner_text() == run
        lines = (Path(sample.__file__).parent / f"{run}.run").read_text().splitlines()
        own = [line.split() for line in lines if line.startswith("q07 ")]
        best = sorted(own, key=lambda line: (float(line[4]), line[2]), reverse=True)
        assert cells(page, place, 2) == [line[2] for line in best[:20]]
    marked = page.locator("#rankings tr.unjudged td:nth-child(3)").all_inner_texts()
    assert set(marked) == {"unjudged"}
    page.click("#following")
    assert page.locator("#query-name option:checked").inner_text() == "q08"
    assert shot(page).stat().st_size > 0


def test_the_matrix_says_who_is_better(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    chart = page.locator("#matrix svg")
    box = chart.bounding_box()
    chart.hover(position={"x": box["width"] - 20, "y": box["height"] - 15})
    assert page.locator("#tip").inner_text().startswith("dense is better than boolean")
    chart.click(position={"x": box["width"] - 20, "y": box["height"] - 15})
    chosen = [page.locator(f"#system-{side} option:checked").inner_text() for side in "ab"]
    assert chosen == ["dense", "boolean"]
    legend = [line.split(":")[0] for line in page.locator("#legend").inner_text().splitlines()]
    assert legend == ["better", "needs judging", "needs queries", "needs both"]


@pytest.mark.parametrize("width", [400, 800, 1920])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_nothing_overflows(opened: Open, page_file: Path, shot: Shot, width: int, colours: str) -> None:
    page = opened(page_file, width, colours=colours)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (colours == "light")
    assert shot(page).stat().st_size > 0


def test_on_a_phone_the_first_column_stays(opened: Open, page_file: Path) -> None:
    page = opened(page_file, 390)
    page.evaluate("document.querySelector('#systems .wide').scrollLeft = 200")
    assert page.locator("#systems td").first.bounding_box()["x"] < 30


def test_colours_can_be_chosen(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    page.select_option("#theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf().startswith(b"%PDF")


def test_hostile_names_are_text(opened: Open, tmp_path: Path, shot: Shot) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(hostile_page())
    page = opened(path, 400)
    assert page.title() == HOSTILE[0]
    assert set(cells(page, "systems", 1)) == set(map(plain, HOSTILE))
    assert page.locator("main script, main img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert shot(page).stat().st_size > 0


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_no_serious_fault(opened: Open, page_file: Path, colours: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(page_file, colours=colours)
    found = axe.Axe().run(page).response["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    assert [(v["id"], v["nodes"][0]["html"]) for v in serious] == []


def test_pages_of_one_run_of_a_table_and_of_a_baseline(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    report_page(sample.qrels, sample.runs["fused"]).save(path)
    page = opened(path)
    assert page.locator("#pairs, #pair").count() == 0
    assert cells(page, "ranking-0", 1)[0] == "1"
    page.select_option("#query-name", "3")
    report_page(Scores.read({"query": ["a", "b"], "x": [1, 0.5], "y": [0, 0.5]}, "AP")).save(path)
    assert opened(path).locator("#holes, #query").count() == 0
    report_page(sample.qrels, sample.runs, "AP", baseline="lexical").save(path)
    page = opened(path)
    page.select_option("#system-b", label="dense")
    page.select_option("#system-a", label="fused")
    assert page.locator("#pair-words").inner_text().startswith("These two were not compared")


def test_a_page_of_all_trec8_runs(opened: Open, data: Path, tmp_path: Path, shot: Shot) -> None:
    """129 runs x 50 queries x 3 measures: at most 1.5 MB, and each choice is drawn within a second."""
    runs = sorted(map(str, (data / "trec8" / "runs").glob("*.gz")))
    path = tmp_path / "trec8.html"
    printed("report", str(data / "trec8" / "qrels.trec8.gz"), *runs, "-o", str(path))
    assert path.stat().st_size < 1.5e6
    page = opened(path, 1400)
    for choice in ("#measures button >> nth=2", "text=Show all 129 systems", "#pairs-all summary"):
        begun = time.monotonic()
        page.locator(choice).click()
        page.evaluate("document.body.offsetHeight")
        assert time.monotonic() - begun < 1
    assert len(cells(page, "systems", 1)) == 129
    assert shot(page).stat().st_size > 0
