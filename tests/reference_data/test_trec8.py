"""All 129 runs of TREC-8 against trec_eval's printed values and pytrec_eval's doubles."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from unjudged import MEASURES, Evaluation, Judgments, Run, evaluate
from unjudged.measures.kernel.names import parse


@pytest.fixture(scope="module")
def trec8(data: Path) -> Path:
    return data / "trec8"


def run_name(path: Path) -> str:
    return path.name.removeprefix("input.").removesuffix(".gz")


@pytest.fixture(scope="module")
def runs(trec8: Path) -> dict[str, Path]:
    return {run_name(path): path for path in sorted((trec8 / "runs").iterdir())}


def trec_eval_lines(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt") as lines:
        return [line.split() for line in lines]


def ours(name: str) -> str | None:
    """Our name for one of trec_eval 10's; None where the measure is not here."""
    if name.startswith("iprec_at_recall"):
        return f"IPrec(rounding='nearest')@{float(name.rsplit('_', 1)[1])}"
    if name == "11pt_avg":
        return "IAP(rounding='nearest')"
    known = {n for m in MEASURES.values() for n in m.traits.trec_eval}
    stem = name.rsplit("_", 1)[0] if name.rsplit("_", 1)[-1].isdecimal() else name
    return str(parse(name)[0]) if name in known or stem in known else None


def test_every_printed_value_of_trec_eval_10(trec8: Path, runs: dict[str, Path]) -> None:
    """Per query and in the mean, for each measure that trec_eval 10 prints and we have."""
    first = trec_eval_lines(trec8 / "ref" / "trec_eval-10.0rc2" / "eval.ok8alx.gz")
    names = {name: ours(name) for name in dict.fromkeys(line[0] for line in first)}
    measures = [measure for measure in names.values() if measure]
    assert len(measures) > 60
    scores = evaluate(trec8 / "qrels.trec8.gz", runs, measures)
    means, place = scores.means, {str(m): k for k, m in enumerate(scores.measures)}
    row = {query: j for j, query in enumerate(scores.queries)}
    checked = 0
    for i, run in enumerate(runs):
        present = np.array([query not in scores.missing.get(run, []) for query in scores.queries])
        for name, query, printed in trec_eval_lines(trec8 / "ref" / "trec_eval-10.0rc2" / f"eval.{run}.gz"):
            measure = names.get(name)
            if measure is None:
                continue
            k = place[measure]
            if query != "all":
                value = scores.values[i, row[query], k]
            elif present.all():
                value = means[i, k]
            else:  # without -c trec_eval averages over the queries of the run
                values, summary = scores.values[i, present, k], scores.cube.measures[k].traits.summary
                means_of = {"sum": values.sum(), "geometric mean": np.exp(np.log(values).mean())}
                value = means_of.get(summary, values.mean())
            wanted = f"{value:.0f}" if scores.cube.measures[k].traits.summary == "sum" else f"{value:.4f}"
            assert wanted == printed or abs(value - float(printed)) <= 0.00005 + 1e-9, (run, name, query)
            checked += 1
    assert checked > 400_000


@pytest.mark.filterwarnings("ignore:Only .* are judged:unjudged.base.errors.AssumptionWarning")
def test_every_double_of_pytrec_eval(trec8: Path, runs: dict[str, Path]) -> None:
    """All runs. trec_eval 9 holds scores in single precision, where 15 of the runs have ties that they have
    not in double, so both are shown the scores as single precision has them."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    with gzip.open(trec8 / "qrels.trec8.gz", "rt") as lines:
        qrels = pytrec_eval.parse_qrel(lines)
    others = {"unj", "dcg", "ideal_dcg", "yaap", "gm_map", "gm_bpref"}  # not there, or logarithms
    names = [n for m in MEASURES.values() for n in m.traits.trec_eval if n not in others]
    measures = [m for name in names for m in parse(name)]
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(names))
    judgments = Judgments.of(qrels)
    for name, path in runs.items():
        run = Run.read(path)
        single = run.scores.astype(np.float32).astype(float).tolist()
        documents, ends = list(run.documents), run.offsets.tolist()
        rankings = {
            query: dict(zip(documents[start:stop], single[start:stop], strict=True))
            for query, start, stop in zip(run.queries, ends, ends[1:], strict=False)
        }
        scores = evaluate(judgments, {name: rankings}, measures)
        oracle = evaluator.evaluate(rankings)
        assert set(scores.missing.get(name, [])) == set(qrels) - set(oracle)
        check(scores, oracle)


@cache
def parsed(name: str) -> str:
    return str(parse(name)[0])


def check(scores: Evaluation, oracle: dict[str, dict[str, float]]) -> None:
    names = list(next(iter(oracle.values())))
    place = {str(measure): k for k, measure in enumerate(scores.measures)}
    columns = [place[parsed(name)] for name in names]
    rows = [scores.queries.index(query) for query in oracle]
    wanted = np.array([[values[name] for name in names] for values in oracle.values()])
    np.testing.assert_allclose(scores.values[0][np.ix_(rows, columns)], wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore:.* no sampled relevant document:unjudged.base.errors.AssumptionWarning")
@pytest.mark.parametrize("share", [10, 30])
def test_inferred_ap_on_uniform_samples(share: int, trec8: Path, runs: dict[str, Path]) -> None:
    """trec_eval 10's printed infAP and bpref for all runs on a sample of the pool."""
    printed = trec_eval_lines(trec8 / "samples" / f"trec8.uniform-{share}.trec_eval.tsv.gz")
    scores = evaluate(trec8 / "samples" / f"trec8.uniform-{share}.qrels.gz", runs, ["infAP", "Bpref", "AP"])
    place = {"infAP": 0, "bpref": 1, "map": 2}
    number = {run: i for i, run in enumerate(scores.runs)}
    row = {query: j for j, query in enumerate(scores.queries)}
    checked = 0
    for run, name, query, value in printed:
        if name in place and query in row:
            got = scores.values[number[run], row[query], place[name]]
            assert abs(got - float(value)) <= 0.00005 + 1e-9, (run, name, query)
            checked += 1
    assert checked >= 129 * 50
