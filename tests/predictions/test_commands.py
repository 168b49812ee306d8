"""Commands with predictions, against the functions that they call."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import refused, unjudged
from unjudged import Collection, Run, compare, evaluate
from unjudged.predictions import estimate_by_query
from unjudged.studies import simulate

MEASURE = "RBP(p=0.8)"


class World:
    """Two runs, complete judgments, and a model that is right most of the time."""

    def __init__(self, folder: Path) -> None:
        made = simulate(2, 12, 60, prevalence=0.3, seed=3)
        self.folder, self.judgments = folder, made.judgments
        self.runs = []
        for name, run in made.runs.items():
            path = folder / f"{name}.run"
            path.write_text(run.text(name))
            self.runs.append(str(path))
        names, grades = list(self.judgments.queries), self.judgments.grade.tolist()
        self.truth: dict[str, dict[str, int]] = {}
        for q, document, grade in zip(self.judgments.query, self.judgments.documents, grades, strict=True):
            self.truth.setdefault(names[q], {})[document] = max(grade, 0)
        self.model = self.write(
            "model.run",
            [
                f"{q} Q0 {d} 1 {0.7 if grade or len(d + q) % 5 == 0 else 0.2} m"
                for q, documents in self.truth.items()
                for d, grade in documents.items()
            ],
        )

    def write(self, name: str, lines: list[str]) -> str:
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines))
        return str(self.folder / name)

    def qrels(self, name: str, queries: int) -> str:
        """Complete judgments of the first queries."""
        chosen = list(self.truth.items())[:queries]
        return self.write(name, [f"{q} 0 {d} {g}" for q, docs in chosen for d, g in docs.items()])

    def sampled(self) -> str:
        """Half of the documents of each query, drawn at random; the others are unjudged."""
        rng = np.random.default_rng(5)
        rows = [(q, d, g) for q, docs in self.truth.items() for d, g in docs.items()]
        return self.write(
            "drawn.qrels", [f"{q} 0 {d} 1 {g if rng.random() < 0.5 else -1}" for q, d, g in rows]
        )


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def rows(*words: str) -> list[dict[str, object]]:
    done = unjudged(*words, "--format", "json")
    assert done.returncode in ((0, 1, 2) if words[0] == "gate" else (0,)), done.stderr.decode()
    found: list[dict[str, object]] = json.loads(done.stdout)["rows"]
    return found


def test_drawn_documents(world: World) -> None:
    people = world.sampled()
    stated = ["--set", "judgments.how=sample"]
    words = [people, f"model={world.model}", *world.runs, *stated, "-m", MEASURE]
    collection = Collection(people, world.runs, how="sample", predictions={"model": Run.read(world.model)})
    expected = evaluate(collection, measures=MEASURE)
    for row in rows("evaluate", *words):
        own = expected[str(row["system"])]
        for name in ("mean", "estimate_low", "estimate_high", "low", "high", "as_judged", "labels"):
            assert row[name] == pytest.approx(own[name]), name
    (row,), (check,) = rows("compare", *words), rows("gate", *words)
    means = [expected[name]["mean"] for name in expected.runs]
    assert row["difference"] == check["difference"] == pytest.approx(means[1] - means[0])
    assert float(str(row["estimate_low"])) < means[1] - means[0] < float(str(row["estimate_high"]))
    assert b"unjudged documents drawn and judged" in unjudged("evaluate", *words).stderr


def test_a_model_beside_a_pool_is_a_judge_alone(world: World) -> None:
    pool = world.write("pool.qrels", ["q1 0 d1 1\n", "q1 0 d2 0\n", "q2 0 d1 0\n", "q2 0 d2 1\n"])
    model = world.write("model.qrels", ["q1 0 d1 0\n", "q1 0 d2 0\n", "q2 0 d3 1\n"])
    for name in "ab":
        world.write(f"{name}.run", [f"{q} Q0 d{k} 1 {k} {name}\n" for q in ("q1", "q2") for k in range(1, 4)])
    labels = (
        f'[[judgments]]\nfile = "{pool}"\n[[judgments]]\nfile = "{model}"\nby = "model"\nname = "llama"\n'
    )
    described = world.write("pool.toml", [labels, '[runs]\na = "a.run"\nb = "b.run"\n'])
    plain = [pool, str(world.folder / "a.run"), str(world.folder / "b.run")]
    for command in ("evaluate", "compare", "gate"):
        assert rows(command, described) == rows(command, *plain)
    said = "People's labels are not a recorded sample, so the labels of llama are not used"
    assert said in unjudged("compare", described).stderr.decode()
    assert unjudged("audit", described).returncode == 0


def test_by_query_from_a_description(world: World) -> None:
    people = world.qrels("people.qrels", 7)
    by = f'[[judgments]]\nfile = "{world.model}"\nby = "model"\nname = "llama"\n'
    runs = "".join(f'{Path(run).stem} = "{run}"\n' for run in world.runs)
    (world.folder / "labels.qrels").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, docs in world.truth.items() for d, g in docs.items())
    )
    by = by.replace(world.model, str(world.folder / "labels.qrels"))
    described = world.write("collection.toml", [f'[[judgments]]\nfile = "{people}"\n{by}[runs]\n{runs}'])
    expected = estimate_by_query(people, world.runs, str(world.folder / "labels.qrels"), "AP")
    for row in rows("evaluate", described, "-m", "AP"):
        assert row["mean"] == pytest.approx(expected.powered(str(row["system"])).value)
    own = compare(people, world.runs, measures="AP", predictions=str(world.folder / "labels.qrels")).pair()
    for command in ("compare", "gate"):
        (row,) = rows(command, described, "-m", "AP")
        assert row["p"] == pytest.approx(own["p"]), command
    shown = unjudged("evaluate", described, "-m", "AP", "-v").stderr.decode()
    assert "7 queries judged by people, 5 queries with predictions only" in shown


def test_what_is_refused(world: World) -> None:
    words = ["evaluate", world.sampled(), *world.runs, "--set", "judgments.how=sample"]
    foreign = world.write("foreign.run", ["x1 Q0 d1 1 0.5 m"])
    for more, message in {
        f"m={foreign}": "no query in common with the judgments",
        "m=absent": "m=absent",
        "--set=predictions.threshold=0.5": "needs a model's labels",
    }.items():
        assert message in refused(2 if "threshold" in more else 1, *words, more)
