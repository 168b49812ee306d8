"""Words that name a collection: files, a description, tables of scores, runs, several collections."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.in_process import everything, printed, refused, unjudged
from unjudged import sample

QRELS, RUNS = sample.qrels, {name: str(path) for name, path in sample.runs.items()}
TWO = [RUNS["fused"], RUNS["dense"]]
AP = ("-m", "AP", "--format", "csv")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a description, and one below it."""
    (tmp_path / ".git").mkdir()
    lines = [f'{name} = "{path}"' for name, path in RUNS.items()]
    text = f'segments = "kinds.txt"\n[[judgments]]\nfile = "{QRELS}"\n[runs]\n' + "\n".join(lines)
    (tmp_path / "collection.toml").write_text(f'{text}\n[defaults]\nmeasures = ["P@5"]\nbaseline = "fused"\n')
    kinds = "".join(f"q{k:02d} {'head' if k < 11 else 'tail'}\n" for k in range(1, 31))
    (tmp_path / "kinds.txt").write_text(kinds)
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    return tmp_path


def test_nothing_is_the_description_of_this_folder_or_one_above(folder: Path) -> None:
    done = unjudged("evaluate", *AP)
    assert done.stdout.decode() == printed("evaluate", str(QRELS), *RUNS.values(), *AP)
    assert "Using ../collection.toml." in done.stderr.decode()
    by_default = unjudged("evaluate").stdout.decode()
    assert by_default.split()[:2] == ["system", "P@5"]


def test_words_are_names_of_its_runs_or_further_files(folder: Path) -> None:
    wanted = printed("compare", str(QRELS), *TWO, *AP)
    assert printed("compare", "fused", "dense", *AP) == wanted
    assert printed("compare", str(folder), "fused", "dense", *AP) == wanted
    assert printed("compare", "../collection.toml", "fused", RUNS["dense"], *AP) == wanted
    assert unjudged("gate", "fused", "dense", "--margin", "0.01").returncode == 2
    said = refused(2, "compare", "fused", "dens")
    assert "no run is called 'dens'; there are" in said


def test_a_description_that_was_found_runs_no_code(folder: Path) -> None:
    (folder / "mine.py").write_text("raise SystemExit('run')\n")
    text = (folder / "collection.toml").read_text()
    (folder / "collection.toml").write_text(f'code = "mine.py"\n{text}')
    said = unjudged("evaluate", *AP).stderr.decode()
    assert "Using ../collection.toml. Its code runs only if you name the file." in said
    assert unjudged("evaluate", "../collection.toml", *AP).returncode != 0


def test_segments_of_a_description(folder: Path) -> None:
    rows = json.loads(printed("compare", "fused", "dense", "--view", "segments", "-f", "json"))["rows"]
    assert [row["segment"] for row in rows] == ["head", "tail", "all"]
    pair = json.loads(printed("compare", "fused", "dense", "-f", "json"))["rows"][0]
    assert rows[-1]["headline"] == pair["headline"]
    assert "tail" in printed("evaluate", "--view", "segments")
    checks = json.loads(unjudged("gate", "fused", "dense", "-f", "json").stdout)["rows"]
    assert [row["segment"] for row in checks] == ["head", "tail", "all"]
    said = refused(2, "compare", "fused", "dense", "--view", "segments", "-o", str(folder / "kinds.txt"))
    assert said.endswith("is read by this command: write to another file")


def test_a_table_of_scores_needs_no_option(tmp_path: Path) -> None:
    """It is known by what it holds; words after it are its systems."""
    scores, wide = tmp_path / "scores.csv", tmp_path / "wide.tsv"
    words = [str(QRELS), *RUNS.values(), "-m", "AP"]
    scores.write_text(printed("evaluate", *words, "--view", "queries", "--format", "csv"))
    wide.write_text("query\tfused\tdense\tbest\nq1\t.1\t.2\t.3\nq2\t.3\t.2\t.1\n")
    known = {"difference", "p", "query_low", "query_high", "headline"}

    def rows(*given: str) -> list[dict[str, object]]:
        found = json.loads(printed("compare", *given, "-f", "json"))["rows"]
        return [{name: row[name] for name in known & {*row}} for row in found]

    assert [row["p"] for row in rows(str(scores), "fused", "dense")] == [
        row["p"] for row in rows(str(QRELS), *TWO, "-m", "AP")
    ]
    for command in (["evaluate"], ["compare"], ["report", "-o", "-"]):
        assert "best" in unjudged(command[0], str(wide), *command[1:]).stdout.decode()
    assert unjudged("gate", str(wide), "fused", "best", "--margin", "0.1").returncode in (0, 1, 2)
    assert "no system is called 'x'; there are fused, dense, best" in refused(2, "evaluate", str(wide), "x")
    zero = tmp_path / "gaps.csv"
    zero.write_text("query,a,b\nq1,.1,.2\nq2,.3,\n")
    assert "--set scores.missing=zero" in refused(1, "evaluate", str(zero))
    counted = unjudged("evaluate", str(zero), "--set", "scores.missing=zero")
    assert counted.returncode == 0
    assert "Missing values count as 0." in counted.stderr.decode()


@pytest.mark.parametrize(
    "text",
    [
        "q1 Q0 d1 1 0.5 t\n",
        "q1\tQ0\td1\t1\t0.5\tt\n",
        "query_id,doc_id,score\nq1,d1,0.5\n",
        '{"q1": {"d1": 0.5}}',
        '{"query_id": "q1", "doc_id": "d1", "score": 0.5}\n',
    ],
)
def test_runs_and_judgments_are_no_tables(text: str, tmp_path: Path) -> None:
    """Whatever their form; scores between 0 and 1 are not taken for predictions either."""
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_text(text)
    for judged in ("q1 0 d1 1\n", "query-id\tcorpus-id\tscore\nq1\td1\t1\n", '{"q1": {"d1": 1}}'):
        qrels.write_text(judged)
        assert printed("evaluate", str(qrels), str(run), *AP).splitlines()[-1].startswith("AP,run,1.0,")


def test_several_collections(tmp_path: Path) -> None:
    run = tmp_path / "copy.run"
    run.write_bytes(Path(TWO[0]).read_bytes())
    for name in ("news", "web"):
        text = f'runs = ["{run}", "{TWO[1]}"]\n[[judgments]]\nfile = "{QRELS}"\n'
        (tmp_path / f"{name}.toml").write_text(text)
    words = [f"{name}={tmp_path / name}.toml" for name in ("news", "web")]
    said = everything("compare", *words, "-m", "AP")
    assert "2 systems x 2 collections; AP" in said
    assert "news, web have the same judgments" in said
    rows = json.loads(printed_notes("compare", *words, "-m", "AP", "-f", "json"))["rows"]
    assert [row["collection"] for row in rows] == ["news", "web", "mean"] * 2
    assert printed_notes("compare", *words, "--view", "collections", "-f", "csv").count("\n") == 4
    assert "AP(rel=2)" in everything("compare", *words, "-m", "AP", "--set", "relevant=2")
    assert "2 measures are given" in refused(2, "compare", *words, "-m", "AP", "P@5")
    assert "one collection has no mean" in refused(2, "compare", words[0])
    assert "collection 'news' is given twice" in refused(2, "compare", words[0], words[0])
    assert "is read by this command" in refused(2, "compare", *words, "-o", str(run), "-f", "csv")


def printed_notes(*words: str) -> str:
    done = unjudged(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_what_the_data_is_can_be_said(tmp_path: Path) -> None:
    """Columns, what is relevant, ties, own measures, and how labels were drawn."""
    rows = [line.split() for line in Path(RUNS["lexical"]).read_text().splitlines()]
    judged = [line.split() for line in QRELS.read_text().splitlines()]
    run, qrels = tmp_path / "lexical.csv", tmp_path / "qrels.csv"
    run.write_text("topic_name;url;cosine\n" + "".join(f"{q};{d};{s}\n" for q, _, d, _, s, _ in rows))
    qrels.write_text("topic_name;url;stars\n" + "".join(f"{q};{d};{g}\n" for q, _, d, g in judged))
    wanted = printed("evaluate", str(QRELS), RUNS["lexical"], *AP)
    named = ["query=topic_name", "document=url"]
    of_run = [part for one in [*named, "score=cosine"] for part in ("--set", f"columns.{one}")]
    of_qrels = [part for one in [*named, "grade=stars"] for part in ("--set", f"judgments.columns.{one}")]
    for given in (run, tmp_path / "lex*.csv"):
        assert printed("evaluate", str(qrels), str(given), *of_run, *of_qrels, *AP) == wanted
    spelled = printed("evaluate", str(QRELS), *TWO, "-m", "AP(rel=2)", "P(rel=1)@10", "-f", "csv")
    asked = ["evaluate", str(QRELS), *TWO, "-m", "AP", "P(rel=1)@10", "-f", "csv"]
    assert printed(*asked, "--set", "relevant=2") == spelled
    assert "Values are expected" in everything(
        "evaluate", str(QRELS), *RUNS.values(), "--set", "ties=expected"
    )


def test_measures_in_every_spelling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = printed("evaluate", str(QRELS), *TWO, "-m", "AP", "-m", "nDCG@10")
    for given in (
        ["AP", "nDCG@10"],
        ["AP,nDCG@10"],
        ["AP, nDCG@10"],
        ["map", "ndcg_cut_10"],
        ["MAP,NDCG@10"],
    ):
        assert printed("evaluate", str(QRELS), *TWO, "-m", *given) == wanted
    assert printed("evaluate", "-m", "AP", "nDCG@10", "--decimals", "4", str(QRELS), *TWO) == wanted
    assert printed("evaluate", "-m", "AP", "nDCG@10", "--", str(QRELS), *TWO) == wanted
    monkeypatch.chdir(tmp_path)
    Path("ndcg").write_bytes(Path(TWO[0]).read_bytes())  # a measure may also be a file
    rows = printed("evaluate", str(QRELS), "ndcg", "-m", "ndcg", "AP", "-f", "csv").splitlines()[1:]
    assert [row.split(",")[:2] for row in rows] == [["nDCG", "ndcg"], ["AP", "ndcg"]]
