"""The level of a design that a number of judgments pays for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import printed
from unjudged import UsageError, sample
from unjudged.judging import DESIGNS, Pool
from unjudged.judging.designs import level_for_budget, options_for_budget
from unjudged.judging.drawn_sample import draw
from unjudged.judging.sample_file import read_sample, sample_text

RUNS = [str(path) for path in sample.runs.values()]


@pytest.mark.parametrize("name", DESIGNS)
def test_the_level_of_a_budget(name: str) -> None:
    design, pool = DESIGNS.find(name), Pool.of_runs(sample.runs, 20).blank
    for budget in (1480, 1700, 10**6):
        level = level_for_budget(design, pool, budget, seed=3)
        options = {"redraw": False} if name == "random" else {}

        def judged(at: float, options: dict[str, bool] = options) -> int:
            return int((design.draw(pool, at, 3, **options).grade >= 0).sum())

        assert judged(level) <= budget
        if design.level.name == "depth":
            assert judged(level + 1) > budget or judged(level) == len(pool.judgments.grade)
        else:
            assert judged(level) >= min(0.98 * budget, len(pool.judgments.grade))
    with pytest.raises(UsageError, match="judges at least"):
        level_for_budget(DESIGNS.find("stratified"), pool, 100)


@pytest.mark.parametrize("name", ["depth", "mixed"])
def test_designs_by_depth_judge_one_rank_more_in_some_queries(name: str) -> None:
    design, pool = DESIGNS.find(name), Pool.of_runs(sample.runs, 20).blank
    for budget in (1000, 1480, 1700):
        level, options = options_for_budget(design, pool, budget, seed=3)
        found, below, above = (
            design.draw(pool, level + more, 3, **given) for more, given in ((0, options), (0, {}), (1, {}))
        )
        query, judged = pool.judgments.query, found.grade >= 0
        assert 0.98 * budget <= judged.sum() <= budget
        assert found.origin == below.origin
        inside = pool.best[judged if name == "depth" else judged & (found.stratum == 1)]
        of = query[judged if name == "depth" else judged & (found.stratum == 1)]
        deepest = np.array([inside[of == q].max() for q in range(len(pool.judgments.queries))])
        assert (deepest == level + 1).sum() == options.get("deeper", 0)
        assert (deepest >= level).all()
        if name == "depth":
            assert (judged >= (below.grade >= 0)).all()
            assert (judged <= (above.grade >= 0)).all()
        if options:
            other = design.draw(pool, level, 4, **options)
            assert ((other.grade >= 0) != judged).any()


def test_a_file_says_which_queries_are_judged_deeper(tmp_path: Path) -> None:
    found = draw(Pool.of_runs(sample.runs, 20), "depth", 5, deeper=4, seed=1)
    assert found.method == "to rank 5, and to rank 6 in 4 queries, chosen at random"
    (tmp_path / "design.txt").write_text(sample_text(found))
    assert read_sample(tmp_path / "design.txt").method == found.method
    assert draw(Pool.of_runs(sample.runs, 20), "depth", 5).method == ""


@pytest.mark.thorough
@pytest.mark.parametrize("design", [["random"], ["stratified", "--top", "5"], ["depth"], ["mixed"]])
def test_sample_meets_the_budget(tmp_path: object, design: list[str]) -> None:
    runs = RUNS if design != ["random"] else []
    text = printed("sample", str(sample.qrels), *runs, "-d", *design, "--budget", "1000", "--format", "qrels")
    assert "--budget 1000" in text
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    assert 980 <= sum(not line.endswith("-1") for line in rows) <= 1000
    folder = f"{tmp_path}/tasks"
    said = printed(
        "sample", str(sample.qrels), *runs, "-d", *design, "--budget", "1000", "--to-judge", folder
    )
    assert 980 <= int(said.split()[0]) <= 1000
