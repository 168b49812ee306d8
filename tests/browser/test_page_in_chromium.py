"""The page of `unjudged report` in Chromium: what a reader can do with it, and what it must not do."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open
from tests.cli.in_process import printed, unjudged
from tests.report.test_page import FILES, HOSTILE, MEASURES, hostile_page, options
from unjudged import compare, evaluate, sample
from unjudged.base.wording import plain
from unjudged.report.page.report_page import report_page

Shot = Callable[[Any], Path]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "page.html"
    done = unjudged("report", *FILES, "-o", str(path))
    assert done.returncode == 0, done.stderr
    return path


def cells(page: Any, table: str, column: int) -> list[str]:
    found: list[str] = page.locator(f"#{table} tbody tr td:nth-child({column})").all_inner_texts()
    return found


def saved(page: Any, button: str) -> bytes:
    with page.expect_download() as waiting:
        page.locator(button).click()
    return Path(waiting.value.path()).read_bytes()


def test_tables_sort_by_any_column(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    for header, column, expected in (("mean", 2, "descending"), ("system", 1, "ascending")):
        button = page.locator("#systems-table th button", has_text=header).first
        button.click()
        assert page.locator("#systems-table th").nth(column - 1).get_attribute("aria-sort") == expected
        shown = cells(page, "systems-table", column)
        assert shown == sorted(shown, reverse=expected == "descending")
        button.press("Enter")
        assert cells(page, "systems-table", column) == shown[::-1]


def test_tables_filter(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    page.fill("#pairs-table input", "RERANKED")
    pairs = zip(cells(page, "pairs-table", 1), cells(page, "pairs-table", 2), strict=True)
    assert all("reranked" in pair for pair in pairs)
    assert page.locator("#pairs-table [role=status]").inner_text() == "5 rows"
    page.fill("#pairs-table input", "nothing of this name")
    assert cells(page, "pairs-table", 1) == []


def test_what_is_saved_equals_the_json_of_compare(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    rows = json.loads(unjudged("compare", *FILES, *options(), "--pairs", "--format", "json").stdout)["rows"]
    for k, name in enumerate(MEASURES):
        page.select_option("#measure", str(k))
        lines = saved(page, "#pairs-table button:has-text('CSV')").decode().splitlines()
        table = list(csv.DictReader(lines))
        expected = [row for row in rows if row["measure"] == name]
        assert len(table) == len(expected)
        for line, row in zip(table, expected, strict=True):
            for field in ("difference", "low", "high", "p", "p_adjusted"):
                assert float(line[field]) == row[field]
            assert [line[field] for field in ("a", "b", "headline")] == [
                row[f] for f in ("a", "b", "headline")
            ]


def test_figures_are_saved_as_they_look(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    for place in ("intervals", "matrix", "differences", "by-rank", "heat"):
        text = saved(page, f"#{place} figcaption button:has-text('SVG')").decode()
        assert text.startswith("<svg")
        assert "class=" not in text
        assert "var(" not in text
        assert "rgb(" in text
        assert saved(page, f"#{place} figcaption button:has-text('PNG')").startswith(b"\x89PNG")


def test_choosing_a_pair_and_a_query(opened: Open, page_file: Path, shot: Shot) -> None:
    page = opened(page_file)
    page.select_option("#measure", "2")
    page.locator("#pairs-table tr", has_text="fused").filter(has_text="dense").locator("button").click()
    assert page.locator("#system-a option:checked").inner_text() == "fused"
    assert page.locator("#system-b option:checked").inner_text() == "dense"
    words = page.locator("#pair-words").inner_text()
    assert "A fused" in words
    assert "B dense" in words
    page.locator("#differences-table tr", has_text="q07").locator("button").click()
    assert page.locator("#query-name option:checked").inner_text() == "q07"
    for place, run in (("ranking-0", "fused"), ("ranking-1", "dense")):
        assert page.locator(f"#{place} caption").inner_text().endswith(run)
        assert cells(page, place, 1)[:3] == ["1", "2", "3"]
        lines = (Path(sample.__file__).parent / f"{run}.run").read_text().splitlines()
        own = [line.split() for line in lines if line.startswith("q07 ")]
        best = sorted(own, key=lambda line: (float(line[4]), line[2]), reverse=True)
        assert cells(page, place, 2) == [line[2] for line in best]
    marked = page.locator("#rankings tr.unjudged td:nth-child(3)").all_inner_texts()
    assert marked
    assert all(text.startswith("unjudged") for text in marked)
    page.click("#next")
    assert page.locator("#query-name option:checked").inner_text() == "q08"
    page.click("#swap")
    assert page.locator("#system-a option:checked").inner_text() == "dense"
    assert shot(page).stat().st_size > 0


def test_the_matrix_by_pointer_and_by_keyboard(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    chart = page.locator("#matrix svg")
    box = chart.bounding_box()
    chart.hover(position={"x": box["width"] - 15, "y": box["height"] - 45})
    tip = page.locator("#tip")
    assert tip.is_visible()
    for part in ("dense minus boolean", "judging could make it", "after correction", "more judging: "):
        assert part in tip.inner_text()
    page.locator("#matrix [role=application]").focus()
    page.keyboard.press("ArrowUp")
    assert "minus" in page.locator("#live").inner_text()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    names = page.locator("#live").inner_text().split(": ")[0].split(" and ")
    chosen = [page.locator(f"#system-{side} option:checked").inner_text() for side in "ab"]
    assert names == chosen


@pytest.mark.parametrize("width", [400, 800, 1920, 3840])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_nothing_overflows(opened: Open, page_file: Path, shot: Shot, width: int, colours: str) -> None:
    page = opened(page_file, width, colours=colours)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (colours == "light")
    assert shot(page).stat().st_size > 0


def test_colours_can_be_chosen(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    page.select_option("#theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf().startswith(b"%PDF")


def test_figures_shrink_to_the_paper(opened: Open, page_file: Path) -> None:
    """Nothing of a figure is cut off where paper is narrower than the screen it was drawn for."""
    page = opened(page_file, 1280)
    page.emulate_media(media="print")
    page.evaluate("document.querySelector('main').style.width = '700px'")
    figures = page.evaluate("""() => [...document.querySelectorAll("svg.chart")].map((chart) => {
        const [box, drawn] = [chart.getBoundingClientRect(), chart.getBBox()];
        const scale = Math.abs(chart.getScreenCTM().a);
        return [box.width, (drawn.x + drawn.width) * scale, box.height, (drawn.y + drawn.height) * scale];
    })""")
    assert len(figures) == 5
    assert all(width <= 700 for width, *_ in figures)
    assert all(right <= width + 1 and low <= height + 1 for width, right, height, low in figures)


def test_legends_say_what_marks_mean(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    assert "hollow box: what judging could make of it" in page.locator("#intervals .legend").inner_text()
    pairs = page.locator("#legend").inner_text().splitlines()
    assert [line.split(":")[0] for line in pairs] == [
        "better",
        "needs judging",
        "needs queries",
        "needs both",
    ]


def test_holes_are_those_of_judged(opened: Open, page_file: Path) -> None:
    """A query without a ranking has nothing judged, as in Judged@10."""
    page = opened(page_file)
    judged = evaluate(sample.qrels, sample.runs, "Judged@10")
    for run, share, whole in zip(*(cells(page, "holes-table", k) for k in (1, 2, 3)), strict=True):
        values = judged.values[list(judged.runs).index(run), :, 0]
        assert (share, int(whole)) == (f"{values.mean():.4f}", (values == 1).sum())


def test_hostile_names_are_text(opened: Open, tmp_path: Path, shot: Shot) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(hostile_page())
    page = opened(path, 400)
    assert page.title() == HOSTILE[0]
    assert set(cells(page, "systems-table", 1)) == set(map(plain, HOSTILE))
    assert page.locator("main script, main img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    saved_rows = saved(page, "#systems-table button:has-text('CSV')").decode().splitlines()
    names = {line["system"] for line in csv.DictReader(saved_rows)}
    assert names == {*map(plain, HOSTILE[:-1]), "'=1+2"}
    for button in page.locator("figcaption button:has-text('SVG')").all():
        with page.expect_download():
            button.click()
    assert shot(page).stat().st_size > 0


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_no_serious_fault(opened: Open, page_file: Path, colours: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(page_file, colours=colours)
    found = axe.Axe().run(page).response["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    assert [(v["id"], v["nodes"][0]["html"]) for v in serious] == []


def test_the_interval_of_a_pair_for_other_queries(opened: Open, page_file: Path) -> None:
    page = opened(page_file)
    page.select_option("#system-a", label="dense")
    page.select_option("#system-b", label="boolean")
    pair = compare(sample.qrels, sample.runs, MEASURES).pair("dense", "boolean", MEASURES[0])
    ends = f"{pair['query_low']:+.4f} to {pair['query_high']:+.4f}"
    assert f"hold: {ends} (95%) with these judgments" in page.locator("#pair-words").inner_text()


def test_one_run(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "one.html"
    report_page(sample.qrels, sample.runs["fused"]).save(path)
    page = opened(path)
    assert page.locator("#pairs").count() == 0
    assert cells(page, "ranking-0", 1)[0] == "1"
    assert page.locator("#by-rank .legend").inner_text() == "fused"


def test_a_page_of_all_trec8_runs(opened: Open, data: Path, tmp_path: Path, shot: Shot) -> None:
    """129 runs x 50 queries x 3 measures within 2 MB; benchmarks/page_speed.py measures the seconds."""
    runs = sorted(map(str, (data / "trec8" / "runs").glob("*.gz")))
    path = tmp_path / "trec8.html"
    printed("report", str(data / "trec8" / "qrels.trec8.gz"), *runs, "-o", str(path))
    assert path.stat().st_size < 2.1e6
    page = opened(path, 1400)
    page.select_option("#measure", "2")
    assert page.locator("#matrix strong").inner_text() == "Pairs by RBP(p=0.8)"
    assert shot(page).stat().st_size > 0
