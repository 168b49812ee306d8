"""Estimates from samples against the printed values of trec_eval, sample_eval and statAP's script."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from unjudged import Evaluation, evaluate


def lines(path: Path) -> list[list[str]]:
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    return [line.split("\t") for line in text.splitlines()]


def runs(data: Path) -> dict[str, Path]:
    return {
        p.name.removeprefix("input.").removesuffix(".gz"): p
        for p in sorted((data / "trec8" / "runs").iterdir())
    }


def printed_as(value: float, printed: str, digits: int = 4) -> bool:
    return abs(value - float(printed)) <= 0.5 * 10.0**-digits + 1e-9


def places(scores: Evaluation) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    return (
        {run: i for i, run in enumerate(scores.runs)},
        {query: j for j, query in enumerate(scores.queries)},
        {str(m): k for k, m in enumerate(scores.measures)},
    )


CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@pytest.mark.parametrize("dialect", ["trec", "trecvid"])
def test_sample_eval_on_trec8(data: Path, dialect: str) -> None:
    """All 129 runs on the depth-10 pool and 30 % of the rest, as the TRECVID script prints them. R is never
    above 1000, so the older dialect differs in infNDCG alone, where it rounds the ideal's length."""
    names = {"infAP": f"xinfAP(dialect='{dialect}')", "infNDCG": "infNDCG(dialect='trecvid')"}
    names |= {f"iP{k}": f"infP@{k}" for k in CUTOFFS}
    folder = data / "trec8" / "samples"
    scores = evaluate(folder / "trec8.strat-d10-30.sampleqrels.gz", runs(data), list(names.values()))
    run_place, query_place, place = places(scores)
    wrong, checked = [], 0
    for run, name, query, printed in lines(folder / "trec8.strat-d10-30.sample_eval.tsv.gz"):
        if name in names and query in query_place:
            value = scores.values[run_place[run], query_place[query], place[names[name]]]
            checked += 1
            if not printed_as(value, printed):
                wrong.append((run, name, query, value, printed))
    assert checked == 11 * (129 * 51 - 129)
    assert not wrong, (len(wrong), wrong[:5])


def test_sample_eval_on_trecvid(data: Path) -> None:
    """The TRECVID dialect on its own data: three strata, R above 1000 for some topics."""
    names = {"infAP": "xinfAP(dialect='trecvid')", "infNDCG": "infNDCG(dialect='trecvid')"}
    names |= {f"iP{k}": f"infP@{k}" for k in CUTOFFS}
    folder = data / "stratified"
    scores = evaluate(folder / "avs.qrels.main.tv21.gz", folder / "test_run.gz", list(names.values()))
    _, query_place, place = places(scores)
    checked = 0
    for line in (folder / "test_run.sample_eval.out").read_text().splitlines():
        name, query, printed = line.split()[:3]
        if name in names:
            k = place[names[name]]
            value = scores.means[0, k] if query == "all" else scores.values[0, query_place[query], k]
            assert printed_as(value, printed), (name, query, value, printed)
            checked += 1
    assert checked == 11 * 21


def test_the_dialects_part_on_trecvid(data: Path) -> None:
    """Means of the two scripts on the same files, as both print them."""
    folder = data / "stratified"
    measures = ["xinfAP", "infNDCG", "xinfAP(dialect='trecvid')", "infNDCG(dialect='trecvid')"]
    scores = evaluate(folder / "avs.qrels.main.tv21.gz", folder / "test_run.gz", measures)
    assert [f"{value:.4f}" for value in scores.means[0]] == ["0.2453", "0.5359", "0.3430", "0.5360"]


def test_stat_ap(data: Path) -> None:
    """Eight runs without tied scores; topics to three decimals, variances and means to 1e-9."""
    folder = data / "stratified"
    measures = ["statAP", "statRprec", "statAPVariance"]
    printed = lines(folder / "trec8.statAP.tsv")[1:]
    chosen = {name: path for name, path in runs(data).items() if name in {line[0] for line in printed}}
    scores = evaluate(folder / "trec8.prels.gz", chosen, measures)
    run_place, query_place, _ = places(scores)
    for run, query, _, ap, rprec, variance in printed:
        values = scores.values[run_place[run]]
        if query == "all":
            mean_variance = values[:, 2].sum() / len(values) ** 2
            got = [values[:, 0].mean(), values[:, 1].mean(), mean_variance]
            np.testing.assert_allclose(got, [float(ap), float(rprec), float(variance)], rtol=1e-9, atol=1e-12)
        else:
            got_ap, got_rprec, got_variance = values[query_place[query]]
            assert printed_as(got_ap, ap, 3)
            assert printed_as(got_rprec, rprec, 3)
            assert got_variance == pytest.approx(float(variance), rel=1e-9, abs=1e-15)


@pytest.mark.filterwarnings("ignore:.* no sampled relevant document:unjudged.base.errors.AssumptionWarning")
@pytest.mark.parametrize("share", [10, 30])
def test_inferred_ap_on_uniform_samples(share: int, data: Path) -> None:
    """trec_eval 10's printed infAP and bpref for all runs on a sample of the pool."""
    folder, names = data / "trec8" / "samples", {"infAP": "infAP", "bpref": "Bpref", "map": "AP"}
    scores = evaluate(folder / f"trec8.uniform-{share}.qrels.gz", runs(data), list(names.values()))
    run_place, query_place, place = places(scores)
    checked = 0
    for run, name, query, value in lines(folder / f"trec8.uniform-{share}.trec_eval.tsv.gz"):
        if name in names and query in query_place:
            got = scores.values[run_place[run], query_place[query], place[names[name]]]
            assert printed_as(got, value), (run, name, query)
            checked += 1
    assert checked >= 129 * 50
