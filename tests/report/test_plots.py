"""Figures of scores and comparisons hold the numbers of the results that they show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unjudged import Scores, UsageError, compare, evaluate, sample

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from gallery import COMMANDS, gallery_in_markdown
from gallery import FIGURES as GALLERY

from tests.cli.in_process import refused, unjudged
from tests.report.test_figures import points
from tests.report.test_page import FILES
from unjudged.inference.verdict import HEADLINES
from unjudged.report.charts import picture
from unjudged.report.descriptions import MARKS

SCORES = evaluate(sample.qrels, sample.runs, ["AP", "nDCG@10"])
COMPARISON = compare(sample.qrels, sample.runs, "nDCG@10")


def rows(chart: Any, field: str) -> list[dict[str, Any]]:
    return [point for point in points(chart.to_dict()) if field in point]


def test_intervals_are_the_estimates() -> None:
    chart = SCORES.plot.intervals("AP", confidence=0.9)
    bounds, queries = (SCORES.estimate(kind, confidence=0.9) for kind in ("bounds", "queries"))
    order = np.argsort(-SCORES.means[:, 0], kind="stable").tolist()
    ends = [f"{kind}_{end}" for kind in ("bounds", "queries") for end in ("low", "high")]
    expected = [
        (SCORES.runs[i], *(end for row in (bounds[i][0], queries[i][0]) for end in (row.low, row.high)))
        for i in order
    ]
    assert [tuple(p[field] for field in ("run", *ends)) for p in rows(chart, "mean")] == expected
    assert [p["mean"] for p in rows(chart, "mean")] == SCORES.means[order, 0].tolist()
    marks = [layer["mark"] for layer in chart.to_dict()["layer"]]
    assert marks[0]["filled"] is False
    assert marks[1]["strokeDash"]


def test_differences_are_those_of_the_queries() -> None:
    for chart, k in (
        (SCORES.plot.differences("fused", "dense", "nDCG@10"), 1),
        (COMPARISON.plot.differences("fused", "dense"), 1),
    ):
        a, b = (SCORES.values[list(SCORES.runs).index(run), :, k] for run in ("fused", "dense"))
        drawn = rows(chart, "query")
        order = np.argsort(b - a, kind="stable").tolist()
        assert [p["query"] for p in drawn] == [SCORES.queries[q] for q in order]
        assert [p["difference"] for p in drawn] == (a - b)[order].tolist()
        (mean,) = {p["mean"] for p in rows(chart, "mean")}
        assert mean == pytest.approx((a - b).mean(), abs=1e-15)
    line = rows(COMPARISON.plot.differences("fused", "dense", "ndcg@10"), "mean")[-1]
    pair = COMPARISON.pair("fused", "dense")
    assert line == {"mean": pair["difference"]} | {
        field: pair[field] for field in ("low", "high", "query_low", "query_high")
    }


def test_judged_shares_are_those_of_judged_at_one() -> None:
    drawn = rows(SCORES.plot.judged_by_rank(1), "judged")
    first = evaluate(sample.qrels, sample.runs, "Judged@1")
    for i, point in enumerate(drawn):
        retrieved = len(first.queries) - len(first.missing.get(point["run"], ()))
        assert point["judged"] == pytest.approx(100 * first.values[i, :, 0].sum() / retrieved)


def test_intervals_of_a_comparison_are_its_own() -> None:
    drawn = rows(COMPARISON.plot.intervals(), "mean")
    assert [p["run"] for p in drawn] == [row["system"] for row in COMPARISON.systems]
    assert len(drawn) == len(sample.runs)
    fields = ("mean", "bounds_low", "bounds_high", "queries_low", "queries_high")
    for point, row in zip(drawn, COMPARISON.systems, strict=True):
        own = ("mean", "low", "high", "query_low", "query_high")
        assert [point[field] for field in fields] == [row[field] for field in own]
    unbounded = compare(sample.qrels, sample.runs, "Bpref(unjudged='condensed')").plot.intervals()
    assert "bounds_low" not in rows(unbounded, "mean")[0]


def test_symbols_of_headlines_differ() -> None:
    assert tuple(MARKS) == HEADLINES
    assert (
        len({look[0] for look in MARKS.values()}) == len({look[1] for look in MARKS.values()}) == len(MARKS)
    )


def test_every_figure_can_be_drawn() -> None:
    charts = [SCORES.plot.intervals("AP"), SCORES.plot.judged_by_rank(), COMPARISON.plot.intervals()]
    for chart in charts:
        assert str(picture(chart, "svg")).startswith("<svg")


def test_twenty_curves_are_told_apart() -> None:
    many = {f"run {i}": sample.runs["fused"] for i in range(20)}
    encoding = evaluate(sample.qrels, many, "AP").plot.judged_by_rank().to_dict()["encoding"]
    looks = zip(*(encoding[channel]["scale"]["range"] for channel in ("color", "strokeDash")), strict=True)
    assert len({(colour, tuple(dash)) for colour, dash in looks}) == 20


def test_measures_of_other_tools_by_name() -> None:
    values = np.random.default_rng(0).random((2, 5, 2))
    scores = Scores.of(values, ["faithfulness", "relevancy"], runs=["a", "b"])
    assert "relevancy" in scores.plot.differences("a", "b", "relevancy").to_json()


def test_refusals() -> None:
    with pytest.raises(UsageError, match="say which measure: AP, nDCG@10"):
        SCORES.plot.intervals()
    with pytest.raises(UsageError, match="no measure is called 'P@5'; there are "):
        SCORES.plot.intervals("P@5")
    with pytest.raises(UsageError, match="no run is called 'nobody'"):
        SCORES.plot.differences("fused", "nobody", "AP")
    with pytest.raises(UsageError, match="no measure is called 'P@5'; there are "):
        COMPARISON.plot.intervals("P@5")
    with pytest.raises(UsageError, match="no system is called 'nobody'"):
        COMPARISON.plot.differences("fused", "nobody")


def test_commands_draw_what_they_print(tmp_path: Path) -> None:
    for command, files, name in (
        ("evaluate", FILES, "means.svg"),
        ("compare", FILES, "means.png"),
        ("compare", FILES[:3], "differences.html"),
    ):
        drawn = tmp_path / name
        with_plot = unjudged(command, *files, "-m", "P@10", "--plot", str(drawn))
        assert with_plot.stdout == unjudged(command, *files, "-m", "P@10").stdout
        assert drawn.stat().st_size > 1000
    asked = ("evaluate", *FILES, "-m", "P@10", "--interval", "model", "--prevalence", "0.1")
    assert unjudged(*asked, "--plot", str(tmp_path / "model.pdf")).returncode == 0
    assert refused(2, "evaluate", *FILES, "--plot", "figure.bmp") == (
        "figure.bmp: a figure needs a name that ends in .svg, .png, .pdf or .html"
    )
    nowhere = unjudged("compare", *FILES, "--plot", str(tmp_path / "no" / "figure.svg"))
    assert nowhere.returncode == 1
    assert b"cannot be written" in nowhere.stderr.splitlines()[-1]


def test_the_gallery_is_up_to_date() -> None:
    docs = Path(__file__).parents[2] / "docs"
    assert (docs / "gallery.md").read_text() == gallery_in_markdown(), "run `make docs`"
    for name in (*GALLERY, *COMMANDS):
        assert (docs / "gallery" / f"{name}.svg").read_text().startswith("<svg")
