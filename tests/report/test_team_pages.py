"""Pages of teams: their numbers, and that they name nobody else."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import printed, refused, unjudged
from unjudged import UsageError, evaluate, sample
from unjudged.report.track_results import (
    best_of_teams,
    runs_grid,
    team_grids,
    team_page,
    team_pages,
    topics_grids,
)

GROUPS = {"boolean": "one", "lexical": "one", "expanded": "t<b>", "fused": "t<b>"}
RUNS = [str(path) for path in sample.runs.values()]


def test_the_numbers_are_those_of_the_table() -> None:
    scores = evaluate(sample.qrels, sample.runs, ["AP", "nDCG@10"])
    means, *by_topic = team_grids(scores, ["fused", "lexical"])
    names = list(scores.runs)
    for row, (run, k) in zip(
        means.rows, [("fused", 0), ("lexical", 0), ("fused", 1), ("lexical", 1)], strict=True
    ):
        own = np.asarray(scores.means)[:, k]
        place = names.index(run)
        assert list(row[:2]) == [run, str(scores.measures[k])]
        assert row[2] == own[place]
        assert row[3] == 1 + sum(own > own[place])
        assert list(row[4:7]) == [own.max(), np.median(own), own.min()]
        middle = np.median(scores.values[:, :, k], axis=0)
        assert row[7] == sum(scores.values[place, :, k] > middle)
    for k, grid in enumerate(by_topic):
        for q, row in enumerate(grid.rows):
            values = scores.values[:, q, k]
            assert row[0] == scores.queries[q]
            of_team = [values[names.index(run)] for run in ("fused", "lexical")]
            assert list(row[1:]) == [*of_team, values.max(), np.median(values), values.min()]


def test_nobody_else_is_named_and_nothing_is_markup() -> None:
    scores = evaluate(sample.qrels, sample.runs, ["AP"])
    pages = team_pages(scores, GROUPS)
    assert set(pages) == {"one.html", "t_b_.html", "reranked.html", "dense.html"}
    for name, page in pages.items():
        own = {
            run
            for run in scores.runs
            if f"{GROUPS.get(run, run).replace('<', '_').replace('>', '_')}.html" == name
        }
        assert {run for run in scores.runs if re.search(rf"\b{run}\b", page)} == own
        assert "t<b>" not in page
        assert "style=" not in page
    with pytest.raises(UsageError, match="expected one of dense, one"):
        team_page(scores, "nobody", GROUPS)
    with pytest.raises(UsageError, match="two teams would have the page"):
        team_pages(scores, {**GROUPS, "dense": "A b", "reranked": "a_b"})


@pytest.mark.thorough
def test_the_command(tmp_path: Path) -> None:
    teams = {run: GROUPS.get(run, run)[0] for run in sample.runs}
    (tmp_path / "groups").write_text("".join(f"{run} {team}\n" for run, team in teams.items()))
    common = [str(sample.qrels), *RUNS, "-m", "AP"]
    grouped = ["--groups", str(tmp_path / "groups")]
    page = tmp_path / "team.html"
    printed("report", *common, *grouped, "--team", "o", "-o", str(page))
    assert "2 runs of o among 6 runs of 4 teams, 30 topics" in page.read_text()
    printed(
        "report", *common, *grouped, "--teams", str(tmp_path / "teams"), "-o", str(tmp_path / "track.html")
    )
    assert sorted(path.name for path in (tmp_path / "teams").iterdir()) == [
        *("d.html", "o.html", "r.html", "t.html"),
    ]
    assert (tmp_path / "teams" / "o.html").read_text() == page.read_text()
    assert "need --groups" in refused(2, "report", *common, "--team", "o", "-o", str(page))
    overview = tmp_path / "overview"
    for _ in range(2):
        printed("report", *common, *grouped, "--overview", str(overview), "-o", str(tmp_path / "track.html"))
    made = {path.name: path.read_bytes() for path in overview.iterdir()}
    assert set(made) == {f"{n}.{kind}" for n in ("runs", "topics") for kind in ("tex", "md", "svg", "pdf")}
    assert made["runs.md"].decode().startswith("**6 runs of 4 teams**\n\n| run | team | AP |\n")
    assert rb"reranked & r & \textbf{0.4374} \\" in made["runs.tex"]
    assert made["runs.pdf"].startswith(b"%PDF")
    assert b"boolean" not in made["runs.svg"]  # lexical, the better run of this team, is shown
    assert b"lexical" in made["runs.svg"]
    (overview / "runs.md").write_text("edited")
    again = ["--overview", str(overview), "-o", str(tmp_path / "track.html")]
    done = unjudged("report", *common, *grouped, *again)
    assert done.returncode == 1
    assert b"exists and has other content" in done.stderr


def test_the_overview_has_the_scores_of_runs_and_topics() -> None:
    scores = evaluate(sample.qrels, sample.runs, ["nDCG@10", "AP", "NumRet"])
    runs = runs_grid(scores, GROUPS)
    first = [float(str(row[2])) for row in runs.rows]
    assert first == sorted(first, reverse=True)
    for row in runs.rows:
        i = list(scores.runs).index(str(row[0]))
        assert row[1] == GROUPS.get(scores.runs[i], scores.runs[i])
        assert list(row[2:]) == scores.means[i].tolist()
    assert {(runs.rows[i][0], k) for i, k in runs.stressed} == {("reranked", 2), ("reranked", 3)}
    for k, grid in enumerate(topics_grids(scores)):
        for q, row in enumerate(grid.rows):
            values = scores.values[:, q, k]
            assert list(row[:4]) == [scores.queries[q], values.max(), np.median(values), values.min()]
            named, *others = str(row[4]).split(" and ")
            assert values[list(scores.runs).index(named)] == values.max()
            equal = int((values == values.max()).sum()) - 1
            assert others == ([f"{equal} other{'s' * (equal > 1)}"] if equal else [])
    assert best_of_teams(scores, GROUPS) == ["reranked", "fused", "lexical", "dense"]
