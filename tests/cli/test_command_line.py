"""The command line: values, messages and exit codes, and what needs a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused
from tests.cli.in_process import unjudged as done_in_process
from unjudged import evaluate, sample

QRELS, RUN = str(sample.qrels), str(sample.runs["fused"])


def unjudged(*arguments: str, given: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "unjudged", *arguments]
    return subprocess.run(
        command, input=given, capture_output=True, env={**os.environ, **environment}, check=False
    )


def test_table() -> None:
    runs = [str(sample.runs[name]) for name in ("fused", "expanded")]
    assert printed("evaluate", QRELS, *runs, "-m", "AP", "-m", "P.5,10", "-m", "num_ret") == (
        "run           AP     P@5    P@10  NumRet\n"
        "────────────────────────────────────────\n"
        "fused     0.3321  0.4333  0.3967    1200\n"
        "expanded  0.2736  0.3333  0.3367    1160\n"
        "\n"
        "expanded has no ranking for 1 query of 30: q17. Each counts as empty.\n"
    )


def test_default_measures() -> None:
    head = printed("evaluate", QRELS, RUN).splitlines()[0].split()
    assert head == ["run", "AP", "infAP", "nDCG@10", "RBP(p=0.8)", "RBPResidual(p=0.8)", "Judged@10"]


def test_json_has_every_digit() -> None:
    document = json.loads(printed("evaluate", QRELS, RUN, "-m", "AP", "--per-query", "--format", "json"))
    lines = printed("evaluate", QRELS, RUN, "-m", "AP", "--per-query", "--format", "jsonl").splitlines()
    scores = evaluate(QRELS, RUN, "AP")
    assert len(lines) == len(scores.queries) + 1
    assert document == {"rows": [json.loads(line) for line in lines], "notes": []}
    for row in document["rows"]:
        assert list(row) == ["run", "query", "measure", "value"]
        query = None if row["query"] == "all" else row["query"]
        assert row["value"] == scores.value("AP", query=query)


def test_csv() -> None:
    lines = printed("evaluate", QRELS, RUN, "-m", "AP", "--format", "csv").splitlines()
    value = evaluate(QRELS, RUN, "AP").value("AP")
    assert lines == ["run,query,measure,value", f"fused,all,AP,{value!r}"]


def test_markdown_and_latex() -> None:
    assert printed("evaluate", QRELS, RUN, "-m", "RBP(p=0.8)", "--format", "markdown") == (
        "| run | RBP\\(p=0.8\\) |\n| --- | ---: |\n| fused | 0.3883 |\n"
    )
    assert printed("evaluate", QRELS, RUN, "-m", "map", "--format", "latex") == (
        "\\begin{table}\n\\centering\n\\caption{Means over 30 queries.}\n\\begin{tabular}{lr}\n"
        "\\toprule\nrun & AP \\\\\n\\midrule\nfused & 0.3321 \\\\\n"
        "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    )


def test_rel_and_depth() -> None:
    row = json.loads(
        printed("evaluate", QRELS, RUN, "-m", "AP", "--rel", "2", "--depth", "5", "--format", "jsonl")
    )
    assert row["measure"] == "AP(rel=2)"
    assert row["value"] == evaluate(QRELS, RUN, "AP(rel=2)", depth=5).value("AP(rel=2)")


def test_output_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "scores.csv"
    assert printed("evaluate", QRELS, RUN, "--format", "csv", "-o", str(target)) == ""
    before = target.read_text()
    assert before.startswith("run,query,measure,value\n")
    refused(1, "evaluate", QRELS, "nowhere", "-o", str(target))
    assert target.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["scores.csv"]
    assert "cannot be written" in refused(1, "evaluate", QRELS, RUN, "-o", str(tmp_path / "no" / "such"))


def test_standard_input() -> None:
    done = unjudged("evaluate", QRELS, "-", "-m", "AP", "--format", "csv", given=Path(RUN).read_bytes())
    assert done.stdout.decode().splitlines()[1].split(",")[3] == repr(evaluate(QRELS, RUN, "AP").value("AP"))


def test_hostile_names_are_shown_harmless(tmp_path: Path) -> None:
    bad = tmp_path / "\x1b[31m<b>&_$|.run"
    bad.write_bytes(Path(RUN).read_bytes())
    assert "\x1b" not in printed("evaluate", QRELS, str(bad))
    assert r"\\x1b\[31m\<b\>\&\_\$\|" in printed("evaluate", QRELS, str(bad), "--format", "markdown")
    in_latex = r"\textbackslash{}x1b[31m\textless{}b\textgreater{}\&\_\$|"
    assert in_latex in printed("evaluate", QRELS, str(bad), "--format", "latex")


WRONG_USAGE = {
    ("evaluate", QRELS): "no run given: unjudged evaluate QRELS RUN...",
    ("evaluate", QRELS, RUN, "-m", "mapp"): "no measure is called 'mapp'; did you mean MAP",
    ("evaluate", QRELS, RUN, "--format", "xml"): "--format is 'xml', expected one of table",
    ("evaluate", QRELS, RUN, "--depth", "0"): "depth is 0, expected a whole number of at least 1",
    ("evaluate", QRELS, RUN, "--nothing"): "unknown option --nothing (`unjudged evaluate -h` lists them)",
    ("evaluate", "-", "-"): "standard input (-) can be read only once",
    ("evaluate", QRELS, RUN, RUN): "run ",
    ("nothing",): "unknown command nothing",
}


@pytest.mark.parametrize("arguments", WRONG_USAGE)
def test_wrong_usage(arguments: tuple[str, ...]) -> None:
    assert refused(2, *arguments).startswith(WRONG_USAGE[arguments])


def test_bad_input(tmp_path: Path) -> None:
    bad = tmp_path / "bad.run"
    bad.write_text("q01 Q0 d1 1 x t\n")
    assert refused(1, "evaluate", QRELS, str(bad)) == f"{bad}:1: the score is 'x', expected a finite number"


def test_intervals(tmp_path: Path) -> None:
    table = printed("evaluate", QRELS, RUN, "-m", "RBP(p=0.8)", "-m", "P@10", "--interval", "bounds")
    assert table == (
        "run                 RBP(p=0.8)                     P@10\n"
        "───────────────────────────────────────────────────────\n"
        "fused  0.3883 [0.3883, 0.4350]  0.3967 [0.3967, 0.3967]\n"
        "\n"
        "Intervals for judgments: every completion of the judgments, exact.\n"
    )
    options = (
        "-m",
        "AP",
        "--interval",
        "model",
        "--prevalence",
        "0.2",
        "--confidence",
        "0.9",
        "--format",
        "json",
    )
    document = json.loads(printed("evaluate", QRELS, RUN, *options))
    (row,) = document["rows"]
    assert [note["text"] for note in document["notes"]] == [f"90% intervals for judgments: {row['method']}."]
    fields = ["run", "measure", "value", "low", "high", "confidence", "method", "uncertainty"]
    fields += ["queries", "judgments"]
    assert list(row) == fields
    assert row["low"] < row["value"] < row["high"]
    assert row["confidence"] == 0.9
    assert "given prevalence 0.2" in row["method"]
    for form in ("markdown", "latex", "html"):
        page = printed("evaluate", QRELS, RUN, "--interval", "queries", "--format", form)
        assert "fused" in page
        assert "intervals for queries: " in page
    rows = json.loads(printed("evaluate", QRELS, RUN, "--interval", "bounds", "--format", "json"))["rows"]
    assert {row["measure"]: row["low"] is None for row in rows} == {
        "AP": False,
        "infAP": True,
        "nDCG@10": False,
        "RBP(p=0.8)": False,
        "RBPResidual(p=0.8)": True,
        "Judged@10": True,
    }
    assert "prevalence is 7.0: use a probability" in refused(
        2, "evaluate", QRELS, RUN, "--interval", "model", "--prevalence", "7"
    )
    assert refused(2, "evaluate", QRELS, RUN, "-m", "infAP", "--interval", "bounds").startswith(
        "infAP has no bounds"
    )


def test_demo_version_and_help() -> None:
    assert "dense" in printed("demo")
    assert re.fullmatch(r"unjudged [\d.]+ \(reader: (compiled|plain Python)\)\n", printed("--version"))
    assert "--per-query" in printed("evaluate", "--help")


def test_without_the_compiled_reader() -> None:
    without = "import sys; sys.modules['unjudged.formats.scan.compiled.native'] = None"
    code = f"{without}\nfrom unjudged.cli.main import main; main()"
    command = [sys.executable, "-c", code]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert "plain Python" in version.stdout
    runs = [str(run) for run in sample.runs.values()]
    done = subprocess.run([*command, "evaluate", QRELS, *runs], capture_output=True, text=True, check=True)
    assert done.stdout == printed("evaluate", QRELS, *runs)


def test_a_reader_that_leaves_early() -> None:
    command = f"{sys.executable} -m unjudged evaluate {QRELS} {RUN} -m AP -q --format json | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, check=True)
    assert done.stderr == b""


PRINTING = ["evaluate", "--version", "--help", "evaluate --help", "trec_eval"]


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such streams")
@pytest.mark.parametrize("command", PRINTING)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_standard_output_that_cannot_be_written(command: str, unbuffered: str) -> None:
    """Help and versions ended in tracebacks, and results in a second message and the exit code 120."""
    files = [QRELS, RUN] if command in ("evaluate", "trec_eval") else []
    files += ["-m", "AP"] if command == "evaluate" else []
    words = [sys.executable, "-m", "unjudged", *command.split(), *files]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}

    def said(stream: int) -> str:
        done = subprocess.run(
            words, stdout=stream, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
        os.close(stream)
        assert done.returncode == 1
        return done.stderr

    if Path("/dev/full").exists():
        full = "unjudged: standard output: cannot be written: No space left on device\n"
        assert said(os.open("/dev/full", os.O_WRONLY)) == full
    reader, writer = os.pipe()
    os.close(reader)
    assert said(writer) == ""


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    target, link = tmp_path / "real.csv", tmp_path / "link.csv"
    target.write_text("old")
    link.symlink_to(target)
    printed("evaluate", QRELS, RUN, "--format", "csv", "-o", str(link))
    assert link.is_symlink()
    assert target.read_text().startswith("run,query")


def test_options_that_do_not_go_together() -> None:
    assert (
        refused(2, "evaluate", QRELS, RUN, "--extra-relevant", "3")
        == "--prevalence, --calibration, --confidence, --extra-relevant, --pool-depth and --seed "
        "need --interval"
    )
    assert refused(2, "evaluate", QRELS, RUN, "-q", "--interval", "bounds").startswith(
        "--per-query cannot be used with --interval"
    )


@pytest.mark.parametrize(
    ("interval", "option", "users"),
    [
        ("queries", ["--prevalence", "0.1"], "model or both"),
        ("bounds", ["--prevalence", "0.1"], "model or both"),
        ("model", ["--calibration", "c.json"], "calibrated"),
        ("both", ["--extra-relevant", "3"], "bounds"),
    ],
)
def test_an_option_that_an_interval_would_ignore_is_refused(
    interval: str, option: list[str], users: str
) -> None:
    said = refused(2, "evaluate", QRELS, RUN, "--interval", interval, *option)
    assert said == f"{option[0]} is for --interval {users}, not {interval}: omit it"


SEEDED = {
    "compare": ["compare", QRELS, RUN, str(sample.runs["dense"]), "--test", "randomization"],
    "tukey": ["compare", QRELS, RUN, str(sample.runs["dense"]), "--correction", "tukey"],
    "evaluate": ["evaluate", QRELS, RUN, "--interval", "queries"],
    "next": ["next", QRELS, RUN, str(sample.runs["dense"]), "--settle"],
}


@pytest.mark.parametrize("command", SEEDED)
def test_a_seed_below_0_is_refused(command: str) -> None:
    said = refused(2, *SEEDED[command], "--seed", "-1")
    assert said == "seed is -1, expected a whole number of at least 0"


def wait_until_it_waits(process: int) -> None:
    """Until a process sleeps, as it does for more to read; a signal shortly before that wakes nothing."""
    state = Path(f"/proc/{process}/stat")
    time.sleep(0.3)
    while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "S":
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_interrupt_ends_in_a_second(tmp_path: Path) -> None:
    fifo, target = tmp_path / "fifo", tmp_path / "out"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "unjudged", "evaluate", QRELS, str(fifo), "-o", str(target)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    with fifo.open("wb") as writer:
        writer.write(b"q01 Q0 d001 1 1 t\n")
        writer.flush()
        wait_until_it_waits(process.pid)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert error == b"unjudged: interrupted\n"
    assert not target.exists()


def test_five_columns_get_a_note_on_the_measures_that_suit_them(tmp_path: Path) -> None:
    strata, prels = tmp_path / "strata", tmp_path / "prels"
    strata.write_text("q 0 d1 1 1\nq 0 d2 2 -1\n")
    prels.write_text("q d1 1 1 0.5\nq d2 0 1 0.5\n")
    run = tmp_path / "run"
    run.write_text("q 0 d1 1 2 t\nq 0 d2 2 1 t\n")

    def said(qrels: Path, *measures: str) -> str:
        done = done_in_process("evaluate", str(qrels), str(run), *measures)
        assert done.returncode == 0
        return done.stderr.decode()

    condition = "from them, if every document of the pool could be drawn.\n"
    assert said(strata) == ""  # the default measures have one of them
    assert said(strata, "-m", "AP") == (
        f"unjudged: These judgments record strata: xinfAP and statAP estimate AP {condition}"
    )
    assert said(prels, "-m", "AP") == (
        f"unjudged: These judgments record inclusion probabilities: statAP estimates AP {condition}"
    )
    assert said(strata, "-m", "AP", "xinfAP") == said(prels, "-m", "statAP") == ""
