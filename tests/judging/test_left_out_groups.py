"""Left-out groups, by hand and as measured on TREC-8."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from unjudged import Judgments, UsageError, evaluate, sample
from unjudged.judging import Pool
from unjudged.judging.pooling import left_out_groups
from unjudged.rankings.extension import chosen_rows
from unjudged.rankings.runs import Run


def without(group: str, groups: dict[str, str]) -> Judgments:
    """The judgments without the documents that only this group has among its first ten."""
    own: set[tuple[str, str]] = set()
    others: set[tuple[str, str]] = set()
    for name, path in sample.runs.items():
        run = Run.read(path)
        for q, query in enumerate(run.queries):
            first = slice(run.offsets[q], min(run.offsets[q] + 10, run.offsets[q + 1]))
            ranked = np.arange(len(run.documents))[first]
            found = {(query, document) for document in run.documents.take(ranked)}
            (own if groups.get(name, name) == group else others).update(found)
    judgments = Judgments.read(sample.qrels)
    names = judgments.pooled.names(np.arange(len(judgments.grade)))
    return chosen_rows(judgments, np.array([name not in own - others for name in names]))


def test_left_out_runs_are_evaluated_without_their_groups() -> None:
    """In score and in place, among all runs by the same judgments."""
    pool = Pool.of(sample.qrels, sample.runs)
    groups = {"fused": "ours", "reranked": "ours", "dense": "theirs"}
    for measure in ("AP", "infAP", "indAP", "nDCG@10"):
        actual = evaluate(sample.qrels, sample.runs, measure).means[:, 0]
        for i, row in enumerate(left_out_groups(pool, measure, depth=10, groups=groups).rows["left out"]):
            run, group, score, rest, change, place, later = row.values()
            assert (run, group) == (pool.runs[i], groups.get(str(run), run))
            reduced = evaluate(without(str(group), groups), sample.runs, measure).means[:, 0]
            assert (score, rest) == (actual[i], reduced[i])
            assert change == 100 * ((reduced[i] - actual[i]) / actual[i])
            assert (place, later) == (1 + (actual > actual[i]).sum(), 1 + (reduced > reduced[i]).sum())


def test_places_that_change() -> None:
    """Without what only they have, both runs of a group fall behind the other."""
    qrels = {"q": {"a": 1, "b": 1, "c": 1, "d": 0, "e": 1}}
    runs = {
        "first": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}},
        "second": {"q": {"a": 3.0, "b": 2.0, "d": 1.0}},
        "third": {"q": {"e": 3.0, "d": 2.0}},
    }
    pool = Pool.of(qrels, runs)
    found = left_out_groups(pool, "P@3", groups={"first": "us", "second": "us"})
    rows = found.rows["left out"]
    assert [(row["rank"], row["rank_left_out"]) for row in rows] == [(1, 2), (2, 2), (3, 3)]
    assert found.notes[0].endswith("its place by 0.3 on average, 1 at most.")


def test_what_cannot_be_left_out() -> None:
    pool = Pool.of(sample.qrels, sample.runs)
    with pytest.raises(UsageError, match="one group only"):
        left_out_groups(pool, groups=dict.fromkeys(sample.runs, "all"))
    with pytest.raises(UsageError, match="a group has the same name"):
        left_out_groups(pool, groups={"fused": "dense"})


@pytest.mark.thorough
def test_trec8(data: Path) -> None:
    """Mean change .77 %, largest 9.93 %, largest of an automatic run 3.31 %, over the 71 pooled runs."""
    with (data / "trec8" / "run-info.tsv").open() as file:
        info = {row["run"]: row for row in csv.DictReader(file, delimiter="\t")}
    runs = {
        name: path
        for path in sorted((data / "trec8" / "runs").iterdir())
        if info[name := path.name.removeprefix("input.").removesuffix(".gz")]["pooled"] == "yes"
    }
    assert len(runs) == 71
    pool = Pool.of(data / "trec8" / "qrels.trec8.gz", runs)
    found = left_out_groups(pool, "AP", groups={name: info[name]["group"] for name in runs})
    automatic = np.array([info[row["system"]]["type"] == "automatic" for row in found.rows["left out"]])
    change = np.abs(np.array([row["change"] for row in found.rows["left out"]], float))
    shares = change.mean(), change.max(), change[automatic].max()
    assert [round(float(share), 2) for share in shares] == [0.77, 9.93, 3.31]
    assert found.notes[0].startswith("Left out, a run's AP changes by 0.77 % on average, 9.93 % at most")


def test_nothing_relevant_is_no_sign_of_reusability(tmp_path: Path) -> None:
    """Nothing changed where nothing was above 0, which looked fair."""
    lines = [line.split() for line in sample.qrels.read_text().splitlines() if line[0] != "#"]
    (tmp_path / "zero.qrels").write_text("".join(f"{q} 0 {d} 0\n" for q, _, d, _ in lines))
    found = left_out_groups(Pool.of(tmp_path / "zero.qrels", sample.runs))
    assert found.notes == ["No mean AP is above 0, so there is nothing to lose."]
