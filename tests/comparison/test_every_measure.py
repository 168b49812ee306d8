"""Every measure of the registry, and policies, in comparisons, reports and plans."""

from __future__ import annotations

import json
from inspect import Parameter
from itertools import product
from math import inf
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_1samp, ttest_rel

from tests.cli.in_process import printed, unjudged
from tests.report.test_page import read
from unjudged import (
    MEASURES,
    JudgedRankings,
    Judgments,
    UsageError,
    compare,
    compare_collections,
    evaluate,
    gate,
    measure,
    sample,
)
from unjudged.comparison.verdicts import HIGHER, SIMILAR
from unjudged.grids import escapes
from unjudged.judging import Pool
from unjudged.measures.kernel.estimand import permitted
from unjudged.measures.kernel.names import parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.judged import Floats
from unjudged.report.page.report_page import report_page

NEEDED = {"cutoff": 10, "recall": 0.5, "multiple": 1.0}
POLICIES = (
    "AP(unjudged='condensed')",
    "Bpref(unjudged='nonrelevant')",
    "AP(chance=1000)",
    "RBP(chance=1000)",
)
RUNS = {name: sample.runs[name] for name in ("reranked", "fused", "dense")}
POOLED = Pool.of(sample.qrels, sample.runs)
KINDS = {"pool": Judgments.of(sample.qrels), "strata": POOLED.stratified({5: 1.0, np.inf: 0.3}, seed=1)}
pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")]


def _with_needed(measure: Measure) -> str:
    empty = [name for name, default in measure.parameters.items() if default is Parameter.empty]
    return str(measure(**{name: NEEDED[name] for name in empty}))


EVERY = [*map(_with_needed, MEASURES.values()), *POLICIES]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The command line of each kind of judgments."""
    folder = tmp_path_factory.mktemp("kinds")
    strata = folder / "strata.txt"
    options = ["-d", "stratified", "--share", "30%", "--format", "strata"]
    strata.write_text(printed("sample", str(sample.qrels), *map(str, sample.runs.values()), *options))
    qrels = {"pool": str(sample.qrels), "strata": str(strata)}
    return {kind: [file, *map(str, RUNS.values())] for kind, file in qrels.items()}


@pytest.mark.parametrize(("name", "kind"), list(product(EVERY, KINDS)))
def test_a_measure_is_compared_and_reported(name: str, kind: str) -> None:
    """The tests are those of scipy; bounds are blank where there are none, and nothing else is."""
    judgments, asked = KINDS[kind], parse_measure(name)
    if isinstance(permitted(asked, judgments), Refusal):
        with pytest.raises(UsageError, match="use xinfAP or statAP"):
            compare(judgments, RUNS, name)
        return
    scores, found = evaluate(judgments, RUNS, name), compare(judgments, RUNS, name, correction="none")
    values, (result,) = asked.averaged(scores.values[:, :, 0]), found.results
    counted = len(scores.queries) if asked.traits.summary == "sum" else 1
    assert result.means == pytest.approx(scores.means[:, 0] / counted, rel=1e-15)
    for pair in found.pairs():
        a, b = (list(RUNS).index(run) for run in (pair.a, pair.b))
        same = np.abs(values[a] - values[b]).max() <= 1e-12
        if not same:
            assert pair.p == pytest.approx(ttest_rel(values[a], values[b]).pvalue, rel=1e-6)
        assert pair.difference.value == pytest.approx(values[a].mean() - values[b].mean(), abs=1e-12)
        ends = pair.other_queries.low, pair.other_queries.high
        assert ends == (-np.inf, np.inf) if same else np.isfinite(ends).all()
        assert pair.difference.has_interval == (pair.verdict not in (HIGHER, SIMILAR))
        assert pair.difference.has_interval != bool(result.judging.missing)
        assert "nan" not in str(pair)
    other = scores.estimate("queries")
    assert [np.isfinite([row[0].low, row[0].high]).all() for row in other] == [True] * 3
    expected = np.array([[row[0].low, row[0].high] for row in other]).T / counted
    assert np.array(result.other_queries) == pytest.approx(expected, rel=1e-12)
    assert " nan" not in str(found) + str(found.pairs_grid()) + found.to_latex()
    assert " nan" not in str(found.per_query("fused", "dense"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_has_every_measure(kind: str) -> None:
    """The page of one measure without bounds has no bounds, and any page the numbers of `compare`."""
    judgments = KINDS[kind]
    found = compare(judgments, RUNS, EVERY)
    page, arrays = read(report_page(judgments, RUNS, EVERY).html)
    alone, numbers = read(report_page(judgments, RUNS["fused"], EVERY).html)
    for k, result in enumerate(found.results):
        bounded = not result.judging.missing
        assert [facts["measures"][k]["bounded"] for facts in (page, alone)] == [bounded, bounded]
        assert arrays[f"p{k}"].tolist() == result.tests.p.tolist()
        assert np.isfinite(arrays[f"pair_low{k}"]).all() == bounded
        assert np.isfinite(arrays[f"queries{k}"]).all()
        expected = evaluate(judgments, RUNS["fused"], str(result.measure)).means[0]
        assert numbers[f"means{k}"].tolist() == expected.tolist()
    for name in ("xinfAP", "Judged", "GMAP"):
        for runs in (RUNS, RUNS["fused"]):
            facts, _ = read(report_page(judgments, runs, name).html)
            assert ("bounds" in facts["intervals"]) == (name == "GMAP")


@pytest.mark.parametrize("kind", KINDS)
def test_commands_take_all_measures_together(kind: str, files: dict[str, list[str]], tmp_path: Path) -> None:
    """No measure keeps the others from a table; what the judgments do not allow is left out aloud."""
    allowed = [n for n in EVERY if not isinstance(permitted(parse_measure(n), KINDS[kind]), Refusal)]
    options = [word for name in EVERY for word in ("-m", name)]

    said: dict[str, str] = {}

    def out(command: str, *more: str) -> str:
        done = unjudged(*command.split(), *files[kind], *options, *more)
        said[command] = done.stderr.decode()
        assert done.returncode == 0, said[command]
        return done.stdout.decode()

    wide = " ".join(out("compare").split())
    for name in EVERY:
        assert (name in allowed) != (f"{name} is left out: {name} needs a uniform sample" in wide)
    rows = json.loads(out("compare", "--pairs", "--format", "json"))["rows"]
    assert {row["measure"] for row in rows} == set(allowed)
    latex = out("compare", "--format", "latex")
    assert all(latex.count(f"{{c}}{{{escapes.latex(name)}}}") == 1 for name in allowed)
    assert latex.count(r"\multicolumn") == len(allowed)
    page = tmp_path / "page.html"
    out("report", "-o", str(page))
    assert [one["name"] for one in read(page.read_text())[0]["measures"]] == allowed


def test_a_sample_decides_the_default_measure(files: dict[str, list[str]]) -> None:
    assert printed("compare", *files["strata"][:3]).startswith("xinfAP: ")
    assert printed("compare", *files["pool"][:3]).startswith("RBP(p=0.8): ")
    said = printed("compare", *files["strata"][:3])
    assert "the spread over queries contains the noise of sampling" in " ".join(said.split())


def test_geometric_means_are_compared_by_logarithms() -> None:
    """The difference is the logarithm of the quotient of both means; intervals are t of logarithms."""
    scores = evaluate(sample.qrels, RUNS, "GMAP")
    pair = compare(sample.qrels, RUNS, "GMAP").pair("reranked", "fused")
    first, second = (scores.value("GMAP", run=run) for run in ("reranked", "fused"))
    assert pair.difference.value == pytest.approx(np.log(first / second))
    assert pair.difference.low <= pair.difference.value <= pair.difference.high
    logs = np.log(scores.values[0, :, 0])
    expected = np.exp(ttest_1samp(logs, 0).confidence_interval(0.95))
    (estimate,) = scores.estimate("queries")[0]
    assert [estimate.low, estimate.high] == pytest.approx(expected)
    assert estimate.value == first
    assert "difference of mean logarithms" in str(pair)
    bounded = scores.estimate("bounds")[0][0]
    ends = evaluate(sample.qrels, RUNS, "AP").estimate("bounds")[0][0]
    assert 0 < bounded.low < bounded.value < bounded.high
    assert bounded.high <= ends.high


def test_a_measure_without_a_highest_value_has_a_t_interval() -> None:
    scores = evaluate(sample.qrels, RUNS, "DCG@10")
    expected = ttest_1samp(scores.values[1, :, 0], 0).confidence_interval(0.9)
    (estimate,) = scores.estimate("queries", confidence=0.9)[1]
    assert [estimate.low, estimate.high] == pytest.approx(expected)
    assert "Student's t" in estimate.method


def test_a_measure_of_ones_own() -> None:
    """Without traits it has no bounds; tests and intervals it has."""

    @measure(range=(0, inf))
    def OddRanks(r: JudgedRankings) -> Floats:
        """Count the relevant documents at odd ranks."""
        hits = r.where((r.labels > 0) & (r.rank % 2 == 1))
        return hits.counts.astype(float)

    try:
        found = compare(sample.qrels, RUNS, ["OddRanks", "P@10"])
        assert {pair.verdict for pair in found.pairs("OddRanks")} <= {HIGHER, SIMILAR}
        assert "OddRanks has no bounds" in " ".join(found.notes)
        facts, _ = read(report_page(sample.qrels, RUNS, ["OddRanks", "P@10"]).html)
        assert [one["bounded"] for one in facts["measures"]] == [False, True]
    finally:
        del MEASURES["OddRanks"]


@pytest.mark.parametrize("name", ["GMAP", "xinfAP", "DCG@10", "AP(unjudged='condensed')"])
def test_segments_gates_and_several_collections(name: str) -> None:
    """Whatever else compares takes such measures too, and shows means as `evaluate` does."""
    scores = evaluate(sample.qrels, RUNS, name)
    mean = {run: scores.value(name, run=run) for run in RUNS}
    found = compare(sample.qrels, RUNS, name)
    half = {query: str(i % 2) for i, query in enumerate(found.queries)}
    whole = [row for row in found.by(half).rows if row.segment == "all"]
    assert [row.mean_a for row in whole] == pytest.approx([mean[row.a] for row in whole])
    (check,) = gate(sample.qrels, RUNS["fused"], RUNS["reranked"], measures=name, margin=0.1).checks
    assert (check.old, check.new) == pytest.approx((mean["fused"], mean["reranked"]))
    several = compare_collections({"one": (sample.qrels, RUNS), "two": (sample.qrels, RUNS)}, name)
    assert several.means[:, 0] == pytest.approx(list(mean.values()))
    assert several.macro_means == pytest.approx(list(mean.values()))
    low, high = several.interval
    assert (low < several.macro_means).all()
    assert (several.macro_means < high).all()
