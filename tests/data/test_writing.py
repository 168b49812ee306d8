"""Files that are written: whole, with the right mode, and never with a line that was not meant."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import InputError, Judgments, Run
from unjudged.data.writing import (
    qrels_text,
    write_whole,
)

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and devices differ there")


def test_qrels() -> None:
    judgments = Judgments.read({"q1": {"d1": 1, "d2": -1}, "q2": {"d1": 0}})
    assert judgments.text(comments=["how\nmade"]) == ("# how\\nmade\nq1 0 d1 1\nq1 0 d2 -1\nq2 0 d1 0\n")


FORGED = {
    "two words": "document 'two words' cannot be written as TREC text",
    "d1 1\nq9 0 d2": r"document 'd1 1\\nq9 0 d2' cannot be written",
    "tab\there": r"document 'tab\\there' cannot be written",
    "\x1b[31m": r"document '\\x1b\[31m' cannot be written",
    "": "document '' cannot be written",
    "\ud800": r"document '\\ud800' cannot be written",
}


@pytest.mark.parametrize("document", FORGED)
def test_a_name_that_would_not_be_read_back(document: str) -> None:
    with pytest.raises(InputError, match=FORGED[document]):
        qrels_text([("q1", document, -1)])


@pytest.mark.parametrize("query", ["#1", "\ufeffq"])
def test_a_query_that_would_be_a_comment(query: str) -> None:
    with pytest.raises(InputError, match="the line would be a comment"):
        Judgments.read({query: {"d": 1}}).text()
    with pytest.raises(InputError, match="the line would be a comment"):
        Run.read({query: {"d": 1.0}}).text("tag")


def test_a_run_needs_a_name_of_one_word() -> None:
    run = Run.read({"q": {"d": 0.1, "e": 2.0}})
    assert run.text("mine") == "q Q0 e 1 2.0 mine\nq Q0 d 2 0.1 mine\n"
    with pytest.raises(InputError, match="run name 'my run' cannot be written"):
        run.text("my run")


ANY = st.text(max_size=6)


@given(st.dictionaries(ANY, st.dictionaries(ANY, st.integers(-1, 4), min_size=1), min_size=1))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, qrels: dict[str, dict[str, int]]
) -> None:
    """Whatever the names: the same judgments, or an error that refuses a name."""
    path = tmp_path_factory.getbasetemp() / "qrels"
    try:
        judgments = Judgments.read(qrels)
        write_whole(path, judgments.text())
    except InputError:
        return
    again = Judgments.read(path)
    assert list(again.queries) == list(judgments.queries)
    assert list(again.documents) == list(judgments.documents)
    assert again.grade.tolist() == judgments.grade.tolist()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
@pytest.mark.parametrize("kept", [0o600, 0o640, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(kept)
    write_whole(path, "new")
    assert (path.read_text(), mode(path)) == ("new", kept)


@posix
@pytest.mark.parametrize("umask", ["022", "077", "007"])
def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path: Path, umask: str) -> None:
    code = f"from unjudged.data.writing import write_whole; write_whole({str(tmp_path / 'file')!r}, 'x')"
    subprocess.run(["sh", "-c", f'umask {umask}; "$0" -c "$1"', sys.executable, code], check=True)
    assert mode(tmp_path / "file") == 0o666 & ~int(umask, 8)


@posix
def test_the_umask_of_the_process_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the umask was changed"))
    write_whole(tmp_path / "file", "x")


def test_the_content_is_on_the_disk_before_the_name_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def noted(step: str, function: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: object) -> None:
            steps.append(step)
            function(*arguments)

        return call

    monkeypatch.setattr(os, "fsync", noted("fsync", fsync))
    monkeypatch.setattr(os, "replace", noted("replace", replace))
    write_whole(tmp_path / "file", "x")
    assert steps == ["fsync", "replace"]


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_leaves_the_old_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    code = """
import os, signal, sys
from unjudged.data.writing import write_whole
os.fsync = lambda _: os.kill(os.getpid(), getattr(signal, sys.argv[2]))
write_whole(sys.argv[1], "new")
"""
    ended = subprocess.run([sys.executable, "-c", code, str(path), name], check=False)
    assert ended.returncode == -getattr(signal, name)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write_whole(path, "new")
    assert path.read_text() == "old"


@posix
@pytest.mark.parametrize(
    ("name", "redirected"), [("/dev/stdout", ">>"), ("/dev/stderr", "2>>"), ("/dev/fd/7", "7>>")]
)
def test_a_redirected_stream_is_appended_to(tmp_path: Path, name: str, redirected: str) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    code = f"from unjudged.data.writing import write_whole; write_whole({name!r}, 'after\\n')"
    subprocess.run(["sh", "-c", f'"$0" -c "$1" {redirected} "$2"', sys.executable, code, log], check=True)
    assert log.read_text() == "before\nafter\n"


@posix
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    fifo, received = tmp_path / "fifo", []
    os.mkfifo(fifo)
    reader = threading.Thread(target=lambda: received.append(fifo.read_bytes()))
    reader.start()
    write_whole(fifo, b"through\n")
    reader.join()
    assert received == [b"through\n"]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
