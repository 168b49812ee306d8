"""Our measures in ir_measures: the same values, bit for bit; theirs by our provider as by pytrec_eval's."""

from __future__ import annotations

import subprocess
import sys
from inspect import Parameter
from typing import Any

import ir_measures
import numpy as np
import pandas
import pytest
from hypothesis import given
from ir_measures import Qrel, ScoredDoc

from tests.conftest import Qrels, RunDict, collections, examples
from tests.intervals import intervals
from unjudged import AP, MEASURES, InputError, Judgments, Run, UsageError, evaluate, measure, nDCG, sample
from unjudged.base.segments import Floats
from unjudged.compat import ir_measures as compat
from unjudged.evidence.value_bounds import bounds
from unjudged.measures.kernel.names import parse, parse_measures
from unjudged.rankings.judged import JudgedRankings

PROVIDER = ir_measures.providers.registry["unjudged"]
AT = {"recall": "@0.1", "cutoff": "@10", "multiple": "@1.0"}
EVERY = [
    name + next((AT[key] for key, default in m.parameters.items() if default is Parameter.empty), "")
    for name, m in MEASURES.items()
    if m.function.__module__.startswith("unjudged.") and not m.traits.across_queries
]


def theirs(name: str) -> Any:
    """Our measure by the name it has there."""
    bare = name.partition("(")[0].partition("@")[0]
    return ir_measures.parse_measure(name.replace(bare, getattr(compat, bare).NAME, 1))


def rows() -> tuple[list[Qrel], list[ScoredDoc]]:
    return list(ir_measures.read_trec_qrels(str(sample.qrels))), list(
        ir_measures.read_trec_run(str(sample.runs["expanded"]))
    )


def test_every_measure_of_ours_is_there_with_the_same_values() -> None:
    asked = [*EVERY, "AP(unjudged='condensed')@10", "RBPResidual(p=0.5)@20", "nDCG(dcg='exp-log2')@10"]
    expected = evaluate(sample.qrels, sample.runs["expanded"], asked)
    objects = {theirs(name): k for k, name in enumerate(asked)}
    found = ir_measures.calc(list(objects), *rows())
    assert len(found.per_query) == len(asked) * len(expected.queries)
    for metric in found.per_query:
        place = list(expected.queries).index(metric.query_id)
        assert metric.value == expected.values[0, place, objects[metric.measure]], metric
    for thing, k in objects.items():
        assert found.aggregated[thing] == expected.means[0, k], thing


def test_names_and_parameters() -> None:
    assert str(compat.AP(unjudged="condensed") @ 10) == "unjudged_AP(unjudged='condensed')@10"
    assert str(compat.RBPResidual(p=0.5)) == "RBPResidual(p=0.5)"
    assert ir_measures.parse_measure("infNDCG") == compat.infNDCG
    assert type(ir_measures.parse_measure("AP")) is type(ir_measures.AP)
    with pytest.raises(UsageError, match="RBPResidual: p is 2, expected a number between 0 and 1"):
        ir_measures.calc_aggregate([compat.RBPResidual(p=2)], *rows())
    with pytest.raises(UsageError, match="P needs a cutoff"):
        ir_measures.calc_aggregate([compat.P], *rows())
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = compat.Nothing


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "RBP(p=0.8)", "Bpref", "R@20"])
def test_the_ends_of_the_interval_are_measures(name: str) -> None:
    (ours,) = parse(name)
    rankings = evaluate(sample.qrels, sample.runs["dense"], ours).rankings
    assert rankings is not None
    limits = bounds(ours, rankings)
    run = list(ir_measures.read_trec_run(str(sample.runs["dense"])))
    for bound, expected in {"low": limits.low, "high": limits.high}.items():
        asked = theirs(name)(bound=bound)
        values = {m.query_id: m.value for m in ir_measures.iter_calc([asked], rows()[0], run)}
        assert list(values.values()) == expected.tolist()
    with pytest.raises(AssertionError, match="invalid param bound"):
        ir_measures.calc_aggregate([theirs(name)(bound="middle")], *rows())


SHARED = [
    "AP", "AP@5", "AP(rel=2)", "P@5", "P(rel=2)@3", "R@5", "R(rel=2)@2", "Rprec", "Rprec(rel=2)", "RR",
    "RR(rel=2)", "Success@2", "IPrec@0.25", "IPrec@0.5", "nDCG", "nDCG@3",
    "nDCG(gains={0:0,1:4,2:5,3:9})", "Bpref", "Bpref(rel=2)", "infAP", "NumRet", "NumRet(rel=1)",
    "NumRel", "SetP", "SetP(rel=2)", "SetR", "SetF", "SetF(beta=2.0)", "SetF(beta=0.5)",
    "AP(judged_only=True)", "P(judged_only=True)@3", "nDCG(judged_only=True)@3", "RR(judged_only=True)",
]  # fmt: skip


@examples(40)
@given(collections(lowest=0))
def test_their_measures_by_our_provider(collection: tuple[Qrels, RunDict]) -> None:
    asked = [ir_measures.parse_measure(name) for name in SHARED]
    assert all(PROVIDER.supports(thing) for thing in asked)
    ours = {(m.query_id, m.measure): m.value for m in PROVIDER.iter_calc(asked, *collection)}
    others = {(m.query_id, m.measure): m.value for m in ir_measures.pytrec_eval.iter_calc(asked, *collection)}
    assert ours.keys() == others.keys()
    for (query, thing), value in others.items():
        if query in collection[1] or thing != ir_measures.NumRel:  # there 0 for a query that the run misses
            assert ours[query, thing] == pytest.approx(value, abs=1e-9), (query, thing)


def test_figures_of_their_own_tests() -> None:
    """From tests/test_pytrec_eval.py and tests/test_judged.py of ir_measures 0.4.3."""
    qrels = {"0": {"D0": 0, "D1": 1, "D2": 2, "D3": 2, "D4": 0}, "1": {"D0": 1, "D3": 2, "D5": 0}}
    run = {
        "0": {"D0": 0.8, "D2": 0.7, "D1": 0.3, "D3": 0.4, "D4": 0.1},
        "1": {"D1": 0.8, "D4": 0.7, "D3": 0.3, "D2": 0.4},
    }
    figures = {
        "NumRet": (5, 4),
        "NumRet(rel=2)": (2, 1),
        "Success@2": (1, 0),
        "Success(rel=3)@2": (0, 0),
        "SetP": (0.6, 0.25),
        "SetP(rel=2)": (0.4, 0.25),
        "SetR": (1, 0.5),
        "SetF": (0.75, 0.33333),
        "SetF(beta=0.5)": (0.6923, 0.3),
        "SetF(beta=2.0)": (0.81818, 0.375),
        "Judged": (1, 0.25),
        "Judged@3": (1, 0),
    }
    for name, expected in figures.items():
        thing = ir_measures.parse_measure(name)
        values = [m.value for m in PROVIDER.iter_calc([thing], qrels, run)]
        assert values == pytest.approx(expected, abs=5e-5), name


def test_what_no_other_provider_has() -> None:
    qrels, run = rows()
    expected = evaluate(sample.qrels, sample.runs["expanded"], ["RBP(p=0.5)"]).values[0, :, 0]
    asked = ir_measures.parse_measure("RBP(rel=1,p=0.5)")
    assert [m.value for m in PROVIDER.iter_calc([asked], qrels, run)] == expected.tolist()
    assert not PROVIDER.supports(ir_measures.RBP)
    assert not PROVIDER.supports(ir_measures.SetRelP)
    assert not PROVIDER.supports(ir_measures.parse_measure("alpha_nDCG@10"))
    assert not PROVIDER.supports(ir_measures.nDCG(gains={1: -4}))
    assert PROVIDER.supports(compat.infNDCG)
    assert not PROVIDER.supports(compat.AP(bound="low"))
    with pytest.raises(ValueError, match="provider unjudged does not have alpha_nDCG@10"):
        PROVIDER.calc_aggregate([ir_measures.parse_measure("alpha_nDCG@10")], qrels, run)


def test_rows_of_every_kind_and_none() -> None:
    qrels, run = rows()
    frames = pandas.DataFrame(qrels), pandas.DataFrame(run)
    dicts = {q: {d: int(g) for d, g in inner.items()} for q, inner in nested(sample.qrels, "grade").items()}
    asked = [ir_measures.AP, compat.AP, compat.infNDCG]
    expected = {str(m): v for m, v in ir_measures.calc_aggregate(asked, qrels, run).items()}
    for source in (frames, (dicts, nested(sample.runs["expanded"], "score"))):
        found = {str(m): v for m, v in ir_measures.calc_aggregate(asked, *source).items()}
        assert found == pytest.approx(expected, abs=1e-12)
    nothing: list[Any] = [[], {}]
    for empty in nothing:
        assert PROVIDER.calc_aggregate([ir_measures.AP], {"q": {"d": 1}}, empty) == {ir_measures.AP: 0.0}
    assert PROVIDER.calc_aggregate([ir_measures.AP], {"q": {"d": 1}}, {"other": {"d": 1.0}}) == {
        ir_measures.AP: 0.0
    }
    with pytest.raises(InputError, match="document 'd' of query 'q': the score is 'nan'"):
        PROVIDER.calc_aggregate([ir_measures.AP], {"q": {"d": 1}}, {"q": {"d": float("nan")}})


def nested(path: Any, number: str) -> dict[str, dict[str, float]]:
    source: Any = Judgments.read(path) if number == "grade" else Run.read(path)
    values = (source.grade if number == "grade" else source.scores).tolist()
    names, ends = list(source.documents), source.offsets.tolist()
    return {
        query: dict(zip(names[ends[i] : ends[i + 1]], values[ends[i] : ends[i + 1]], strict=True))
        for i, query in enumerate(source.queries)
    }


def test_a_measure_of_your_own(monkeypatch: pytest.MonkeyPatch) -> None:
    @measure()
    def Found(r: JudgedRankings, *, rel: int = 1) -> Floats:
        """Whether anything relevant was found."""
        return (r.where(r.labels >= rel).counts > 0).astype(float)

    compat.register()
    monkeypatch.setitem(compat._MADE, "Found", compat._MADE["Found"])
    found = ir_measures.calc_aggregate([ir_measures.parse_measure("Found(rel=2)")], *rows())
    del ir_measures.measures.registry["Found"], compat._MADE["Found"]
    assert list(found.values()) == [evaluate(sample.qrels, sample.runs["expanded"], Found(rel=2)).means[0, 0]]


def test_a_run_is_matched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    matches, match = [], compat._match

    def counted(*both: Any) -> JudgedRankings:
        matches.append(both)
        return match(*both)

    monkeypatch.setattr(compat, "_match", counted)
    evaluator = ir_measures.evaluator([compat.AP, compat.infNDCG, compat.RBPResidual], rows()[0])
    for _ in range(2):
        evaluator.calc_aggregate(rows()[1])
    assert len(matches) == 2


def test_the_command_line() -> None:
    module = [
        sys.executable,
        "-m",
        "unjudged.compat.ir_measures",
        str(sample.qrels),
        str(sample.runs["fused"]),
    ]
    asked = ["AP", "RBPResidual(p=0.8)", "unjudged_AP(bound='high')"]
    found = subprocess.run([*module, *asked], capture_output=True, text=True, check=True).stdout
    scores = evaluate(sample.qrels, sample.runs["fused"], ["AP", "RBPResidual(p=0.8)"])
    high = intervals(evaluate(sample.qrels, sample.runs["fused"], "AP"), "bounds")[0][0].high
    values = [f"{v:.4f}" for v in (*scores.means[0], high)]
    assert found == "".join(
        f"{name}\t{v}\n" for name, v in zip(["AP", "RBPResidual", asked[2]], values, strict=True)
    )
    by_us = subprocess.run(
        [*module, "AP", "--provider", "unjudged"], capture_output=True, text=True, check=True
    )
    assert by_us.stdout == f"AP\t{values[0]}\n"


def test_their_measures_as_ours() -> None:
    theirs = [
        ir_measures.AP,
        ir_measures.nDCG @ 10,
        ir_measures.P(rel=2) @ 5,
        ir_measures.RR(judged_only=True),
    ]
    names = ["AP", "nDCG@10", "P(rel=2)@5", "RR(unjudged='condensed')"]
    found, wanted = (evaluate(sample.qrels, sample.runs["lexical"], m) for m in (theirs, names))
    assert found.measures == wanted.measures
    np.testing.assert_array_equal(found.values, wanted.values)
    assert evaluate(sample.qrels, sample.runs["lexical"], ir_measures.AP).cube.measures == [AP]
    assert parse_measures(["AP", ir_measures.nDCG(dcg="exp-log2")]) == [AP, nDCG(dcg="exp-log2")]


@pytest.mark.parametrize("theirs", [ir_measures.RBP, ir_measures.Compat, ir_measures.NRBP])
def test_their_measures_that_we_lack(theirs: Any) -> None:
    with pytest.raises(UsageError, match="no measure of this package means the same"):
        parse_measures([theirs])


def test_ours_in_their_form() -> None:
    assert parse_measures([compat.AP(unjudged="condensed")]) == [AP(unjudged="condensed")]
    with pytest.raises(UsageError, match="no measure of this package means the same"):
        parse_measures([compat.AP(bound="low")])
