"""`check`: every kind of file is recognised, what is wrong is found, every command that it names works."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import printed, refused, unjudged
from unjudged import InputError, Judgments, Run, UsageError, calibrate, check, sample
from unjudged.diagnosis.checking import Check

RUNS = [str(run) for run in sample.runs.values()]
QRELS = str(sample.qrels)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file of every kind, all of the sample collection."""
    made = tmp_path_factory.mktemp("check")
    run, judgments = Run.read(RUNS[3]), Judgments.read(QRELS)
    scores = {
        q: {d: float(s) for d, s in zip(run.ranking(q), _own(run, i), strict=True)}
        for i, q in enumerate(run.queries)
    }
    (made / "run.json").write_text(json.dumps(scores))
    pairs = judgments.pooled.names(np.arange(len(judgments.grade)))
    grades = judgments.grade.tolist()
    rows = [f"{q}\t{d}\t{g}\n" for (q, d), g in zip(pairs, grades, strict=True)]
    (made / "beir.tsv").write_text("".join(["query-id\tcorpus-id\tscore\n", *rows]))
    labels = ({"qid": q, "docno": d, "label": max(g, 0)} for (q, d), g in zip(pairs, grades, strict=True))
    (made / "labels.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in labels))
    rng = np.random.default_rng(1)
    odds = [f"{q} Q0 {d} 1 {p:.4f} model\n" for (q, d), p in zip(pairs, rng.random(len(pairs)), strict=True)]
    (made / "cosine.run").write_text("".join(odds))
    table = "".join(
        f"{q},{a:.3f},{b:.3f}\n" for q, a, b in zip(run.queries, *rng.random((2, 30)), strict=True)
    )
    (made / "scores.csv").write_text(f"query,boolean,lexical\n{table}")
    (made / "printed.txt").write_text("".join(f"map \t{q}\t0.{k}\n" for k, q in enumerate(run.queries, 1)))
    groups = {name: name[0] for name in sample.runs}
    calibrate(QRELS, RUNS[:5], "(.*)", "AP").save(made / "calibration.json")
    (made / "groups.txt").write_text("".join(f"{name} {group}\n" for name, group in groups.items()))
    texts = (f"{json.dumps({'_id': d, 'title': 't', 'text': 'words'})}\n" for d in judgments.documents)
    (made / "documents.jsonl").write_text("".join(texts))
    (made / "two.tsv").write_text("".join(f"{q}\tsome words\n" for q in judgments.queries))
    (made / "notes.md").write_text("# Notes\n\nNothing to see, really nothing.\n")
    return made


def _own(run: Run, i: int) -> list[float]:
    return run.scores[run.offsets[i] : run.offsets[i + 1]].tolist()  # type: ignore[no-any-return]


def commands(found: Check) -> list[str]:
    return [row["command"] for row in found.rows["questions"] if row["command"]]


def asked(found: Check, word: str) -> list[str]:
    return [command for command in commands(found) if command.startswith(f"unjudged {word} ")]


def problems(found: Check) -> list[str]:
    return [row["problem"] for row in found.rows["problems"]]


def works(*files: object) -> list[str]:
    """Return the commands that it names for files; each is run."""
    named = commands(check(*map(str, files)))
    for command in named:
        done = unjudged(*shlex.split(command)[1:])
        answers = (0, 1, 2) if command.startswith("unjudged gate ") else (0,)
        assert done.returncode in answers, f"{command}: {done.stderr.decode()}"
    return named


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        (QRELS, "judgments", "1,590 judged documents, 346 of them relevant, 540 pooled"),
        (RUNS[0], "run", "40 documents per query"),
        ("run.json", "run", "scores "),
        ("beir.tsv", "judgments", "grades 0 to 2"),
        ("labels.jsonl", "judgments", "a pool"),
        ("cosine.run", "run", "scores "),
        ("scores.csv", "scores", "2 systems: boolean, lexical"),
        ("printed.txt", "scores", "1 system: printed; AP"),
        ("calibration.json", "calibration", "for AP"),
        ("groups.txt", "groups", "6 runs in 6 groups"),
        ("documents.jsonl", "texts", " texts by name"),
        ("two.tsv", "texts", "30 texts by name"),
        ("notes.md", "unknown", "expected 6 columns"),
    ],
)
def test_what_each_file_is(folder: Path, name: str, kind: str, words: str) -> None:
    (row,) = check(folder / name)["files"]
    assert (row["kind"], words in row["description"]) == (kind, True), row["description"]


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
    (row,) = check(tmp_path / name).rows["files"]
    assert (row["kind"], words in row["description"]) == ("scores", True), row["description"]


def test_every_command_that_it_names_works(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    Path("second.qrels").write_text(Path(QRELS).read_text().replace(" 2\n", " 1\n"))
    named = works(*RUNS[:2], QRELS, "second.qrels", "calibration.json", "groups.txt")
    for word in ("evaluate", "compare", "gate", "report", "next", "audit"):
        assert any(command.startswith(f"unjudged {word} ") for command in named), word
    assert f"unjudged gate {QRELS} {RUNS[0]} {RUNS[1]} --margin 0.01" in named
    assert f"unjudged audit {QRELS} second.qrels {RUNS[0]} {RUNS[1]}" in named
    assert works(QRELS, RUNS[0])  # one run has no order
    assert not asked(check(QRELS, *RUNS[:3]), "gate")


def test_cosine_scores_are_a_run(folder: Path) -> None:
    found = check(QRELS, RUNS[0], folder / "cosine.run")
    assert asked(found, "compare")
    assert not asked(found, "audit")


def test_how_files_match(folder: Path) -> None:
    text = str(check(QRELS, RUNS[1], folder / "labels.jsonl", folder / "two.tsv", folder / "documents.jsonl"))
    assert "\nHow they match " in text
    assert "lexical: 30 of 30 queries; 100 % of the first ten documents are judged" in text
    assert "texts of 30 of 30 queries" in text
    assert re.search(r"texts of ([\d,]+) of \1 judged documents", text)


def test_groups_tell_how_far_off_new_systems_are(folder: Path, tmp_path: Path) -> None:
    found = check(QRELS, *RUNS[:5], folder / "groups.txt")
    (said,) = found.notes
    assert said.startswith("Left out, a run's nDCG@10 changes by ")
    assert "Are new systems evaluated fairly?" in str(found)
    assert len(found.rows["left out"]) == 5
    described = tmp_path / "collection.toml"
    runs = ", ".join(f'"{run}"' for run in RUNS[:5])
    described.write_text(f'runs = [{runs}]\ngroups = "(.*)"\n[[judgments]]\nfile = "{QRELS}"\n')
    again = check(described)
    assert [row["kind"] for row in again.rows["files"]] == ["judgments", *["run"] * 5]
    assert again.rows["left out"]


def wrong(tmp_path: Path, qrels: str, run: str) -> list[str]:
    files = tmp_path / "q.qrels", tmp_path / "r.run"
    for file, text in zip(files, (qrels, run), strict=True):
        file.write_text(text)
    return problems(check(*files))


def test_what_is_wrong(tmp_path: Path) -> None:
    queries = range(10)
    judged = "".join(f"q{k} 0 d{d} {d % 2}\n" for k in queries for d in range(4))
    run = [f"q{k} Q0 d{d} 1 {9 - d} t\n" for k in queries for d in range(4)]
    assert wrong(tmp_path, judged, "".join(run)) == []
    (few,) = wrong(tmp_path, judged, "".join(run[:28]))
    assert few.startswith("r: no ranking for 3 of 10 queries")
    (names,) = wrong(tmp_path, judged, "".join(run).replace(" d", " D"))
    assert names.startswith("r: no judged document in the rankings of 10 of 10 queries: does it name")
    listed = judged.replace(" 0\n", " 1\n")
    assert wrong(tmp_path, listed, "".join(run)) == []
    assert "taken for positives only" in str(check(tmp_path / "q.qrels"))
    (relevant,) = wrong(tmp_path, listed[: listed.index("q9")], "".join(run[:36]))
    assert "every judged document is relevant: is that all that was listed?" in relevant
    (nothing,) = [one for one in wrong(tmp_path, "q0 0 d0 -1\n", "".join(run)) if "negative" in one]
    assert "nothing is judged" in nothing
    other = check(RUNS[0], tmp_path / "q.qrels")
    assert any("no query in common with" in one for one in problems(other))
    assert commands(other) == []


def test_a_broken_run_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "other.run").write_text(Path(RUNS[0]).read_text().replace("q", "topic"))
    (tmp_path / "cut.run").write_text(f"{Path(RUNS[0]).read_text()}q30 Q0")
    (tmp_path / RUNS[0].rpartition("/")[2]).write_text(Path(RUNS[0]).read_text())
    found = check(QRELS, *(tmp_path / name for name in ("other.run", "cut.run", "boolean.run")), RUNS[0])
    assert [row["other"] for row in found.rows["matches"]] == [f"{tmp_path}/boolean.run", RUNS[0]]
    assert len(problems(found)) == 2
    assert asked(found, "compare") == [f"unjudged compare {QRELS} {tmp_path}/boolean.run {RUNS[0]}"]


def test_what_is_described_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.csv").write_text("topic,url,stars\nq1,d1,1\nq1,d2,0\nq2,d1,0\nq2,d2,2\n")
    Path("model.qrels").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d2 1\n")
    Path("a.run").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq2 Q0 d2 1 2 t\nq2 Q0 d1 2 1 t\n")
    Path("b.run").write_text("q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\nq2 Q0 d2 1 2 t\nq2 Q0 d1 2 1 t\n")
    Path("collection.toml").write_text(
        'groups = "(.)$"\nruns = ["*.run"]\n[[judgments]]\nfile = "q.csv"\nhow = "pool"\ndepth = 2\n'
        'columns = { query = "topic", document = "url", grade = "stars" }\n'
        '[[judgments]]\nfile = "model.qrels"\nby = "model"\n'
    )
    found = check("collection.toml")
    assert found.rows["files"][0]["description"].startswith("a pool to rank 2: 4 judged documents")
    assert problems(found) == []
    assert len(found.rows["left out"]) == 2
    for command in works("collection.toml"):
        assert shlex.split(command)[2] == "collection.toml"
    assert asked(found, "audit") == ["unjudged audit collection.toml"]
    assert asked(check("collection.toml", "a.run"), "evaluate") == ["unjudged evaluate collection.toml a.run"]
    Path("a.run").write_text("<html>")
    (problem,) = problems(check("collection.toml"))
    assert problem.startswith("a.run:1: ")
    with pytest.raises(UsageError, match="are two collections: check one at a time"):
        check("collection.toml", tmp_path)


def test_what_is_not_allowed_is_refused_with_its_reason(folder: Path) -> None:
    chosen = folder / "chosen.qrels"
    comment = "# unjudged-origin chosen: they were selected for what their judgments would show\n"
    chosen.write_text(comment + Path(QRELS).read_text())
    found = check(chosen, RUNS[0], folder / "labels.jsonl")
    assert not asked(found, "calibrate")
    assert "Give judgments too" in str(check(RUNS[0]))
    assert "Give a run too" in str(check(QRELS))


def test_commands_for_any_table_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those for tables with gaps, counts, one query and names like options failed."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    rows = [(f"q{k}", *rng.random(2).round(3)) for k in range(9)]
    Path("gaps.csv").write_text("query,-a,b\nq9,-,0.5\n" + "".join(f"{q},{a},{b}\n" for q, a, b in rows))
    assert "1 value is missing: system '-a' on query 'q9'" in str(check("gaps.csv"))
    (gap,) = [command for command in works("gaps.csv") if command.startswith("unjudged gate")]
    assert gap == "unjudged gate gaps.csv --set scores.missing=zero --margin 0.01 -- -a b"
    for name in ("old", "new"):
        lines = (f"num_ret {q} 10\nmap {q} {a}\nndcg_cut_10 {q} {rng.random():.3f}\n" for q, a, _ in rows)
        Path(f"{name}.eval").write_text("".join(lines))
    both = works("old.eval", "new.eval")
    assert [command.split()[1] for command in both] == ["evaluate", "compare", "gate", "report"]
    assert both[2] == "unjudged gate old.eval new.eval -m nDCG@10 --margin 0.01"
    Path("one.csv").write_text("query,a,b\nq1,0.1,0.2\n")
    works("one.csv")
    for name in ("a", "b"):
        text = "user_input,faithfulness,relevancy\n" + "".join(f"{q},{a},{b}\n" for q, a, b in rows)
        Path(f"{name}.csv").write_text(text)
    assert works("a.csv", "b.csv")[1] == "unjudged compare a.csv b.csv -m faithfulness"
    Path("-b.run").write_text(Path(RUNS[1]).read_text())
    assert any("./-b.run" in command for command in commands(check(QRELS, RUNS[0], "-b.run")))


def test_the_command(folder: Path, tmp_path: Path) -> None:
    assert printed("check", RUNS[1], QRELS) == f"{check(RUNS[1], QRELS).text(80)}\n"
    assert "kind" in printed("check", RUNS[1], QRELS, "--format", "json")
    lines = printed("check", str(folder / "scores.csv"), "--format", "jsonl").splitlines()
    assert json.loads(lines[0])["kind"] == "scores"
    assert "no such file" in refused(1, "check", "nowhere.run")
    assert "no file is given, and there is no collection.toml here or above" in refused(2, "check")
    with pytest.raises(UsageError, match="no file"):
        check()
    with pytest.raises(InputError, match="no such file"):
        check("nowhere.run")
    described = tmp_path / "collection.toml"
    assert unjudged("check", QRELS, *RUNS, "-o", str(described)).returncode == 0
    assert "[[judgments]]" in described.read_text()
    assert "is there already" in refused(2, "check", QRELS, "-o", str(described))


def test_nothing_is_recognised(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<!DOCTYPE html><html><p>words</p></html>")
    (tmp_path / "own.csv").write_text("inputs.question,correctness\nq1,0.5\n")
    (tmp_path / "empty").touch()
    for file, why in (
        (folder / "notes.md", "expected 6 columns"),
        (tmp_path / "page.html", "a page of HTML"),
        (tmp_path / "own.csv", "expected"),
        (tmp_path / "empty", "no data"),
    ):
        done = unjudged("check", str(file))
        assert done.returncode == 1
        assert why in " ".join(done.stdout.decode().split())
        assert "Give a run too" not in done.stdout.decode()
    assert unjudged("check", QRELS, str(folder / "notes.md")).returncode == 0
