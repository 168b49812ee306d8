"""What is refused, with which exit code, and in which words: one line on standard error."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from tests.cli.in_process import printed, refused, unjudged
from unjudged import Judgments, Run, evaluate, sample
from unjudged.base.errors import InputError

QRELS, RUN, DENSE = str(sample.qrels), str(sample.runs["fused"]), str(sample.runs["dense"])
TWO = f"{QRELS} {RUN} {DENSE}"
LONG = "a" * 5000

USAGE = {
    "comapre": "unknown command comapre; did you mean compare? (`unjudged -h` lists the commands)",
    "--verison": "unknown option --verison; did you mean --version?",
    "evaluate": "no file is given, and there is no collection.toml here or above: unjudged evaluate [",
    f"evaluate {QRELS}": "no run given: unjudged evaluate [SOURCE...]",
    f"report {QRELS} {RUN}": "-o PAGE is missing: unjudged report [SOURCE...] -o PAGE",
    f"evaluate {QRELS} {RUN} -m": "--measure needs a value; one that begins with a hyphen is written",
    f"evaluate {QRELS} {RUN} -v=x": "--verbose takes no value",
    f"evaluate {QRELS} {RUN} --depth ten": "--depth is 'ten', expected a whole number",
    f"evaluate {QRELS} {RUN} --depth 0": "depth is 0, expected a whole number of at least 1",
    f"compare {TWO} --alpha x": "--alpha is 'x', expected a number",
    f"evaluate {QRELS} {RUN} -z csv": "unknown option -z (`unjudged evaluate -h` lists them)",
    f"compare {TWO} --basline x": "unknown option --basline; did you mean --baseline?",
    f"compare {TWO} --base=x": "unknown option --base=x; did you mean --baseline?",
    f"compare {TWO} --test wilcoxn": "--test is 'wilcoxn', expected one of t, randomization, wilcoxon",
    f"compare {TWO} --test t(draws=5)": "t(draws=5): no parameter is called 'draws'; it has none",
    f"compare {TWO} --test bootstrap(drews=5)": "bootstrap(drews=5): no parameter is called 'drews'; did you "
    "mean draws?",
    f"compare {TWO} --test bootstrap(": "'bootstrap(' cannot be read, expected name or name(key=value)",
    f"compare {TWO} --test bootstrap(draws=0)": "draws is 0, expected a whole number from 1",
    f"compare {TWO} --baseline best": "the baseline 'best' is not among the runs: fused, dense",
    f"compare {TWO} --seed -1": "seed is -1, expected a whole number of at least 0",
    f"compare {QRELS} {RUN} {RUN}": f"run {RUN!r} is given twice",
    f"compare {QRELS} {RUN}": "",
    f"compare {TWO} {sample.runs['lexical']} --view queries": "--view queries is about two systems",
    f"compare {TWO} --view segments": "--view segments: there are no segments here; use systems, pairs",
    f"compare {TWO} --view x": "--view is 'x', expected one of systems, pairs, queries, segments",
    "compare a=": "'a=' is not a collection, expected NAME=SOURCE",
    f"evaluate {QRELS} {RUN} -m mapp": "no measure is called 'mapp'; did you mean MAP",
    f"evaluate -m AP {QRELS}": f"{QRELS} is a file, not a measure: files come before -m",
    f"evaluate {QRELS} {RUN} --format xml": "--format is 'xml', expected one of table",
    f"evaluate {QRELS} {RUN} --format parquet": "--format parquet needs --output FILE",
    f"evaluate {QRELS} {RUN} -o x.xlsx": "x.xlsx: no format has the suffix .xlsx: use .txt, .csv, .tsv,",
    f"evaluate {QRELS} {RUN} --decimals 2 -f csv": "--decimals is for tables; csv has full precision",
    f"evaluate {QRELS} {RUN} --decimals 16": "--decimals is 16, expected a number from 0 to 15",
    f"evaluate {QRELS} {RUN} --plot f.bmp": "f.bmp: a figure needs a name that ends in .svg, .png or .pdf",
    f"report {QRELS} {RUN} -o page.pdf": "a report is a page of HTML: page.pdf must end in .html",
    f"evaluate {QRELS} {RUN} --interval mode": "--interval is 'mode', expected one of queries",
    f"evaluate {QRELS} {RUN} --interval model": "needs a prevalence, the probability that an unjudged",
    f"evaluate {QRELS} {RUN} --interval model(prevalence=7)": "prevalence is 7",
    f"evaluate {QRELS} {RUN} --interval queries(prevalence=.1)": "queries(prevalence=.1): no parameter is "
    "called 'prevalence'; it has ",
    f"evaluate {QRELS} {RUN} --interval calibrated": "need judgments.calibration=FILE",
    f"evaluate {QRELS} {RUN} --view segments": "segments of the queries are needed",
    f"evaluate {QRELS} {RUN} --set nothing": "'nothing' sets nothing, expected KEY=VALUE",
    f"evaluate {QRELS} {RUN} --set relevnt=2": "relevnt is not a key; did you mean relevant?",
    f"evaluate {QRELS} {RUN} --set relevant=two": "relevant is 'two', expected a number",
    f"evaluate {QRELS} {RUN} --set columns.score=sim": "TREC text has no column names such as sim",
    f"compare {TWO} --set predictions.threshold=1": "predictions.threshold needs a model's labels",
    "evaluate - -": "standard input (-) can be read only once",
    "demo x": "unexpected argument x: unjudged demo (`unjudged demo -h` has examples)",
    "judge": "TO_JUDGE is missing: unjudged judge TO_JUDGE",
}
INPUT = {
    "evaluate nowhere.qrels a.run": "nowhere.qrels: no such file",
    f"evaluate {QRELS} nowhere": "nowhere: no such file",
    f"evaluate {QRELS} {RUN} -o nowhere/x.csv": "nowhere/x.csv: cannot be written: nowhere is not a folder",
    f"report {QRELS} {RUN} -o nowhere/x.html": "nowhere/x.html: cannot be written: nowhere is not a folder",
    "evaluate none.qrels none.run --plot nowhere/x.svg": "nowhere/x.svg: cannot be written",
    "evaluate none.qrels none.run -o .": ".: cannot be written: it is a folder",
    f"evaluate {QRELS} {RUN} -o {LONG}": f"{LONG}: cannot be written: File name too long",
    f"evaluate {LONG} {RUN}": LONG,
    f"evaluate {QRELS} {LONG}": LONG,
    f"evaluate {QRELS} {RUN} --set judgments.calibration={QRELS} --interval calibrated": f"{QRELS}: not a "
    "calibration",
    f"evaluate {QRELS} {RUN} -o a\0b": "cannot be written",
}


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without a description above it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("line", USAGE, ids=lambda line: line.replace(str(sample.qrels.parent), "")[-60:])
def test_a_wrong_command_line(line: str, empty: Path) -> None:
    assert USAGE[line] in refused(2, *line.split(" "))
    assert not list(empty.iterdir())


@pytest.mark.parametrize("line", INPUT, ids=lambda line: line.replace(str(sample.qrels.parent), "")[-60:])
def test_input_that_cannot_be_used(line: str, empty: Path) -> None:
    assert INPUT[line] in refused(1, *line.split(" "))
    assert not list(empty.iterdir())


def test_a_gate_is_3_for_all_that_is_no_answer(empty: Path) -> None:
    """A build tells answers, 0 to 2, from all else: usage, input, and code that ends the program."""
    for line in (
        f"{QRELS}",
        f"{TWO} --margin x",
        f"{QRELS} nowhere {RUN}",
        f"{TWO} --colour",
        f"{TWO} {RUN}",
    ):
        assert refused(3, "gate", *line.split())
    (empty / "mine.py").write_text("import sys\nsys.exit(0)\n")
    assert "ended the program" in refused(3, "gate", *TWO.split(), "--set", "code=mine.py")


def test_names_that_are_empty() -> None:
    """A variable of the shell that is not set."""
    said = "the name of a file is empty: is a variable of the shell not set?"
    assert refused(2, "evaluate", QRELS, "") == said
    assert refused(2, "evaluate", QRELS, RUN, "-o", "").startswith("--output needs the name of a file")


def test_a_word_that_is_nearly_a_file(empty: Path) -> None:
    (empty / "qrels.txt").write_text("q 0 d 1\n")
    assert refused(1, "evaluate", "qrel.txt", "a.run") == ("qrel.txt: no such file; did you mean qrels.txt?")


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    bad = tmp_path / "bad.run"
    bad.write_text("q01 Q0 d1 1 x t\n")
    for command in ("evaluate", "compare"):
        words = [QRELS, str(bad), RUN]
        assert refused(1, command, *words) == f"{bad}:1: the score is 'x', expected a finite number"


def test_nothing_is_judged(tmp_path: Path) -> None:
    qrels = tmp_path / "none.qrels"
    qrels.write_text(re.sub(r" \d+$", " -1", Path(QRELS).read_text(), flags=re.MULTILINE))
    for command in ("evaluate", "compare"):
        done = unjudged(command, str(qrels), RUN, DENSE)
        assert done.returncode == 0
        assert b"! Nothing is judged: every grade is negative, so the scores say nothing.\n" in done.stderr


def test_messages_hold_no_control_characters(tmp_path: Path) -> None:
    done = unjudged("evaluate", QRELS, str(tmp_path / "\x1b[31mred"))
    assert (done.returncode, b"\x1b" in done.stderr) == (1, False)
    assert b"\\x1b[31mred" in done.stderr


@pytest.mark.parametrize("text", ["q01,d002,1\n", "topic;url;stars\nq01;d002;1\n"])
def test_csv_whose_columns_are_not_known(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(text)
    hint = "if it is CSV, its first line has to name the columns, as in query_id,doc_id,score"
    assert refused(1, "evaluate", QRELS, str(tmp_path / "x.csv")).endswith(hint)


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="limits of a shell")
def test_limits_of_the_system(tmp_path: Path) -> None:
    """A limit on the size of files fails where a full disk does; it leaves no part of a file."""
    program = f"{sys.executable} -B -m unjudged"

    def limited(line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            f"ulimit {line}", shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    done = limited(f"-f 4; {program} demo --files copy")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("unjudged: copy/qrels.txt: cannot be written: ")
    assert not (tmp_path / "copy").exists()


Rows = list[tuple[str, str, float]]
REMEDY = "udgments come before runs"
QRELS_FILE, RUN_FILE = Path(sample.qrels), Path(sample.runs["lexical"])
FORMATS = ("json", "jsonl", "tsv", "csv", "parquet")


def graded() -> Rows:
    return [(q, d, int(g)) for q, _, d, g in map(str.split, QRELS_FILE.read_text().splitlines())]


def scored(shift: float = 0.0, whole: bool = False) -> Rows:
    lines = [line.split() for line in RUN_FILE.read_text().splitlines()]
    return [(q, d, 1000 - int(rank) if whole else float(s) - shift) for q, _, d, rank, s, _ in lines]


def nested(rows: Rows) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for query, document, value in rows:
        found.setdefault(query, {})[document] = value
    return found


def written(path: Path, rows: Rows, column: str) -> str:
    """Write a file in the format of its suffix; return its name."""
    frame = pandas.DataFrame(rows, columns=["query", "doc", column])
    if path.suffix == ".json":
        path.write_text(json.dumps(nested(rows)))
    elif path.suffix == ".jsonl":
        path.write_text(frame.to_json(orient="records", lines=True))
    elif path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return str(path)


def in_every_format(folder: Path) -> Iterator[tuple[str, str]]:
    """Scores of several kinds and grades, by columns that tell them apart or not."""
    runs = {"r": scored(), "whole": scored(whole=True), "negative": scored(100)}
    for run, judgments, column in product(FORMATS, FORMATS, ("score", "relevance")):
        qrels = written(folder / f"q-{column}.{judgments}", graded(), column)
        for name, rows in runs.items():
            yield written(folder / f"{name}.{run}", rows, "score"), qrels


@pytest.mark.thorough
def test_wrong_order_in_every_format(tmp_path: Path) -> None:
    """Scores were read as gains, and nDCG@10 was .4614, without a word."""
    for run, qrels in in_every_format(tmp_path):
        with pytest.raises(InputError, match=REMEDY):
            evaluate(run, qrels, "nDCG")
    assert REMEDY in refused(1, "evaluate", str(RUN_FILE), str(QRELS_FILE))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "command", ["evaluate", "compare", "gate --margin=0.01", "next", "experiment", "report -o page.html"]
)
def test_wrong_order_of_every_command(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`next` listed documents to judge, `experiment` had results, and `report` made a page."""
    monkeypatch.chdir(tmp_path)
    files = [
        written(tmp_path / name, scored(whole=name == "r.json"), "score") for name in ("r.json", "o.json")
    ]
    files.insert(1, written(tmp_path / "q.tsv", graded(), "score"))
    name, *options = command.split()
    said = refused(3 if name == "gate" else 1, name, *files, *options)
    assert REMEDY in said, said


@pytest.mark.thorough
def test_wrong_order_in_memory() -> None:
    with pytest.raises(InputError, match=r"run 'mine': its scores are grades: .* come before runs"):
        evaluate(nested(scored()), {"mine": nested(graded())}, "nDCG@10")


@pytest.mark.thorough
def test_ranks_show_a_run() -> None:
    rows = pandas.DataFrame({"qid": ["q1"], "docno": ["d1"], "rank": [1], "score": [3]})
    with pytest.raises(InputError, match="have ranks and scores, but no grade; is it a run"):
        Judgments.read(rows)
    assert Judgments.read(rows.assign(label=2)).grade.tolist() == [2]
    assert Run.read(rows).scores.tolist() == [3]


@pytest.mark.thorough
def test_gains_that_all_differ_are_judgments() -> None:
    """Continuous gains are allowed, with any run that ranks its documents."""
    rng = np.random.default_rng(0)
    gains = {f"q{i}": {f"d{j}": float(rng.uniform()) for j in range(20)} for i in range(5)}
    ranked = [[20 - j, 1 / (1 + j), j / 3 // 1 + 8 * (j % 3)] for j in range(20)]
    for scores in zip(*ranked, strict=True):
        run = {query: dict(zip(documents, scores, strict=True)) for query, documents in gains.items()}
        assert 0 < evaluate(gains, {"a": run}, "nDCG@10").value("nDCG@10", run="a") <= 1


@pytest.mark.thorough
def test_a_column_named_doc(tmp_path: Path) -> None:
    """A file headed query,doc,score was said to need six columns."""
    run = written(tmp_path / "r.csv", scored(), "score")
    qrels = written(tmp_path / "q.csv", graded(), "score")
    assert " 0.2272 " in printed("evaluate", qrels, run, "-m", "AP")
