"""Who judges which topic: the file, further rounds, and what is judged twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unjudged import InputError, UsageError, sample
from unjudged.judging import Pool
from unjudged.judging.collecting.assignment import Assignment, assign, read_assignment
from unjudged.judging.collecting.drawn_sample import DrawnSample, draw
from unjudged.judging.collecting.handing_out import hand_out, task_texts
from unjudged.judging.pooling.sampling import rounded


def rounds() -> list[DrawnSample]:
    """Three rounds of a pool that grows."""
    drawn: list[DrawnSample] = []
    for depth in (5, 8, 20):
        since = drawn[-1] if drawn else None
        drawn.append(draw(Pool.of_runs(sample.runs, depth), "random", 0.7, seed=depth, since=since))
    return drawn


def test_the_file_gives_the_assignment_back(tmp_path: Path) -> None:
    made = assign(rounds()[0], ["ann", "bob", "cy"], twice=0.1, twice_topics=4)
    (tmp_path / "assignment.tsv").write_text(made.text())
    read = read_assignment(tmp_path / "assignment.tsv")
    assert (read.rows(), read.twice) == (made.rows(), 0.1)
    assert len(made.second) == 4
    assert all(made.own[topic] not in several for topic, several in made.second.items())


@pytest.mark.parametrize(("twice", "topics"), [(0.1, None), (0.03, None), (None, 3), (0.5, 5)])
def test_topics_stay_and_the_share_means_the_same_in_every_round(
    twice: float | None, topics: int | None
) -> None:
    assignment: Assignment | None = None
    judged, again = 0, dict.fromkeys(rounds()[-1].pooled.queries, 0)
    for drawn in rounds():
        before = assignment
        people = ["ann", "bob", "cy"] if before is None else None
        assignment = assign(drawn, people, twice=twice, twice_topics=topics, since=before)
        if before is not None:
            assert before.own.items() <= assignment.own.items()
            assert before.second.items() <= assignment.second.items()
            assert assignment.twice == before.twice
        tasks = hand_out(drawn, assignment=assignment)
        judged += sum(map(len, tasks.values()))
        for topic in drawn.pooled.queries:
            given = [pair for task in tasks.values() for pair in task if pair[0] == topic]
            again[topic] += len(given) - len(set(given))
        for name, task in tasks.items():
            for topic in {query for query, _ in task}:
                own = assignment.own[topic], *assignment.second.get(topic, ())
                assert name.removesuffix(".qrels") in own
        counts = np.bincount(drawn.pooled.query[drawn.drawn])
        for topic, count in zip(drawn.pooled.queries, counts, strict=True):
            wanted = rounded(assignment.twice, np.array([count]))[0] if topic in assignment.second else 0
            assert again[topic] == wanted
    assert assignment is not None
    assert len(assignment.second) == (topics or len(assignment.own))
    assert judged == int(drawn.drawn.sum()) + sum(again.values())


def test_an_edited_assignment_counts_and_new_topics_go_to_the_least_loaded(tmp_path: Path) -> None:
    drawn = rounds()[0]
    topics = list(drawn.pooled.queries)
    lines = ["# mine", "topic\tassessor\trole", *(f"{topic} dora own" for topic in topics[:-2])]
    lines += [f"{topics[0]} ed second", f"{topics[0]} fay second", "# twice 1.0"]
    (tmp_path / "assignment.tsv").write_text("\n".join(lines))
    made = assign(drawn, since=read_assignment(tmp_path / "assignment.tsv"))
    assert [made.own[topic] for topic in topics[-2:]] == ["ed", "fay"]
    tasks = hand_out(drawn, assignment=made)
    whole = {pair for pair in drawn.to_judge() if pair[0] == topics[0]}
    for name in ("dora", "ed", "fay"):
        assert whole <= set(tasks[f"{name}.qrels"])
    texts = task_texts(tasks, named=True)
    assert texts["ed.qrels"].splitlines()[1] == "# unjudged-assessor ed"


def test_topics_without_assessors_have_files() -> None:
    tasks = hand_out(rounds()[0], twice_topics=2)
    second = [name for name in tasks if name.endswith("-second.qrels")]
    assert len(second) == 2
    assert all(set(tasks[name]) == set(tasks[name.replace("-second", "")]) for name in second)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("q1 ann", "tsv:1: 'q1 ann': expected 3 columns"),
        ("q1 ann boss", "tsv:1: .*the role is 'boss', expected own or second"),
        ("topic\tassessor\trole\nq1 ../ann own", "tsv:2: .*the assessor is '../ann', expected letters"),
        ("q1 ann own\nq1 bob own", "tsv:2: .*topic 'q1' has an own assessor already, ann"),
        ("q1 ann own\nq1 ann second", "tsv:2: .*ann judges topic 'q1' already"),
        ("q1 ann own\nq2 ann second", "topic 'q2' has a second assessor and no own one"),
        ("# twice 7\nq1 ann own", "tsv:1: the share judged twice is '7', expected a number from 0 to 1"),
        ("# nothing", "no topic with an own assessor"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "assignment.tsv"
    file.write_text(text)
    with pytest.raises(InputError, match=problem):
        read_assignment(file)


def test_refusals() -> None:
    drawn = rounds()[0]
    with pytest.raises(UsageError, match="the assignment names 2 assessors, not 3: edit it, or omit"):
        assign(drawn, 3, since=Assignment({"q01": "ann", "q02": "bob"}))
    with pytest.raises(UsageError, match="a name is there twice"):
        assign(drawn, ["ann", "ann"])
    with pytest.raises(UsageError, match="expected letters"):
        assign(drawn, ["a/b"])
    with pytest.raises(UsageError, match="one assessor cannot judge a document twice"):
        assign(drawn, 1, twice_topics=1)
    with pytest.raises(UsageError, match="give their number or their names"):
        assign(drawn)
    with pytest.raises(InputError, match="the assignment lacks 29 topics"):
        hand_out(drawn, assignment=Assignment({"q01": "ann"}))
