"""Figures: their marks lie where the numbers are, text is readable, and names are only text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gallery import PAGE, draw_gallery

from tests.cli.in_process import refused, unjudged
from unjudged import UsageError, compare, evaluate, experiment, sample
from unjudged.report.experiment_figures import curves, scatter
from unjudged.report.figure import FONT, Figure, Scale, around, at_line_ends, picture
from unjudged.studies.experimenting import Experiment

FILES = [str(sample.qrels), *map(str, sample.runs.values())]
SVG = "{http://www.w3.org/2000/svg}"
LONG = "x" * 40_000
HOSTILE = (
    "\x01control\x1b[31m\x00\x7f",
    "not UTF-8 \udcff\udce9",
    LONG,
    LONG + "y",
    "__proto__",
    "</text><script>alert(1)</script>&amp;",
    "\ufffe\uffff\u202eevil\u202c",
    "line\nbreak\ttab",
)


def hostile() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments and runs of ten queries with hostile names of queries and runs."""
    queries = [*HOSTILE, "q9", "q10"]
    qrels = {query: {f"d{j}": (i + j) % 3 % 2 for j in range(12)} for i, query in enumerate(queries)}
    runs = {
        run: {query: {f"d{(i + k * j) % 15}": 20.0 - j for j in range(10)} for i, query in enumerate(queries)}
        for k, run in enumerate(HOSTILE[:6], 1)
    }
    return qrels, runs


def figures(qrels: Any, runs: Any) -> dict[str, Figure]:
    """Every figure by its name."""
    first, second = list(runs)[:2]
    scores, comparison = evaluate(qrels, runs, ["AP"]), compare(qrels, runs, ["AP"])
    tried = experiment(qrels, runs, levels=[0.1, 0.3], measures=["AP", "Bpref"], repeats=2)
    return {
        "intervals": scores.plot.intervals(),
        "judged": scores.plot.judged_by_rank(),
        "of a comparison": comparison.plot.intervals(),
        "differences": comparison.plot.differences(first, second),
        "curves": curves(tried),
        "scatter": scatter(tried),
    }


@pytest.fixture(scope="module")
def drawn() -> dict[str, Figure]:
    return figures(sample.qrels, sample.runs)


@pytest.fixture(scope="module")
def tried() -> Experiment:
    return experiment(sample.qrels, sample.runs, levels=[0.1, 0.3, 0.5], measures=["AP", "infAP"], repeats=3)


def texts(figure: Figure) -> list[ET.Element]:
    return list(ET.fromstring(figure.svg()).iter(f"{SVG}text"))


def dots(figure: Figure) -> list[tuple[float, float]]:
    """Places of the dots; those of the explanation come first."""
    found = ET.fromstring(figure.svg()).iter(f"{SVG}circle")
    return [(float(one.attrib["cx"]), float(one.attrib["cy"])) for one in found]


def boxes(figure: Figure) -> list[tuple[float, float, float, float]]:
    """Left, right, top and bottom of each text that is not turned, in its own group."""
    found = []
    for group in ET.fromstring(figure.svg()).iter(f"{SVG}g"):
        for one in group.findall(f"{SVG}text"):
            size = float(one.attrib.get("font-size", FONT))
            wide = 0.55 * size * len(one.text or "")
            x, y = float(one.attrib["x"]), float(one.attrib["y"])
            left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[one.attrib.get("text-anchor", "start")]
            found.append((left, left + wide, y - 0.7 * size, y))
    return found


def test_text_is_readable_inside_and_does_not_touch(drawn: dict[str, Figure]) -> None:
    """At a width of 85 mm (241 points) it has at least 6.5 points."""
    for name, figure in drawn.items():
        assert all(241 / figure.width * float(t.attrib.get("font-size", FONT)) > 6.5 for t in texts(figure))
        placed = boxes(figure)
        assert all(left >= 0 and right <= figure.width for left, right, _, _ in placed), name
        for one, two in combinations(placed, 2):
            apart = one[1] <= two[0] or two[1] <= one[0] or one[3] <= two[2] or two[3] <= one[2]
            assert apart, (name, one, two)


def test_systems_lie_where_their_means_are() -> None:
    found = compare(sample.qrels, sample.runs, ["AP"])
    means = [row["mean"] for row in found.systems]
    places = [x for x, _ in dots(found.plot.intervals())[1:]]
    assert np.corrcoef(means, places)[0, 1] == pytest.approx(1, abs=1e-4)
    title = found.plot.intervals().title
    assert title == "reranked leads by AP. dense could be anywhere from 0.09 to 0.83"


def test_differences_are_those_of_the_queries() -> None:
    found = compare(sample.qrels, sample.runs, ["AP", "RBP"])
    rows = found.by_query("fused", "dense", "RBP").rows["queries"]
    figure = found.plot.differences("fused", "dense", "RBP")
    heights = [-y for _, y in dots(figure)[2:-1]]
    assert np.corrcoef(sorted((row["difference"] for row in rows), reverse=True), heights)[0, 1] > 0.9999
    ahead = sum(row["difference"] > 0 for row in rows)
    assert figure.title == f"fused beats dense on {ahead} of 30 queries"


def test_judged_shares_are_those_of_judged_at_ten(drawn: dict[str, Figure]) -> None:
    share = evaluate(sample.qrels, sample.runs["dense"], "Judged@10").means[0, 0]
    assert drawn["judged"].title.startswith(f"{100 * share:.0f} % of dense's first ten")


def test_curves_and_panels_have_every_point(tried: Experiment) -> None:
    assert len(dots(curves(tried))) == 3 * 2 * 3
    assert len(dots(scatter(tried, ["infAP"], [0.1, 0.5]))) == 2 * len(tried.source.runs)
    assert "infAP from 10 % is nearest to AP: tau" in curves(tried).title


def test_what_is_not_a_number_is_not_drawn() -> None:
    same = {run: {"q": {"d1": 1.0, "d2": 0.5}} for run in ("a", "b", "c")}
    found = experiment({"q": {"d1": 1, "d2": 1}}, same, levels=[0.5, 1.0], measures="AP", repeats=1)
    with pytest.raises(UsageError, match="nothing to draw"):
        curves(found, statistics=["tau"])


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_kinds(drawn: dict[str, Figure], tmp_path: Path, kind: str, start: bytes) -> None:
    pytest.importorskip("vl_convert")
    drawn["curves"].save(tmp_path / f"figure.{kind}")
    assert (tmp_path / f"figure.{kind}").read_bytes().startswith(start)
    assert drawn["curves"].title in drawn["curves"].svg()
    assert "font-weight" not in drawn["curves"].svg(titled=False)


def test_names_are_plain_and_short() -> None:
    for name, figure in figures(*hostile()).items():
        said = [text.text or "" for text in texts(figure)]
        assert all(len(one) < 80 and one.isprintable() for one in said), name
        assert "<script" not in figure.svg()
        assert picture(figure, "svg")


def test_scales_and_labels() -> None:
    assert around([0.11, 0.43]) == pytest.approx((0.1, 0.5))
    assert around([], zero=True)[0] == 0
    assert Scale(1, 100, 0, 10, logarithmic=True)(10) == 5
    ys = [
        float(y)
        for y in re.findall(r' y="([\d.]+)"', "".join(at_line_ends([(50, "a", "ink")] * 4, 0, 0, 60)))
    ]
    assert min(b - a for a, b in zip(ys[:-1], ys[1:], strict=True)) >= 14


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda e: picture(curves(e), "gif"), "a figure needs a name that ends in"),
        (lambda e: curves(e, statistics=[]), "no statistic given"),
        (lambda e: curves(e, statistics=["nope"]), "nope"),
        (lambda e: scatter(e, ["P@10"]), "the experiment has no P@10"),
        (lambda e: scatter(e, levels=[0.2]), "the experiment has no level 0.2"),
    ],
)
def test_refusals(tried: Experiment, draw: Any, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        draw(tried)


def test_commands_draw_what_they_print(tmp_path: Path) -> None:
    for words, said in (
        (["evaluate", *FILES], "reranked leads"),
        (["evaluate", *FILES, "--interval", "queries"], "reranked leads"),
        (["compare", *FILES], "reranked leads"),
        (["compare", *FILES[:3]], "beats"),
    ):
        place = tmp_path / "figure.svg"
        done = unjudged(*words, "-m", "AP", "--plot", str(place))
        assert done.returncode == 0, done.stderr
        assert said in place.read_text()
    assert "ends in .svg, .png or .pdf" in refused(2, "evaluate", *FILES, "--plot", str(tmp_path / "a.bmp"))


@pytest.mark.thorough
def test_the_gallery_is_drawn_by_its_own_code(tmp_path: Path) -> None:
    shown = re.findall(r"gallery/(\w+)\.svg", PAGE.read_text())
    assert {*draw_gallery(tmp_path)} == {*shown} == {path.stem for path in tmp_path.iterdir()}
    titles = re.findall(r"\[!\[.*?\]\(.*?\)\]\(#(.*?)\)", PAGE.read_text())
    heads = re.findall(r"^## (.*)$", PAGE.read_text(), re.MULTILINE)
    assert {*titles} <= {re.sub(r"[^a-z ]", "", head.lower()).replace(" ", "-") for head in heads}
