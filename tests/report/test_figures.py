"""Figures hold what they are drawn from, and nothing lies outside their axes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from unjudged import UsageError, experiment, sample
from unjudged.studies import Experiment

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from unjudged.report import charts
from unjudged.report.charts import line_looks, picture, save
from unjudged.report.experiment_figures import _lines, across, curves, scatter


@pytest.fixture(scope="module")
def found() -> Experiment:
    return experiment(
        sample.qrels, sample.runs, "random(10%, 30%, repeats=2)", ["AP", "Bpref10"], against="AP"
    )


def points(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """Every point of a chart's panels, from top to bottom."""
    kinds = ("concat", "vconcat", "hconcat", "layer")
    inside = [p for key in kinds for part in chart.get(key, []) for p in points(part)]
    return inside + list(chart.get("data", {}).get("values", []))


def on_lines(chart: Any) -> list[dict[str, Any]]:
    """The points of the lines, without their bands and the names at their ends."""
    whole = chart.to_dict()
    lines = [
        layer.get("data", panel.get("data", whole.get("data")))
        for panel in whole["vconcat"]
        for layer in panel["layer"]
        if layer["mark"]["type"] == "line"
    ]
    return [point for data in lines for point in data["values"]]


def test_curves_hold_every_mean(found: Experiment) -> None:
    drawn = on_lines(curves(found, [("Bpref10", "AP"), ("Bpref10", "itself")], ["tau", "bias"]))
    expected = [
        (label, 100 * level, found.find(statistic, "Bpref10", level, against)["mean"])
        for statistic in ("tau", "bias")
        for level in (0.1, 0.3)
        for label, against in (("Bpref10", "AP"), ("Bpref10 against itself", "itself"))
    ]
    assert sorted((p["series"], p["level"], p["value"]) for p in drawn) == sorted(expected)


def test_an_axis_of_errors_starts_at_zero() -> None:
    """Also if the band of an error that varies much reaches below it."""
    rows = [
        (
            "infAP",
            1.0,
            {"statistic": name, "mean": 0.01, "deviation": 0.1, "repeats": 3},
        )
        for name in ("rms", "bias")
    ]
    chart = _lines(rows, ["infAP"], "judged", ["rms", "bias"], [1.0]).to_dict()
    axes = [panel["layer"][0]["encoding"]["y"]["scale"]["domain"] for panel in chart["vconcat"]]
    assert [low for low, _ in axes] == [0.0, -0.1]


def test_every_point_of_a_scatter_is_inside_its_axes(found: Experiment) -> None:
    for against in (None, "itself"):
        chart = scatter(found, against=against).to_dict()
        assert (len(chart["concat"]), chart["columns"]) == (4, 2)
        for panel in chart["concat"]:
            dots = panel["layer"][1]
            low, high = dots["encoding"]["y"]["scale"]["domain"]
            assert len(points(dots)) == len(found.source.runs)
            assert all(low <= p[axis] <= high for p in points(dots) for axis in "xy")


def test_designs_over_the_share_that_they_judge(found: Experiment) -> None:
    drawn = on_lines(across({"ten and thirty": (found, "AP")}, ["rms"]))
    assert [p["value"] for p in drawn] == [found.find("rms", "AP", level)["mean"] for level in (0.1, 0.3)]
    assert [round(p["level"]) for p in drawn] == [10, 30]


def test_what_is_not_a_number_is_not_drawn() -> None:
    nothing_right = {"a": {"q": {"d1": 1.0}}, "b": {"q": {"d1": 2.0}}}
    found = experiment({"q": {"d1": 0, "d2": 1}}, nothing_right, levels=[1.0], measures="AP", repeats=1)
    assert math.isnan(found.find("tau", "AP", 1.0)["mean"])
    assert points(curves(found, statistics=["tau"]).to_dict()) == []


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_kinds(found: Experiment, tmp_path: Path, kind: str, start: bytes) -> None:
    save(curves(found), tmp_path / f"figure.{kind}")
    assert (tmp_path / f"figure.{kind}").read_bytes().startswith(start)


def test_a_page_needs_no_network(found: Experiment) -> None:
    page = picture(curves(found), "html")
    assert isinstance(page, str)
    assert "<script src" not in page


def test_no_name_closes_the_script_of_a_page() -> None:
    """The browser reads the same text from the JSON, in which no character ends the element."""
    hostile = "</script><img src=x onerror=alert(1)>"
    pages = [
        str(picture(charts.altair_module().Chart({"values": [{"run": run}]}).mark_point(), "html"))
        for run in ("harmless", hostile)
    ]
    assert hostile not in pages[1]
    assert r"\u003c/script\u003e\u003cimg src=x onerror=alert(1)\u003e" in pages[1]
    assert pages[0].count("</script>") == pages[1].count("</script>")


def test_unknown_kind(found: Experiment) -> None:
    with pytest.raises(UsageError, match="unknown kind of figure 'gif': use one of svg, png, pdf, html"):
        picture(curves(found), "gif")


def test_without_altair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    with pytest.raises(UsageError, match="a figure needs altair"):
        charts.altair_module()


def test_bands_are_one_deviation_wide(found: Experiment) -> None:
    drawn = on_lines(curves(found, statistics=["tau"]))
    for point in drawn:
        row = found.find("tau", point["series"], point["level"] / 100)
        assert (point["low"], point["high"]) == (
            row["mean"] - row["deviation"],
            row["mean"] + row["deviation"],
        )
    once = experiment(sample.qrels, sample.runs, levels=[0.3], measures="AP", repeats=1)
    assert all("low" not in point for point in points(curves(once).to_dict()))


def test_a_scatter_names_its_runs_and_its_sample(found: Experiment) -> None:
    panel = scatter(found, ["AP"], [0.3], repeat=1).to_dict()["concat"][0]
    assert [point["run"] for point in points(panel["layer"][1])] == list(found.source.runs)
    assert panel["title"]["text"].endswith(", sample 2 of 2")


def test_lines_have_their_names_in_a_legend(found: Experiment) -> None:
    encoding = curves(found, statistics=["rms"]).to_dict()["vconcat"][0]["layer"][-1]["encoding"]
    for channel in ("color", "strokeDash"):
        assert encoding[channel]["scale"]["domain"] == ["AP", "Bpref10"]
        assert encoding[channel]["legend"]["symbolLimit"] == 0
    assert encoding["x"]["title"].endswith(", logarithmic")


def test_sixty_lines_are_told_apart() -> None:
    colour, dash = (
        channel.to_dict()["scale"] for channel in line_looks("run", [f"run {k}" for k in range(60)])
    )
    assert len({(c, tuple(d)) for c, d in zip(colour["range"], dash["range"], strict=True)}) == 60
