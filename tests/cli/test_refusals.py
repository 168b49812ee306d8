"""What is refused, with which exit code, and in which words: one line on standard error."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.in_process import refused, unjudged
from unjudged import sample

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
