"""The table of results and its views."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.in_process import everything, printed, refused
from tests.intervals import intervals
from unjudged import AP, Judgments, Run, UnjudgedWarning, UsageError, compare, evaluate, nDCG, sample
from unjudged.inference.verdict import HEADLINES
from unjudged.judging import Pool

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
RUN = {"q1": {"d1": 0.3, "d2": 0.7}, "q2": {"d3": 0.5}}


def test_values_by_place_and_by_name() -> None:
    scores = evaluate(sample.qrels, sample.runs, ["AP", "nDCG@10"])
    assert scores.values.shape == (6, 30, 2)
    assert list(scores.runs) == list(sample.runs)
    assert scores.cube.measures == [AP, nDCG @ 10]
    np.testing.assert_allclose(scores.means, scores.values.mean(axis=1))
    one = scores.value("ndcg_cut_10", run="fused", query="q03")
    assert one == scores.values[3, 2, 1] == scores.value(nDCG @ 10, run="fused", query="q03")
    assert scores.missing == {"expanded": ["q17"]}


def test_runs_in_every_shape(tmp_path: Path) -> None:
    both: list[Any]
    first, second = tmp_path / "a" / "bm25.run", tmp_path / "b" / "bm25.run"
    for path in (first, second):
        path.parent.mkdir()
        path.write_text("q1 Q0 d1 1 2 t\nq2 Q0 d3 1 2 t\n")
    assert evaluate(QRELS, first, "AP").runs == ["bm25"]
    assert evaluate(QRELS, str(first), "AP").runs == ["bm25"]
    assert evaluate(QRELS, [first, second], "AP").runs == [str(first), str(second)]
    both = [RUN, Run.read(RUN)]
    assert evaluate(QRELS, both, "AP").runs == ["run 1", "run 2"]
    named: dict[str, Any] = {"x": RUN, "y": second}
    assert evaluate(QRELS, named, "AP").runs == ["x", "y"]
    assert evaluate(QRELS, RUN, "AP").runs == ["run 1"]
    both = [first, RUN]
    assert evaluate(QRELS, both, "AP").runs == ["bm25", "run 2"]


def test_rows_and_frames() -> None:
    scores = evaluate(QRELS, {"mine": RUN}, ["AP", "RR"])
    rows = list(scores)
    assert rows[0] == ("mine", "q1", "AP", 0.5)
    assert len(rows) == 4
    assert scores.row("mine", "AP")["mean"] == 0.75
    columns, queries = ["system", "query", "measure", "value"], scores.as_view("queries")
    pandas_rows = [tuple(row) for row in queries.to_frame("pandas")[columns].itertuples(index=False)]
    assert sorted(pandas_rows) == sorted(rows) == sorted(queries.to_frame("polars").select(columns).rows())
    assert [row["mean"] for row in scores.to_frame("pyarrow").to_pylist()] == scores.means[0].tolist()


def test_shown() -> None:
    scores = evaluate(QRELS, {"<b>mine": RUN}, ["AP"])
    assert repr(scores).splitlines() == [
        "system       AP  could be",
        "<b>mine  0.7500  0.75 \N{EN DASH} 0.75",
    ]
    page = scores._repr_html_()
    assert '<td>&lt;b&gt;mine</td><td style="text-align: right">0.7500</td>' in page


def test_wrong_requests() -> None:
    scores = evaluate(QRELS, {"a": RUN, "b": RUN}, ["AP"])
    with pytest.raises(UsageError, match="say which run: one of a, b"):
        scores.value("AP")
    with pytest.raises(UsageError, match="no run is called 'c'; there are a, b"):
        scores.value("AP", run="c")
    with pytest.raises(UsageError, match="no query is called 'x'"):
        scores.value("AP", run="a", query="x")
    with pytest.raises(UsageError, match="no measure is called 'RR'; there are AP"):
        scores.value("RR", run="a")
    with pytest.raises(UsageError, match="'AP,P@5' stands for 2 measures, expected one"):
        scores.cube.chosen("AP,P@5")
    with pytest.raises(UsageError, match="no run given"):
        evaluate(QRELS, [], "AP")
    with pytest.raises(UsageError, match="is given twice"):
        evaluate(QRELS, ["x", "x"], "AP")


def test_judgments_with_other_grades() -> None:
    from unjudged import Judgments

    judgments = Judgments.read(QRELS)
    assert evaluate(judgments.with_grades(np.array([0, 1, 2], np.int32)), RUN, "AP").value("AP") == 1.0
    with pytest.raises(UsageError, match="expected 3 grades"):
        judgments.with_grades(np.zeros(2, np.int32))
    other = Judgments.read(QRELS)
    from unjudged.collection.collection import judged_rankings

    with pytest.raises(UsageError, match="of another pool"):
        judged_rankings(judgments, {"run": RUN}).relabelled(other)


def test_an_unknown_query_of_a_run() -> None:
    with pytest.raises(Exception, match="the run has no query 'x'"):
        Run.read(RUN).ranking("x")


@pytest.mark.filterwarnings("ignore:14 of 30 queries")
def test_queries_without_a_sampled_relevant_document_are_counted_aloud() -> None:
    """They counted as 0 without a word; precision needs no relevant document, so it says nothing."""
    sampled = Pool.of(sample.qrels, sample.runs).uniform(0.05, redraw=False)
    lacking = [q for q, count in zip(sampled.queries, sampled.count(1), strict=True) if count == 0]
    assert len(lacking) > 5
    scores = evaluate(sampled, sample.runs["dense"], ["infAP", "statAP", "AP", "statP@10"])
    (told,) = [str(one) for one in scores.warnings if "sampled relevant" in str(one)]
    assert told == (
        f"{len(lacking)} of 30 queries have no sampled relevant document, and infAP, statAP count them as 0: "
        f"{', '.join(lacking[:5])} and {len(lacking) - 5} more."
    )
    values = scores.values[0, :, 0]
    assert all(values[list(sampled.queries).index(query)] < 1e-3 for query in lacking)
    whole = evaluate(sample.qrels, sample.runs["dense"], ["infAP", "AP"])
    assert not any("sampled relevant" in str(one) for one in whole.warnings)


@pytest.mark.parametrize(("judged", "said"), [(4, True), (5, False)])
def test_hardly_any_first_document_is_judged(judged: int, said: bool) -> None:
    """Labels that nothing is known of are taken for a pool, and this says what that means."""
    documents = [f"d{i}" for i in range(20)]
    run = {f"q{q}": {d: -float(i) for i, d in enumerate(documents)} for q in range(10)}
    qrels = {query: {d: int(i == 0) for i, d in enumerate(documents[:judged])} for query in run}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = evaluate(qrels, run, "AP")
        assert ("Only 40 % of the documents in the first 10 of the runs are judged" in str(scores)) == said
    assert bool(caught) == said
    few = {query: qrels[query] for query in list(qrels)[:9]}
    assert "Only" not in str(evaluate(few, {query: run[query] for query in few}, "AP"))


def test_queries_without_any_judged_document_are_named() -> None:
    none = float("nan")
    cases: list[tuple[Any, list[str]]] = [
        ({"q1": {"1": 1}, "q2": {"1": -1}}, ["q1", "q2"]),
        (Judgments.from_arrays(grades=[[0, 1], [none, none]]), ["0", "1"]),
    ]
    for qrels, queries in cases:
        said = rf"1 of 2 queries has no judged document, .* counts as nonrelevant: {queries[1]}"
        with pytest.warns(UnjudgedWarning, match=said):
            evaluate(qrels, {"r": {query: ["1"] for query in queries}}, "AP")


MEASURES = ["AP", "nDCG@10", "P@10", "RR", "ERR", "RBP(p=0.8)", "Bpref", "infAP", "Judged@10", "IPrec@0.2"]
RunDict = dict[str, dict[str, float]]


def five_levels(
    seed: int = 0, queries: int = 20, documents: int = 8
) -> tuple[dict[str, dict[str, int]], RunDict]:
    rng = random.Random(seed)
    names = [f"d{j}" for j in range(documents)]
    qrels = {f"q{i}": {name: rng.choice([0, 0, 1, 2]) for name in names} for i in range(queries)}
    run = {
        q: {d: float(min(4, g + rng.choice([0, 1, 2]))) for d, g in own.items()} for q, own in qrels.items()
    }
    return qrels, run


def renamed(names: list[str], data: Any, order: tuple[int, ...]) -> Any:
    new = {name: f"n{place}" for name, place in zip(names, order, strict=True)}
    return {q: {new[d]: value for d, value in own.items()} for q, own in data.items()}


def test_names_do_not_change_expected_values() -> None:
    qrels, run = five_levels()
    names = [f"d{j}" for j in range(8)]
    orders = [tuple(random.Random(seed).sample(range(8), 8)) for seed in range(5)]
    scores = [
        evaluate(renamed(names, qrels, o), renamed(names, run, o), MEASURES, ties="expected") for o in orders
    ]
    for one in scores:
        assert np.abs(one.values - scores[0].values).max() < 1e-12


def test_a_note_says_where_the_order_matters() -> None:
    qrels, run = five_levels()
    scores = evaluate(qrels, {"five": run}, "nDCG@10")
    assert (
        "other orders of them move 1 mean by more than 0.001, for instance nDCG@10 of five" in scores.notes[0]
    )
    apart = {q: {d: s + i / 100 for i, (d, s) in enumerate(own.items())} for q, own in run.items()}
    untied = evaluate(qrels, {"five": apart}, "nDCG@10")
    assert list(untied.notes) == []
    assert (
        untied.values.tobytes()
        == evaluate(qrels, {"five": apart}, "nDCG@10", ties="expected").values.tobytes()
    )


def test_a_headline_that_rests_on_the_order_says_so() -> None:
    """Where ties are broken in favour of either system the headline may be another."""
    qrels, run = five_levels(queries=40)
    changed = 0
    for less in (0.25, 0.5, 1.0):
        worse = {
            q: {d: max(0.0, s - less * (i % 2)) for i, (d, s) in enumerate(own.items())}
            for q, own in run.items()
        }
        runs = {"five": run, "worse": worse}
        found = compare(qrels, runs, "nDCG@10").pair()
        orders = evaluate(qrels, runs, "nDCG@10", ties="expected")
        expected = compare(qrels, runs, "nDCG@10", ties="expected")
        assert [expected["mean_b"], expected["mean_a"]] == orders.means[:, 0].tolist()
        assert expected["more_judging"] == "unknown"
        other = found["in_other_orders"]
        if other is not None:
            changed += 1
            assert other in HEADLINES
            assert other != found["headline"]
            shown = compare(qrels, runs, "nDCG@10")
            assert f"({other} if tied documents are ordered otherwise)" in str(shown)
            assert (
                shown.grid("pairs").rows[0][-1] == f"{shown.headline} ({other} if ties are broken otherwise)"
            )
    assert changed


def test_intervals_of_one_order_are_refused() -> None:
    qrels, run = five_levels()
    scores = evaluate(qrels, run, "AP", ties="expected")
    with pytest.raises(UsageError, match="have no bounds"):
        intervals(scores, "bounds")
    assert intervals(scores, "queries")[0][0].value == scores.means[0, 0]
    with pytest.raises(UsageError, match="expected one of order"):
        evaluate(qrels, run, "AP", ties="mean")  # type: ignore[arg-type]


def test_the_command_line() -> None:
    files = [str(sample.qrels), str(sample.runs["boolean"])]
    assert "0.1355" in printed("evaluate", *files, "-m", "P@10", "--set", "ties=expected")
    assert "no bounds" in refused(2, "evaluate", *files, "--set", "ties=expected", "--interval", "bounds")
    assert "range" in refused(2, "evaluate", *files, "--set", "ties=range")
    other = str(sample.runs["dense"])
    assert "expected over all orders" in everything("compare", *files, other, "--set", "ties=expected")


def test_very_many_documents_only_count_the_runs_with_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other orders change took twenty times as long as the scores of 129 runs."""
    monkeypatch.setattr("unjudged.evidence.tied_scores.MANY", 0)
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    runs = {"tied": {"q": {"a": 1.0, "b": 1.0}}, "not": {"q": {"a": 2.0, "b": 1.0}}}
    note = "Tied scores in 1 of 2 runs: --set ties=expected has the means"
    scores = evaluate(qrels, runs, "AP")
    assert [text.startswith(note) for text in scores.notes] == [True]
    assert any(one.startswith(note) for one in compare(qrels, runs, "AP").notes)
