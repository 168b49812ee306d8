"""`doctor`: every kind of file is recognised, and every command that it names works."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import NOTE, printed, refused, unjudged
from unjudged import (
    Diagnosis,
    InputError,
    Judgments,
    Run,
    UnjudgedWarning,
    UsageError,
    doctor,
    evaluate,
    sample,
)
from unjudged.diagnosis.questions import Question

RUNS = [str(run) for run in sample.runs.values()]
QRELS = str(sample.qrels)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file of every kind, all of the sample collection."""
    made = tmp_path_factory.mktemp("doctor")
    run, judgments = Run.of(RUNS[3]), Judgments.of(QRELS)
    scores = {
        q: {d: float(s) for d, s in zip(run.ranking(q), _own(run, i), strict=True)}
        for i, q in enumerate(run.queries)
    }
    (made / "run.json").write_text(json.dumps(scores))
    lines = [f"{q}\t{d}\t{k}" for q in run.queries for k, d in enumerate(run.ranking(q), 1)]
    (made / "marco.tsv").write_text("\n".join(lines) + "\n")
    pairs = judgments.pooled.names(np.arange(len(judgments.grade)))
    grades = judgments.grade.tolist()
    header = "query-id\tcorpus-id\tscore\n"
    (made / "beir.tsv").write_text(
        header + "".join(f"{q}\t{d}\t{g}\n" for (q, d), g in zip(pairs, grades, strict=True))
    )
    labels = ({"qid": q, "docno": d, "label": max(g, 0)} for (q, d), g in zip(pairs, grades, strict=True))
    (made / "labels.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in labels))
    rng = np.random.default_rng(1)
    odds = [f"{q} Q0 {d} 1 {p:.4f} model\n" for (q, d), p in zip(pairs, rng.random(len(pairs)), strict=True)]
    (made / "model.run").write_text("".join(odds))
    printed("evaluate", QRELS, *RUNS, "-q", "-m", "AP", "nDCG@10", "-o", str(made / "scores.csv"))
    (made / "printed.txt").write_text("".join(f"map \t{q}\t0.{k}\n" for k, q in enumerate(run.queries, 1)))
    printed(
        "sample",
        QRELS,
        *RUNS[:5],
        "--to-judge",
        str(made / "task"),
        "--design",
        "stratified",
        "--share",
        "0.3",
    )
    printed(
        "calibrate", QRELS, *RUNS[:5], "--groups", "(.*)", "-m", "AP", "-o", str(made / "calibration.json")
    )
    (made / "groups.txt").write_text("".join(f"{name} {name[0]}\n" for name in sample.runs))
    (made / "documents.jsonl").write_text(
        "".join(f"{json.dumps({'_id': d, 'title': 't', 'text': 'words'})}\n" for d in judgments.documents)
    )
    topics = (f"<top>\n<num> Number: {q}\n<title> words\n</top>\n" for q in judgments.queries)
    (made / "topics.txt").write_text("".join(topics))
    (made / "two.tsv").write_text("".join(f"{q}\tsome words\n" for q in judgments.queries))
    (made / "notes.md").write_text("# Notes\n\nNothing to see, really nothing.\n")
    return made


def _own(run: Run, i: int) -> list[float]:
    return run.scores[run.offsets[i] : run.offsets[i + 1]].tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        (QRELS, "judgments", "1,590 judged documents, 346 of them relevant, 540 pooled"),
        (RUNS[0], "run", "40 documents per query"),
        ("run.json", "run", "scores "),
        ("marco.tsv", "run", "scores -40 to -1"),
        ("beir.tsv", "judgments", "grades 0 to 2"),
        ("labels.jsonl", "judgments", "a pool"),
        ("model.run", "run", "scores "),
        ("scores.csv", "scores", "6 systems: boolean, lexical"),
        ("printed.txt", "scores", "1 system: printed; AP"),
        ("task/design.txt", "design", "stratified: "),
        ("calibration.json", "calibration", "for AP"),
        ("groups.txt", "groups", "6 runs in 6 groups"),
        ("documents.jsonl", "texts", "texts by name"),
        ("topics.txt", "texts", "30 texts by name"),
        ("two.tsv", "texts", "30 texts by name"),
        ("notes.md", "unknown", "not recognised"),
    ],
)
def test_what_each_file_is(folder: Path, name: str, kind: str, words: str) -> None:
    (one,) = doctor(folder / name).files
    assert (one.kind, words in one.description) == (kind, True), one.description


def asked(diagnosis: Diagnosis, word: str) -> list[Question]:
    return [q for q in diagnosis.questions if f"unjudged {word}" in q.command]


def test_every_command_that_it_names_works(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("calibration.json", "groups.txt", "documents.jsonl", "topics.txt", "scores.csv")
    files = [*RUNS[:3], QRELS, str(folder / "model.run"), *(str(folder / name) for name in names)]
    monkeypatch.chdir(folder)
    found = doctor(*files)
    commands = [q.command for q in found.questions if q.command]
    for word in ("evaluate", "compare", "gate", "report", "next", "calibrate", "audit", "judge"):
        assert any(command.startswith(f"unjudged {word} ") for command in commands), word
    (unanswered,) = [q.question for q in found.questions if q.refusal]
    assert unanswered.endswith("model.run as predictions?")  # these judgments are no uniform sample
    for command in commands:
        done = unjudged(*shlex.split(command)[1:])
        answers = (0, 1, 2) if command.startswith("unjudged gate ") else (0,)
        assert done.returncode in answers, f"{command}: {done.stderr.decode()}"
    text = str(found)
    assert f"lexical.run with {QRELS}: 30 of 30 queries; 100% of the first ten documents are judged" in text
    assert "model.run with" in text
    assert "numbers for 100% of the judged documents" in text
    assert "topics of 30 of 30 queries" in text


def test_what_to_judge_next_for_one_run(folder: Path) -> None:
    """It named the order of runs, which one run has not."""
    (command,) = [q.command for q in asked(doctor(QRELS, RUNS[0]), "next")]
    assert unjudged(*shlex.split(command)[1:]).returncode == 0


def test_the_gate_is_for_two_systems(folder: Path) -> None:
    (command,) = [q.command for q in asked(doctor(QRELS, *RUNS[:2]), "gate")]
    assert command == f"unjudged gate {QRELS} {RUNS[0]} {RUNS[1]} --margin 0.01"
    assert not asked(doctor(QRELS, *RUNS[:3]), "gate")
    (command,) = [q.command for q in asked(doctor(str(folder / "scores.csv")), "gate")]
    assert "--old boolean --new " in command


def test_predictions(folder: Path) -> None:
    run, rng = Run.of(RUNS[1]), np.random.default_rng(2)
    rows = [(q, d, rng.choice([-1, 0, 1]), rng.random()) for q in run.queries for d in run.ranking(q)]
    (folder / "drawn.qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g, _ in rows))
    (folder / "llm.run").write_text("".join(f"{q} Q0 {d} 1 {p:.4f} llm\n" for q, d, _, p in rows))
    found = doctor(RUNS[1], folder / "llm.run", folder / "drawn.qrels")
    (command,) = [q.command for q in found.questions if "--predictions" in q.command]
    assert unjudged(*shlex.split(command)[1:]).returncode == 0


def test_answers_to_a_design(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    sheets = [sheet for sheet in (folder / "task").glob("*.qrels") if sheet.name != "design.txt"]
    (folder / "answers.qrels").write_text("".join(s.read_text().replace(" -1\n", " 1\n") for s in sheets))
    found = doctor("answers.qrels", "task/design.txt")
    (merge,) = asked(found, "merge")
    assert merge.command == "unjudged merge task/design.txt answers.qrels -o judged.qrels"
    assert unjudged(*shlex.split(merge.command)[1:]).returncode == 0
    alone = doctor("task/design.txt")
    assert "Give the answers too" in str(alone)


def test_what_is_not_allowed_is_refused_with_its_reason(folder: Path) -> None:
    chosen = folder / "chosen.qrels"
    comment = "# unjudged-origin chosen: they were selected for what their judgments would show\n"
    chosen.write_text(comment + Path(QRELS).read_text())
    refusals = [q.refusal for q in doctor(chosen, RUNS[0], folder / "groups.txt").questions if q.refusal]
    assert len(refusals) == 1
    assert "leaving out pooled runs needs a pool, and these judgments are chosen documents" in refusals[0]


def test_a_recorded_sample_can_be_asked_for_another(folder: Path) -> None:
    drawn = folder / "drawn.qrels"
    printed("sample", QRELS, *RUNS[:4], *("--design", "stratified", "--share", "0.4"), "-o", str(drawn))
    (asked,) = [q for q in doctor(drawn, RUNS[0]).questions if "another sample" in q.question]
    assert "AP" in printed(*shlex.split(asked.command)[1:])
    drawn.write_text("q01 0 d002 1 -1\nq01 0 d004 1 -1\nq01 0 d130 2 1\n")
    (refused,) = [q for q in doctor(drawn, RUNS[0]).questions if "another sample" in q.question]
    assert "nothing was drawn from one of the strata of query 'q01'" in refused.refusal


def test_files_that_do_not_belong_together(folder: Path) -> None:
    other = folder / "other.qrels"
    other.write_text("x1 0 a 1\nx1 0 b 0\n")
    found = doctor(RUNS[0], other)
    assert "no query in common: 'x1' here, 'q01' there" in str(found)
    assert [q.command for q in found.questions] == [""]
    assert "no query in common" in found.questions[0].refusal
    assert "Give judgments too" in str(doctor(RUNS[0]))
    assert "Give a run too" in str(doctor(QRELS))


def test_the_command(folder: Path) -> None:
    text = printed("doctor", RUNS[1], QRELS)
    assert text == f"{doctor(RUNS[1], QRELS)}\n"
    data = json.loads(printed("doctor", RUNS[1], QRELS, "--format", "json"))
    assert "kind" in json.dumps(data)
    lines = printed("doctor", str(folder / "scores.csv"), "--format", "jsonl").splitlines()
    assert json.loads(lines[0])["kind"] == "scores"
    assert "no such file" in refused(1, "doctor", "nowhere.run")
    assert refused(2, "doctor")
    with pytest.raises(UsageError, match="no file"):
        doctor()
    with pytest.raises(InputError, match="no such file"):
        doctor("nowhere.run")
    assert "<p>" in doctor(QRELS)._repr_html_()


@pytest.mark.filterwarnings("ignore:Only .* are judged:unjudged.AssumptionWarning")
def test_the_wrong_order_in_doubt_is_a_warning(folder: Path) -> None:
    """Whole scores with ties in place of judgments, and judgments in their place, gave numbers in silence."""
    run = Run.of(RUNS[0])
    scores = {q: dict(zip(run.ranking(q), _own(run, i), strict=True)) for i, q in enumerate(run.queries)}
    with pytest.warns(UnjudgedWarning, match="look like scores, and beir like grades: are they in the wrong"):
        evaluate(scores, str(folder / "beir.tsv"), "AP")
    assert NOTE


def test_an_empty_file_is_no_file_of_groups(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert "not recognised" in printed("doctor", QRELS, *RUNS[:2], str(tmp_path / "empty"))


def works(*files: str) -> list[str]:
    """Return the commands that it names for files; each is run."""
    commands = [q.command for q in doctor(*files).questions if q.command]
    for command in commands:
        done = unjudged(*shlex.split(command)[1:])
        answers = (0, 1, 2) if command.startswith("unjudged gate ") else (0,)
        assert done.returncode in answers, f"{command}: {done.stderr.decode()}"
        assert "expected" not in done.stderr.decode(), command
    return commands


def test_commands_for_any_table_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those for tables with gaps, counts, one query and names like options failed."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    rows = [(f"q{k}", *rng.random(2).round(3)) for k in range(9)]
    Path("gaps.csv").write_text("query,-a,b\nq9,-,0.5\n" + "".join(f"{q},{a},{b}\n" for q, a, b in rows))
    assert "1 value is missing: system '-a' on query 'q9'" in str(doctor("gaps.csv"))
    gap = [command for command in works("gaps.csv") if command.startswith("unjudged gate")]
    assert gap == ["unjudged gate --scores gaps.csv --missing zero --old=-a --new b --margin 0.01"]
    for name in ("old", "new"):
        lines = (f"num_ret {q} 10\nmap {q} {a}\nndcg_cut_10 {q} {rng.random():.3f}\n" for q, a, _ in rows)
        Path(f"{name}.eval").write_text("".join(lines))
    both = works("old.eval", "new.eval")
    assert [command.split()[1] for command in both] == ["evaluate", "compare", "gate", "report"]
    assert both[2] == "unjudged gate --scores old.eval new.eval -m nDCG@10 --margin 0.01"
    Path("one.csv").write_text("query,a,b\nq1,0.1,0.2\n")
    works("one.csv")
    assert "one query gives no interval" in str(doctor("one.csv"))
    for name in ("a", "b"):
        text = "user_input,faithfulness,relevancy\n" + "".join(f"{q},{a},{b}\n" for q, a, b in rows)
        Path(f"{name}.csv").write_text(text)
    assert works("a.csv", "b.csv")[1] == "unjudged compare --scores a.csv b.csv -m faithfulness"
    Path("-b.run").write_text(Path(RUNS[1]).read_text())
    assert any("./-b.run" in command for command in works(QRELS, RUNS[0], "-b.run"))


def test_one_measure_for_one_pair() -> None:
    """`compare` and `gate` had three."""
    found = doctor(QRELS, *RUNS[:2])
    assert all(q.command.endswith("-m nDCG@10") for q in asked(found, "compare"))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("list.json", '[{"query": "q1", "mrr": 0.5, "hit_rate": 1}]', "1 system: list; RR, hit_rate"),
        ("ranx.json", '{"ndcg@10": {"q1": 0.1}, "map": {"q1": 0.3}}', "1 system: ranx; nDCG@10, AP"),
        ("deep.json", '{"bm25": {"q1": {"map": 0.3}}}', "1 system: bm25; AP"),
        ("ragas.csv", "question,answer,faithfulness\nq 1,x,0.5\n", "1 system: ragas; faithfulness"),
        ("head.csv", "Query ID,Model,Metric,Score\nq1,a,map,0.5\n", "1 system: a; AP"),
    ],
)
def test_tables_of_other_tools(name: str, text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    (one,) = doctor(tmp_path / name).files
    assert (one.kind, words in one.description) == ("scores", True), one.description


def test_its_own_json(tmp_path: Path) -> None:
    printed("evaluate", QRELS, *RUNS, "-q", "--format", "json", "-o", str(tmp_path / "own.json"))
    (one,) = doctor(tmp_path / "own.json").files
    assert "6 systems" in one.description


def test_nothing_is_recognised(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<!DOCTYPE html><html><p>words</p></html>")
    (tmp_path / "own.csv").write_text("inputs.question,correctness\nq1,0.5\n")
    for file, why in (
        (folder / "notes.md", "not recognised"),
        (tmp_path / "page.html", "a page of HTML"),
        (tmp_path / "own.csv", "as in --columns query=NAME"),
    ):
        done = unjudged("doctor", str(file))
        assert done.returncode == 1
        assert why in done.stdout.decode()
        assert "Give a run too" not in done.stdout.decode()
    assert unjudged("doctor", QRELS, str(folder / "notes.md")).returncode == 0
