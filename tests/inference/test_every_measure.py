"""Every measure of the registry, and policies, in comparisons, reports and plans."""

from __future__ import annotations

from inspect import Parameter
from itertools import product
from math import inf
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_1samp, ttest_rel

from tests.cli.in_process import printed, unjudged
from tests.intervals import intervals
from tests.report.test_page import read
from tests.sample_files import text_of_sample
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
from unjudged.base.segments import Floats
from unjudged.evidence.drawn.estimated import EstimatedEvidence
from unjudged.evidence.drawn.strata import ENOUGH, StrataEvidence
from unjudged.evidence.drawn.strata_means import SampledMeans
from unjudged.inference.verdict import BETTER, HOLD, NEEDS_QUERIES, UNKNOWN
from unjudged.judging import Pool
from unjudged.measures.kernel.names import parse_measure
from unjudged.measures.kernel.permitted import permitted
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.questions.gathering import asked_about, gather
from unjudged.report.report_page import report_page

NEEDED = {"cutoff": 10, "recall": 0.5, "multiple": 1.0}
POLICIES = (
    "AP(unjudged='condensed')",
    "Bpref(unjudged='nonrelevant')",
    "AP(chance=1000)",
    "RBP(chance=1000)",
)
RUNS = {name: sample.runs[name] for name in ("reranked", "fused", "dense")}
POOLED = Pool.of(sample.qrels, sample.runs)
KINDS = {"pool": Judgments.read(sample.qrels), "strata": POOLED.stratified({5: 1.0, np.inf: 0.3}, seed=1)}
pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")]


def _with_needed(measure: Measure) -> str:
    empty = [name for name, default in measure.parameters.items() if default is Parameter.empty]
    return str(measure(**{name: NEEDED[name] for name in empty}))


def _wrong_too_often(measure: Measure, kind: str) -> bool:
    """Whether it estimates a quotient from what counts as a uniform sample."""
    return kind == "pool" and measure.traits.estimates in ("AP", "nDCG")


EVERY = [*map(_with_needed, MEASURES.values()), *POLICIES]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The command line of each kind of judgments."""
    folder = tmp_path_factory.mktemp("kinds")
    strata = folder / "strata.txt"
    strata.write_text(text_of_sample(KINDS["strata"], "strata"))
    qrels = {"pool": str(sample.qrels), "strata": str(strata)}
    return {kind: [file, *map(str, RUNS.values())] for kind, file in qrels.items()}


@pytest.mark.parametrize(("name", "kind"), list(product(EVERY, KINDS)))
def test_a_measure_is_compared_and_reported(name: str, kind: str) -> None:
    """The tests are those of scipy; bounds are blank where there are none, and nothing else is."""
    judgments, asked = KINDS[kind], parse_measure(name)
    refusal = "use xinfAP or statAP" if isinstance(permitted(asked, judgments), Refusal) else ""
    if _wrong_too_often(asked, kind):
        refusal = "tests of it are wrong too often"
    if refusal:
        with pytest.raises(UsageError, match=refusal):
            compare(judgments, RUNS, name)
        return
    scores = evaluate(judgments, RUNS, name)
    values, estimated = asked.averaged(scores.values[:, :, 0]), False
    given = np.zeros(len(RUNS), bool)
    (evidence,) = gather(asked_about(judgments, RUNS), name).evidence
    if isinstance(evidence, EstimatedEvidence):
        values, estimated, given = evidence.scores, True, evidence.alone.given
    if isinstance(evidence, StrataEvidence):
        means = SampledMeans.of(asked, scores.rankings)
        moved = means.value.mean(axis=1) - means.value[:, means.seen].mean(axis=1)
        values, estimated = means.value[:, means.seen] + moved[:, None], True
        given = (means.documents_behind() >= ENOUGH) | ("cutoff" not in asked.given)
    assert not estimated or kind == "strata"
    found = compare(judgments, RUNS, name, correction="none")
    counted = len(scores.queries) if asked.traits.summary == "sum" else 1
    mean = {row["system"]: row["mean"] for row in found.systems}
    expected = np.where(given & estimated, values.mean(axis=1), scores.means[:, 0] / counted)
    assert [mean[run] for run in RUNS] == pytest.approx(expected, rel=1e-15 if not estimated else 1e-12)
    for row in found.pairs:
        a, b = (list(RUNS).index(row[side]) for side in "ab")
        same = np.abs(values[a] - values[b]).max() <= 1e-12
        if not same:
            assert row["p"] == pytest.approx(ttest_rel(values[a], values[b]).pvalue, rel=1e-6)
        assert row["difference"] == pytest.approx(values[a].mean() - values[b].mean(), abs=1e-12)
        ends = row["query_low"], row["query_high"]
        assert ends == (-np.inf, np.inf) if same else np.isfinite(ends).all()
        bounded = "low" in row
        assert bounded == (row["more_judging"] != UNKNOWN) == (not row["missing"])
        assert bounded or row["headline"] == (BETTER if row["other_queries"] == HOLD else NEEDS_QUERIES)
        assert not bounded or row["low"] <= row["difference"] <= row["high"]
    ends_of = {row["system"]: (row["query_low"], row["query_high"]) for row in found.systems}
    assert np.isfinite([*ends_of.values()]).all()
    if not estimated:
        expected = np.array([[row[0].low, row[0].high] for row in intervals(scores, "queries")]) / counted
        assert np.array([ends_of[run] for run in RUNS]) == pytest.approx(expected, rel=1e-12)
    shown = [str(found), str(found.grid("pairs")), found.to_latex(), *found.sentences()]
    assert not any(" nan" in text for text in [*shown, str(found.by_query("fused", "dense").grid())])


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_has_every_measure(kind: str, files: dict[str, list[str]], tmp_path: Path) -> None:
    """No measure keeps the others from it, what the judgments do not allow is left out aloud, and the page of
    one measure without bounds has no bounds."""
    judgments, written = KINDS[kind], tmp_path / "page.html"
    two = dict(list(RUNS.items())[:2])
    allowed = [n for n in EVERY if not isinstance(permitted(parse_measure(n), judgments), Refusal)]
    compared = [n for n in allowed if not _wrong_too_often(parse_measure(n), kind)]
    done = unjudged("report", *files[kind][:3], "-m", *EVERY, "-o", str(written))
    said = done.stderr.decode()
    assert done.returncode == 0, said
    for name in EVERY:
        assert (name in allowed) != (f"{name} is left out: {name} needs a uniform sample" in said)
    page = read(written.read_text())
    assert [one["name"] for one in page["measures"]] == compared
    found = compare(judgments, two, EVERY)
    alone = read(report_page(judgments, RUNS["fused"], EVERY).html)
    for k, name in enumerate(found.measures):
        rows = [row for row in found.pairs if row["measure"] == name]
        bounded = not rows[0]["missing"]
        several, one = (facts["measures"][k] for facts in (page, alone))
        assert all((low is not None) == bounded for low in [*several["low"], *one["low"]])
        assert several["pairs"]["p"] == pytest.approx([row["p"] for row in rows], abs=1e-7)
        assert all((low is not None) == bounded for low in several["pairs"]["low"])
        assert None not in [*several["query_low"], *one["query_low"]]
        (fused,) = [r for r in found.systems if (r["measure"], r["system"]) == (name, "fused")]
        assert one["mean"] == pytest.approx([fused["mean"]], rel=1e-12)
    for name in ("infP@10", "Judged", "GMAP"):
        (facts,) = read(report_page(judgments, two, name).html)["measures"]
        assert (None not in facts["low"]) == (name == "GMAP")


def test_a_sample_decides_the_default_measure(files: dict[str, list[str]]) -> None:
    for kind, name in (("strata", "xinfAP"), ("pool", "nDCG@10")):
        said = printed("compare", *files[kind][:3]).splitlines()
        assert any(line.startswith(f"{name}: ") for line in said[:4])


def test_geometric_means_are_compared_by_logarithms() -> None:
    """The difference is the logarithm of the quotient of both means; intervals are t of logarithms."""
    scores = evaluate(sample.qrels, RUNS, "GMAP")
    found = compare(sample.qrels, {name: RUNS[name] for name in ("fused", "reranked")}, "GMAP")
    first, second = (scores.value("GMAP", run=run) for run in ("reranked", "fused"))
    assert found["difference"] == pytest.approx(np.log(first / second))
    assert (found["mean_a"], found["mean_b"]) == (first, second)
    assert found["low"] <= found["difference"] <= found["high"]
    logs = np.log(scores.values[0, :, 0])
    expected = np.exp(ttest_1samp(logs, 0).confidence_interval(0.95))
    (estimate,) = intervals(scores, "queries")[0]
    assert [estimate.low, estimate.high] == pytest.approx(expected)
    assert estimate.value == first
    assert "difference of mean logarithms" in str(found)
    bounded = intervals(scores, "bounds")[0][0]
    ends = intervals(evaluate(sample.qrels, RUNS, "AP"), "bounds")[0][0]
    assert 0 < bounded.low < bounded.value < bounded.high
    assert bounded.high <= ends.high


def test_a_measure_without_a_highest_value_has_a_t_interval() -> None:
    scores = evaluate(sample.qrels, RUNS, "DCG@10")
    expected = ttest_1samp(scores.values[1, :, 0], 0).confidence_interval(0.9)
    (estimate,) = intervals(scores, "queries", confidence=0.9)[1]
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
        odd = [row for row in found.pairs if row["measure"] == "OddRanks"]
        assert {row["more_judging"] for row in odd} == {UNKNOWN}
        assert (
            "OddRanks: what more judging could change is unknown: OddRanks has no bounds."
            in found.grid().notes
        )
        facts = read(report_page(sample.qrels, RUNS, ["OddRanks", "P@10"]).html)
        assert [None not in one["low"] for one in facts["measures"]] == [False, True]
    finally:
        del MEASURES["OddRanks"]


@pytest.mark.parametrize("name", ["GMAP", "infP@10", "DCG@10", "AP(unjudged='condensed')"])
def test_segments_gates_and_several_collections(name: str) -> None:
    """Whatever else compares takes such measures too, and shows means as `evaluate` does."""
    scores = evaluate(sample.qrels, RUNS, name)
    mean = {run: scores.value(name, run=run) for run in RUNS}
    queries = Judgments.read(sample.qrels).queries
    half = {query: str(i % 2) for i, query in enumerate(queries)}
    found = compare(sample.qrels, RUNS, name, segments=half)
    whole = [row for row in found.segments if row["segment"] == "all"]
    assert [row["mean_a"] for row in whole] == pytest.approx([mean[row["a"]] for row in whole])
    (check,) = gate(sample.qrels, RUNS["fused"], RUNS["reranked"], measures=name, margin=0.1).checks
    assert (check["mean_b"], check["mean_a"]) == pytest.approx((mean["fused"], mean["reranked"]))
    several = compare_collections({"one": (sample.qrels, RUNS), "two": (sample.qrels, RUNS)}, name)
    for row in several.systems:
        assert row["mean"] == pytest.approx(mean[row["system"]])
        assert row["query_low"] < row["mean"] < row["query_high"]
