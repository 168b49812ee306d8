"""Topic statistics and left-out groups, by hand and as measured on TREC-8."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import printed, refused
from unjudged import UsageError, evaluate, sample
from unjudged.judging import Pool
from unjudged.judging.pooling.contributions import reusability, topic_statistics, without

RUNS = [str(path) for path in sample.runs.values()]


def test_topics_are_those_of_the_judgments_and_scores() -> None:
    pool = Pool.of(sample.qrels, sample.runs)
    grid = topic_statistics(pool, "nDCG@10")
    scores = np.asarray(evaluate(sample.qrels, sample.runs, "nDCG@10").values)[:, :, 0]
    for q, row in enumerate(grid.rows):
        own = pool.judgments.grade[pool.judgments.query == q]
        assert row[1:5] == [len(own), (own >= 0).sum(), (own == 1).sum(), (own == 2).sum()]
        assert row[5:8] == pytest.approx([scores[:, q].max(), np.median(scores[:, q]), scores[:, q].min()])
        assert scores[list(pool.runs).index(str(row[8])), q] == scores[:, q].max()


def test_left_out_and_adjusted_by_hand() -> None:
    pool = Pool.of(sample.qrels, sample.runs)
    found = reusability(pool, "AP", depth=20)
    for i, run in enumerate(found.runs):
        reduced = evaluate(without(pool, run, 20), {run: sample.runs[run]}, "AP").means
        assert found.without[i] == pytest.approx(float(np.asarray(reduced)[0, 0]))
        lost = [found.actual[j] - found.without[j] for j in range(len(found.runs)) if j != i]
        assert found.adjusted[i] == pytest.approx(found.without[i] + np.mean(lost))
    with pytest.raises(UsageError, match="one group only"):
        reusability(pool, groups=dict.fromkeys(sample.runs, "all"))


def test_the_command() -> None:
    text = printed("reusability", str(sample.qrels), *RUNS, "--depth", "20")
    assert "Topics, by AP" in text
    assert "Not reusable as it is" in text
    assert "two or more runs are needed" in refused(2, "reusability", str(sample.qrels), RUNS[0])


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
    found = reusability(pool, "AP", groups={name: info[name]["group"] for name in runs})
    automatic = np.array([info[name]["type"] == "automatic" for name in found.runs])
    shares = found.change.mean(), found.change.max(), found.change[automatic].max()
    assert [round(100 * float(share), 2) for share in shares] == [0.77, 9.93, 3.31]
    assert found.verdict().startswith("Reusable on average")


def test_nothing_relevant_is_no_sign_of_reusability(tmp_path: Path) -> None:
    """Nothing changed where nothing was above 0, and the verdict was `Reusable`."""
    lines = [line.split() for line in sample.qrels.read_text().splitlines() if line[0] != "#"]
    (tmp_path / "zero.qrels").write_text("".join(f"{q} 0 {d} 0\n" for q, _, d, _ in lines))
    (tmp_path / "none.qrels").write_text("".join(f"{q} 0 {d} -1\n" for q, _, d, _ in lines))
    shown = printed("reusability", str(tmp_path / "zero.qrels"), *RUNS[:2])
    assert "Unknown: no mean AP is above 0, so there is nothing to lose." in shown
    assert "Reusable" not in shown
    unjudged = str(tmp_path / "none.qrels")
    for words in (["reusability"], ["experiment"], ["calibrate", "-g", "(.*)"]):
        said = refused(1, *words, unjudged, *RUNS[:2])
        assert said == f"{unjudged}: nothing is judged: every grade is negative"
