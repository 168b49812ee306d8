"""Figures as they look: marks lie in the rows of their systems, and names do not touch."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

import altair as alt

from unjudged import Scores, compare, evaluate, experiment
from unjudged.report.charts import FONT, picture, save
from unjudged.report.experiment_figures import curves, scatter

pytestmark = pytest.mark.thorough

KINDS = ("intervals", "compared", "judged", "differences", "curves", "scatter")
NAME = re.compile(r"system-\d+")
COLUMN = 85 * 72 / 25.4
"""Points of a column of most two-column styles."""


@cache
def figures(systems: int) -> dict[str, Any]:
    """Every kind of figure of some systems on twelve queries."""
    rng = np.random.default_rng(systems)
    qrels = {f"q{q}": {f"d{d}": int(rng.random() < 0.3) for d in range(40)} for q in range(12)}
    runs = {
        f"system-{k:02}": {
            q: {
                f"d{d}": float(qrels[q].get(f"d{d}", 0) + rng.normal())
                for d in rng.choice(60, 20, replace=False)
            }
            for q in qrels
        }
        for k in range(systems)
    }
    complete = {
        name: {q: {d: s for d, s in run[q].items() if d in qrels[q]} for q in run}
        for name, run in runs.items()
    }
    tried = experiment(qrels, complete, levels=[0.3, 0.6], measures=("AP", "infAP"), repeats=2)
    scores, compared = evaluate(qrels, runs, "AP"), compare(qrels, runs, "P@10", correction="none")
    first, *_, last = runs
    return {
        "intervals": scores.plot.intervals("AP"),
        "compared": compared.plot.intervals(),
        "judged": scores.plot.judged_by_rank(10),
        "differences": compared.plot.differences(first, last),
        "curves": curves(tried),
        "scatter": scatter(tried),
    }


def figure(kind: str, systems: int) -> Any:
    return figures(systems)[kind]


@cache
def drawn(kind: str, systems: int) -> str:
    return str(picture(figure(kind, systems), "svg"))


def placed(element: ET.Element, x: float = 0, y: float = 0) -> Iterator[tuple[ET.Element, float, float]]:
    """Yield every element of an SVG with where it lies."""
    moved = re.search(r"translate\(([-\d.e]+)[ ,]+([-\d.e]+)\)", element.get("transform", ""))
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    yield element, x, y
    for inner in element:
        yield from placed(inner, x, y)


def texts(svg: str) -> list[tuple[str, float, float, float, bool]]:
    """Text, x, y, size, and whether it is turned."""
    found = []
    for element, x, y in placed(ET.fromstring(svg)):
        if element.tag.endswith("text") and element.text and element.get("opacity") != "0":
            size = float(str(element.get("font-size")).removesuffix("px"))
            found.append((element.text, x, y, size, "rotate" in element.get("transform", "")))
    return found


def paths(svg: str, colour: str) -> list[tuple[float, float]]:
    """Top and bottom of every mark of a colour that is a line or a path."""
    found = []
    for element, _, y in placed(ET.fromstring(svg)):
        if colour.lower() not in (str(element.get("stroke")).lower(), str(element.get("fill")).lower()):
            continue
        if element.tag.endswith("line"):
            ends = [float(element.get(end, 0)) for end in ("y1", "y2")]
            found.append((y + min(ends), y + max(ends)))
        elif element.tag.endswith("path") and element.get("d"):
            numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", str(element.get("d")))]
            verticals = [y]
            if re.match(r"M[-\d.e]+,[-\d.e]+h[-\d.e]+v", str(element.get("d"))):
                verticals = [y + numbers[1], y + numbers[1] + numbers[3]]
            found.append((min(verticals), max(verticals)))
    return found


@pytest.mark.parametrize("systems", [3, 20, 60])
@pytest.mark.parametrize("kind", ["intervals", "compared"])
def test_each_interval_lies_in_the_row_of_its_system(kind: str, systems: int) -> None:
    svg = drawn(kind, systems)
    rows = sorted(y for text, _, y, _, _ in texts(svg) if NAME.fullmatch(text))
    assert len(rows) == systems
    step = rows[1] - rows[0]
    means, boxes, queries = (sorted(paths(svg, c)) for c in ("#000000", "#5b2a86", "#8a3b00"))
    for marks in (means, boxes, queries):
        assert len(marks) == systems
        offset = None
        for (top, bottom), row in zip(marks, rows, strict=True):
            middle = row - 0.35 * FONT  # text stands on its line
            assert middle - 0.6 * step < top <= bottom < middle + 0.6 * step
            offset = top - row if offset is None else offset
            assert top - row == pytest.approx(offset, abs=0.6)


@pytest.mark.parametrize("systems", [3, 20, 60])
@pytest.mark.parametrize("kind", KINDS)
def test_text_is_readable_in_a_column_and_names_do_not_touch(kind: str, systems: int) -> None:
    svg = drawn(kind, systems)
    found = re.search(r' width="([\d.]+)"', svg)
    assert found is not None
    shown = texts(svg)
    assert min(size for *_, size, _ in shown) * COLUMN / float(found[1]) > 6
    for turned in (False, True):
        axis: dict[float, list[tuple[float, float]]] = {}
        for _, x, y, size, rotated in (one for one in shown if one[4] == turned):
            axis.setdefault(round(y if rotated else x, 1), []).append((x if rotated else y, size))
        for places in axis.values():
            for (first, size), (second, _) in pairwise(sorted(places)):
                assert second - first >= 0.9 * size or second == first, (kind, first, second)
    if kind in ("intervals", "compared", "judged"):
        names = {text for text, *_ in shown if NAME.fullmatch(text)}
        assert names == {f"system-{k:02}" for k in range(systems)}


def test_charts_can_be_joined_and_resized() -> None:
    narrow = figure("intervals", 20).properties(width=150)
    both = alt.hconcat(narrow, figure("judged", 20).properties(width=150), figure("differences", 20))
    svg = str(picture(both, "svg"))
    assert svg.startswith("<svg")
    assert len(paths(svg, "#5b2a86")) == 20 + 1  # the box of the mean difference


def test_120_queries_are_readable_and_have_their_interval() -> None:
    rng = np.random.default_rng(2)
    values = np.clip(rng.normal(0.5, 0.2, (2, 120)), 0, 1)
    scores = Scores.of(values, "AP", runs=["a", "b"], queries=[f"query-{k:03}" for k in range(120)])
    compared = compare(scores)
    chart = compared.plot.differences("a", "b")
    row = chart.to_dict()["layer"][-1]["data"]["values"][0]
    other = compared.pair("a", "b")
    assert (row["query_low"], row["query_high"]) == (other["query_low"], other["query_high"])
    assert "low" not in row
    svg = str(picture(chart, "svg"))
    names = sorted((x, size) for text, x, _, size, _ in texts(svg) if text.startswith("query-"))
    assert len(names) > 5
    assert all(b - a >= 0.9 * size for (a, size), (b, _) in pairwise(names))
    of_scores = scores.plot.differences("a", "b").to_dict()["layer"][-1]["data"]["values"][0]
    assert of_scores["query_low"] == pytest.approx(other["query_low"])


def test_other_kinds_of_files(tmp_path: Path) -> None:
    for kind in ("png", "pdf", "html"):
        save(figure("intervals", 3), tmp_path / f"figure.{kind}")
        assert (tmp_path / f"figure.{kind}").stat().st_size > 1000


def test_notebooks_show_figures_without_a_network() -> None:
    for chart in (figure("intervals", 3), figure("judged", 3).properties(width=100)):
        bundle = chart._repr_mimebundle_()
        assert bundle["image/svg+xml"].startswith("<svg")
        assert "http://www.w3.org" in bundle["image/svg+xml"]
        assert "cdn" not in str(bundle)
    with alt.renderers.enable("mimetype"):
        assert "vegalite" in str(figure("intervals", 3)._repr_mimebundle_())
