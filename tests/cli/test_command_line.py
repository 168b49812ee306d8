"""The command line: values, messages and exit codes, programs by name, and what a process does around it."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import time
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused
from unjudged import evaluate, sample
from unjudged.compat.trec_eval import output

QRELS, RUN = str(sample.qrels), str(sample.runs["fused"])


def unjudged(*arguments: str, given: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "unjudged", *arguments]
    return subprocess.run(
        command, input=given, capture_output=True, env={**os.environ, **environment}, check=False
    )


def test_output_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "scores.csv"
    assert printed("evaluate", QRELS, RUN, "--format", "csv", "-o", str(target)) == ""
    before = target.read_text()
    assert before.startswith("measure,")
    refused(1, "evaluate", QRELS, "nowhere", "-o", str(target))
    assert target.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["scores.csv"]
    assert "cannot be written" in refused(1, "evaluate", QRELS, RUN, "-o", str(tmp_path / "no" / "such"))


def test_standard_input() -> None:
    done = unjudged("evaluate", QRELS, "-", "-m", "AP", "--format", "csv", given=Path(RUN).read_bytes())
    assert done.stdout.decode().splitlines()[1].split(",")[2] == repr(evaluate(QRELS, RUN, "AP").value("AP"))


def test_demo_version_and_help() -> None:
    assert "dense" in printed("demo")
    assert re.fullmatch(
        r"unjudged [\d.]+(dev\d+)? \(reader: (compiled|plain Python)\)\n", printed("--version")
    )
    assert "--interval" in printed("evaluate", "--help")


def test_without_the_compiled_reader() -> None:
    without = "import sys; sys.modules['unjudged.data.scan.compiled.native'] = None"
    code = f"{without}\nfrom unjudged.cli.main import main; main()"
    command = [sys.executable, "-c", code]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert "plain Python" in version.stdout
    runs = [str(run) for run in sample.runs.values()]
    done = subprocess.run([*command, "evaluate", QRELS, *runs], capture_output=True, text=True, check=True)
    assert done.stdout == printed("evaluate", QRELS, *runs)


def test_a_reader_that_leaves_early() -> None:
    command = (
        f"{sys.executable} -m unjudged evaluate {QRELS} {RUN} -m AP --view queries --format json | head -n 1"
    )
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


def wait_until_it_waits(process: int) -> None:
    """Until a process sleeps, as it does for more to read; a signal shortly before that wakes nothing."""
    state = Path(f"/proc/{process}/stat")
    time.sleep(0.3)
    while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "S":
        time.sleep(0.05)


IN_THE_FOREGROUND = """
import signal
from unjudged.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background may ignore it
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_interrupt_ends_in_a_second(tmp_path: Path) -> None:
    fifo, target = tmp_path / "fifo", tmp_path / "out"
    os.mkfifo(fifo)
    command = [sys.executable, "-c", IN_THE_FOREGROUND, "evaluate", QRELS, str(fifo), "-o", str(target)]
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


FILES = [QRELS, RUN]
COLLECTING = (
    "import atexit, gc; atexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count() > 10_000))\n"
)


def finished(name: str, *words: str, before: str = "") -> str:
    """What an installed program prints, run by its entry point."""
    (entry,) = distribution("unjudged").entry_points.select(name=name)
    code = f"{before}from {entry.module} import {entry.attr} as main; main()"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout


def test_programs_print_what_their_commands_print() -> None:
    assert finished("unjudged", "evaluate", *FILES, "-m", "AP") == printed("evaluate", *FILES, "-m", "AP")
    assert finished("unjudged-trec-eval", *FILES) == output(FILES)


def test_garbage_is_collected_except_in_what_was_imported() -> None:
    for name, words in (("unjudged", ["evaluate", *FILES, "-m", "AP"]), ("unjudged-trec-eval", FILES)):
        assert finished(name, *words, before=COLLECTING).endswith("True True\n")


def test_a_command_of_another_process_leaves_its_collector_alone() -> None:
    before = gc.get_freeze_count()
    printed("evaluate", *FILES)
    assert gc.isenabled()
    assert gc.get_freeze_count() == before
