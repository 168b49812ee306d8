"""The commands from the first draw to the last sentence, against the functions that they call."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
import scipy.stats

from tests.cli.in_process import everything, printed, refused, unjudged
from unjudged import InputError, Judgments, sample
from unjudged.formats.writing import run_text
from unjudged.judging.judging_page import to_judge_in
from unjudged.judging.merging import merge
from unjudged.predictions import (
    Predictions,
    estimate_by_document,
    estimate_by_query,
)
from unjudged.studies import simulate

QRELS = str(sample.qrels)
DENSE, FUSED = str(sample.runs["dense"]), str(sample.runs["fused"])
MEASURE = "RBP(p=0.8)"


class World:
    """Two runs, complete judgments, and a model that is right most of the time."""

    def __init__(self, folder: Path) -> None:
        made = simulate(2, 12, 60, prevalence=0.3, seed=3)
        self.folder, self.judgments = folder, made.judgments
        self.runs = []
        for name, run in made.runs.items():
            path = folder / f"{name}.run"
            path.write_text(run_text(run, name))
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


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def table(*words: str) -> list[dict[str, str]]:
    """The rows as csv; the notes go to standard error then."""
    done = unjudged(*words, "--format", "csv")
    assert done.returncode == 0, done.stderr.decode()
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def drawn(world: World, n: int, qrels: str | None = None) -> str:
    """A file of documents to judge, drawn by weight and by the doubt of the model."""
    file = str(world.folder / "to-judge.sample")
    sources = [*([qrels] if qrels else []), *world.runs, "--set", f"predictions={world.model}"]
    measure = MEASURE if qrels is None else "P@5"
    said = printed("next", *sources, "-d", f"doubt({n})", "-m", measure, "--seed", "4", "-o", file)
    assert f"unjudged merge {file} -o judged.sample" in said
    return file


def test_from_the_draw_to_the_answer(world: World) -> None:
    """People answer in two files, and the sample waits for the second."""
    file, merged = drawn(world, 150), str(world.folder / "judged.sample")
    asked = to_judge_in(Judgments.read(file))
    parts = [
        world.write(name, [f"{q} 0 {d} {world.truth[q].get(d, 0)}" for q, d in part])
        for name, part in (("ann.qrels", asked[:40]), ("bob.qrels", asked[40:]))
    ]
    printed("merge", file, parts[0], "-o", merged)
    runs = [str(path) for path in world.runs]
    with pytest.raises(InputError, match=f"{len(asked) - 40} drawn documents are not judged yet"):
        estimate_by_document(merged, runs, world.model, MEASURE)
    printed("merge", merged, parts[1], "-o", f"{merged}.2")
    found = estimate_by_document(f"{merged}.2", runs, world.model, MEASURE)
    judged = merge(file, {"people": world.truth}).judgments
    expected = estimate_by_document(judged, runs, Predictions.of(world.model), MEASURE)
    for run in expected.runs:
        assert found.intervals(run) == expected.intervals(run)
    assert found.judged == len(asked)
    evaluated = ["evaluate", f"{merged}.2", *runs, "--set", f"predictions={world.model}", "-m", MEASURE]
    rows = table(*evaluated)
    for row in rows:
        these, other = expected.intervals(row["system"])
        assert float(row["mean"]) == pytest.approx(these.value)
        assert [float(row[f"estimate_{end}"]) for end in ("low", "high")] == pytest.approx(
            [these.low, these.high]
        )
        assert [float(row[f"query_{end}"]) for end in ("low", "high")] == pytest.approx(
            [other.low, other.high]
        )
    shown = everything(*evaluated)
    assert f"Poisson sample of {expected.judged} human judgments" in shown
    assert "have no prediction: 0." in shown
    compared = " ".join(printed("compare", *evaluated[1:]).split())
    gap = expected.difference(*expected.runs[::-1])
    assert compared.startswith("s1 is better than s2. ")
    assert f"difference {gap.value:+.4f} " in compared
    (row,) = json.loads(printed("compare", *evaluated[1:], "--format", "json"))["rows"]
    ends = [row[name] for name in ("difference", "estimate_low", "estimate_high")]
    assert ends == pytest.approx([gap.value, gap.low, gap.high])


def test_earlier_judgments_are_certain(world: World) -> None:
    """What people judged before is not drawn again, and counts with probability 1."""
    earlier = world.qrels("earlier.qrels", 2)
    sample = Judgments.read(drawn(world, 15, earlier))
    assert to_judge_in(sample)
    judged = merge(sample, {"people": world.truth}).judgments
    assert judged.probability is not None
    assert (judged.probability == 1).sum() == len(Judgments.of(earlier).grade)
    assert not {q for q, _ in to_judge_in(sample)} & set(Judgments.of(earlier).queries)


def test_a_list_with_answers_is_not_overwritten(world: World) -> None:
    file = drawn(world, 30)
    before = Path(file).read_text()
    assert Path(drawn(world, 30)).read_text() == before
    Path(file).write_text(before.replace(" -1\n", " 1\n"))
    again = ["next", *world.runs, "-d", "doubt(30)", "-m", MEASURE, "-o", file]
    assert "it has grades, which would be lost" in refused(1, *again)


def test_by_query(world: World) -> None:
    people = world.qrels("people.qrels", 7)
    rows = table(
        "evaluate", people, *world.runs, "--set", f"predictions={world.model}", "-m", "AP", "-m", "nDCG@5"
    )
    for measure in ("AP", "nDCG@5"):
        expected = estimate_by_query(people, world.runs, world.model, measure)
        for row in (row for row in rows if row["measure"] == measure):
            one = expected.mean(row["system"])
            ends = [float(row[name]) for name in ("mean", "query_low", "query_high")]
            assert ends == pytest.approx([one.value, one.low, one.high])
    shown = everything("evaluate", people, *world.runs, "--set", f"predictions={world.model}")
    assert "7 queries judged by people, 5 queries with predictions only" in shown


def test_a_comparison_has_one_verdict(world: World) -> None:
    """The first line said that one run leads, and the verdict, by plain numbers, that the other does."""
    queries, names = [f"q{i:02d}" for i in range(12)], [f"{d}{j}" for d in "ab" for j in range(10)]
    runs = [
        world.write(
            f"{name}.run", [f"{q} Q0 {d} 1 {-int(d[1:])} r" for q in queries for d in names if d[0] == own]
        )
        for name, own in (("old", "a"), ("new", "b"))
    ]
    listed = [
        (q, d, int((i + int(d[1:])) % (3 if d[0] == "a" else 2) == 0), 1.0 if d[0] == "a" else 0.4)
        for i, q in enumerate(queries)
        for d in names
    ]
    drawn = [(q, d, g if pi == 1 or (i * 7) % 10 < 4 else -1, pi) for i, (q, d, g, pi) in enumerate(listed)]
    people = world.write("people.prels", [f"{q} {d} {g} 1 {pi}" for q, d, g, pi in drawn])
    model = world.write("model2.run", [f"{q} Q0 {d} 1 {0.2 + 0.6 * g} m" for q, d, g, _ in listed])
    asked = ["compare", people, *runs, "-m", "P@10"]
    plain = " ".join(unjudged(*asked).stdout.decode().split())
    assert "old is ahead" in plain or "old is better" in plain
    said = " ".join(printed(*asked, "--set", f"predictions={model}").split())
    assert said.startswith("new is better than old.")
    assert "is ahead" not in said
    (row,) = table(*asked, "--set", f"predictions={model}")
    expected = estimate_by_document(people, runs, model, "P@10")
    gap, other = expected.intervals("new", "old")
    assert [float(row[name]) for name in ("difference", "estimate_low", "estimate_high")] == pytest.approx(
        [gap.value, gap.low, gap.high]
    )
    assert [float(row[name]) for name in ("query_low", "query_high")] == pytest.approx(
        [other.low, other.high]
    )
    assert (row["a"], row["better"], row["headline"]) == ("new", "new", "better")
    values = expected.per_query
    assert float(row["p"]) == pytest.approx(scipy.stats.ttest_rel(*values).pvalue)
    as_json = json.loads(printed(*asked, "--set", f"predictions={model}", "--format", "json"))
    assert as_json["rows"][0]["better"] == "new"


def test_a_comparison_by_query(world: World) -> None:
    """Its rankings of further queries were said to be ignored."""
    people = world.qrels("people.qrels", 7)
    asked = ["compare", people, *world.runs, "--set", f"predictions={world.model}", "-m", "AP"]
    done = unjudged(*asked)
    said = " ".join(done.stdout.decode().split())
    assert "ignored" not in said + done.stderr.decode()
    expected = estimate_by_query(people, world.runs, world.model, "AP")
    a, b = expected.runs[::-1]
    gap = expected.difference(a, b)
    means = f"{expected.mean(b).value:.4f} -> {expected.mean(a).value:.4f}"
    assert f"AP: {means}, difference {gap.value:+.4f} other queries" in said
    assert f": {gap.low:+.4f} to {gap.high:+.4f} (95%), p" in said
    (row,) = table(*asked)
    assert [float(row[f"mean_{side}"]) for side in "ab"] == [expected.mean(run).value for run in (a, b)]
    assert float(row["p"]) == pytest.approx(expected.powered(*expected.runs).p)
    assert "choose t" in refused(2, *asked, "--test", "wilcoxon")
    assert "choose t, and holm, bh" in refused(2, *asked, "--correction", "tukey")


def test_grades_in_json_are_read_as_asked(world: World) -> None:
    """A model's grades 0 to 3 in JSON were read as scores, without a word."""
    people = world.qrels("people.qrels", 7)
    grades = {q: {d: 2 * g for d, g in docs.items()} for q, docs in world.truth.items()}
    model = world.folder / "model.json"
    model.write_text(json.dumps(grades))
    asked = ["evaluate", people, *world.runs, "--set", f"predictions={model}", "-m", "AP"]
    assert "say from which threshold" in refused(2, *asked)
    shown = everything(*asked, "--set", "predictions.threshold=1")
    assert "model.json: whole numbers, read as scores; say --set predictions.kind=grades" in shown
    assert "read as scores" not in everything(*asked, "--set", "predictions.kind=grades")
    expected = estimate_by_query(people, world.runs, Predictions.of(grades, kind="grades"), "AP")
    rows = table(*asked, "--set", "predictions.kind=grades")
    assert [float(row["mean"]) for row in rows] == [expected.mean(row["system"]).value for row in rows]


def test_measures_that_are_no_sums_are_refused_with_the_reason(world: World) -> None:
    people = world.qrels("people.qrels", 12)
    for measure in ("AP", "R@10", "nDCG@10"):
        problem = refused(
            2, "evaluate", people, *world.runs, "--set", f"predictions={world.model}", "-m", measure
        )
        assert "cannot be estimated by document: it divides by a number of relevant documents" in problem
        assert "Estimate it by query instead" in problem


def test_missing_predictions_and_foreign_ids(world: World) -> None:
    lines = Path(world.model).read_text().splitlines()
    some = world.write("some.run", lines[: len(lines) // 2])
    people = world.qrels("people.qrels", 12)
    expected = estimate_by_document(people, world.runs, Predictions.of(some), "P@5")
    assert expected.missing > 0
    shown = everything("evaluate", people, *world.runs, "--set", f"predictions={some}", "-m", "P@5")
    assert f"have no prediction: {expected.missing}." in shown
    other = world.write("other.run", [f"other{line}" for line in lines])
    problem = refused(1, "evaluate", people, *world.runs, "--set", f"predictions={other}", "-m", "P@5")
    assert "no query that people judged has predictions" in problem


def test_options_that_do_not_go_together(world: World) -> None:
    evaluated = ["evaluate", world.qrels("people.qrels", 6), world.runs[0], "-m", "AP"]
    both = refused(2, *evaluated, "--set", f"predictions={world.model}", "--interval", "bounds")
    assert both.startswith("'bounds' intervals need judgments, and estimated with predictions")


def test_decimals_of_estimates_with_predictions(world: World) -> None:
    """--decimals was refused beside --predictions."""
    people = world.qrels("people.qrels", 6)
    asked = ["evaluate", people, world.runs[0], "--set", f"predictions={world.model}", "-m", "AP"]
    (row,) = table(*asked)
    value, low, high = (float(row[name]) for name in ("mean", "query_low", "query_high"))
    for decimals in (2, 6):
        shown = printed(*asked, "--decimals", str(decimals))
        assert f"{value:.{decimals}f} {low:.2f} \N{EN DASH} {high:.2f}" in " ".join(shown.split())
    said = refused(2, *asked, "--decimals", "2", "--format", "csv")
    assert said == "--decimals is for tables; csv has full precision"


def test_several_judges_are_combined(world: World) -> None:
    qrels = world.qrels("whole.qrels", 6)
    second = world.write(
        "clicks.run",
        [
            f"{q} Q0 {d} 1 {grade + len(d) % 3} c"
            for q, docs in world.truth.items()
            for d, grade in docs.items()
        ],
    )
    several = ["--set", f"predictions=model={world.model}", "--set", f"predictions=clicks={second}"]
    words = ("evaluate", qrels, *world.runs, *several, "--set", "predictions.threshold=0.5", "-m", "P@5")
    judges = {"model": Predictions.of(world.model), "clicks": Predictions.of(second)}
    runs = {Path(run).stem: run for run in world.runs}
    expected = estimate_by_query(qrels, runs, judges, "P@5", threshold=0.5)
    rows = table(*words)
    assert float(rows[0]["mean"]) == expected.mean(rows[0]["system"]).value
    assert "Weights of the judges for P@5" in everything(*words)
    compared = everything(
        "compare", qrels, *world.runs, *several, "--set", "predictions.threshold=0.5", "-m", "P@5"
    )
    assert "Weights of the judges for P@5" in compared


def test_judges_need_names_of_their_own(world: World) -> None:
    qrels = world.qrels("whole.qrels", 6)
    twice = ("--set", f"predictions={world.model}", "--set", f"predictions={world.model}")
    assert "several predictions need names of their own" in refused(2, "evaluate", qrels, *world.runs, *twice)
