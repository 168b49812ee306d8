"""Names as TREC text, judgments as qrels, files that are written whole or not at all, temporary folders."""

from __future__ import annotations

import errno
import os
import re
import signal
import stat
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import plain
from unjudged.data.tables import encode

_UNWRITABLE = re.compile("[\x00-\x20\x7f-\x9f\ud800-\udc7f\udd00-\udfff]")
"""White space, control characters, and surrogates that stand for no byte."""


def qrels_text(rows: Iterable[tuple[str, str, int]], comments: Iterable[str] = ()) -> str:
    """`query 0 document grade` per line, after lines of comments.

    >>> print(qrels_text([("q1", "d1", -1)], ["One document to judge."]), end="")
    # One document to judge.
    q1 0 d1 -1
    """
    lines = [f"# {plain(comment)}\n" for comment in comments]
    lines += [f"{query_id(query)} 0 {document_id(document)} {grade}\n" for query, document, grade in rows]
    return "".join(lines)


def query_id(name: str) -> str:
    """Return the name, or an error if a reader would not find it again."""
    if name.startswith(("#", "\ufeff")):
        raise InputError(f"query {quoted(name)} cannot be written as TREC text: the line would be a comment")
    return checked_word(name, "query")


def document_id(name: str) -> str:
    """Return the name, or an error if a reader would not find it again."""
    return checked_word(name, "document")


def checked_word(name: str, what: str) -> str:
    """Return a name that is one word, as every field of TREC text is."""
    if not name or _UNWRITABLE.search(name):
        problem = "a name may not be empty, nor hold spaces or control characters"
        raise InputError(f"{what} {quoted(name)} cannot be written as TREC text: {problem}")
    return name


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file so that it appears complete or stays as it was.

    A file that is replaced keeps its mode. Devices, pipes and the standard streams are written to as they
    are, so `/dev/stdout` appends to the log that standard output is redirected to.
    """
    data = content if isinstance(content, bytes) else encode(content)
    descriptor = _open_stream(Path(path))
    if descriptor is not None:
        if sys.stdout is not None:
            sys.stdout.flush()
        with open(descriptor, "wb") as stream:
            stream.write(data)
        return
    target = Path(path).resolve()
    mode = stat.S_IMODE(target.stat().st_mode) & 0o777 if target.exists() else None
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    unfinished = target.with_name(f".unjudged-{os.urandom(8).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with removed_if_ended(unfinished):
        handle = os.open(unfinished, flags, 0o666 if mode is None else 0o600)
        try:
            with open(handle, "wb") as file:
                if mode is not None and os.chmod in os.supports_fd:
                    os.chmod(handle, mode)
                file.write(data)
                file.flush()
                os.fsync(handle)
            os.replace(unfinished, target)
        except BaseException:
            os.unlink(unfinished)
            raise


def is_stream(path: Path) -> bool:
    """Whether the path is a device, a pipe, or a file that is open as a standard stream."""
    if not path.exists():
        return False
    found = path.stat()
    return not stat.S_ISREG(found.st_mode) or _descriptor(path, found) is not None


def _open_stream(path: Path) -> int | None:
    """A descriptor to write to if the path is a stream; the one that is open already, if there is one."""
    if not is_stream(path):
        return None
    descriptor = _descriptor(path, path.stat())
    return os.open(path, os.O_WRONLY) if descriptor is None else os.dup(descriptor)


def _descriptor(path: Path, found: os.stat_result) -> int | None:
    """Return the open descriptor that the path leads to."""
    if path.name.isdecimal() and path.parent.resolve() == Path("/dev/fd").resolve():
        return int(path.name)
    return next((descriptor for descriptor in (1, 2) if _is_same(descriptor, found)), None)


def _is_same(descriptor: int, found: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), found)
    except OSError:  # the stream is closed
        return False


ENDING = ("SIGTERM", "SIGHUP")
_unfinished: set[Path] = set()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is removed at the end, or when SIGTERM or SIGHUP ends the process."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="unjudged-") as name:
        folder = Path(name)
        with removed_if_ended(folder):
            yield folder


@contextmanager
def removed_if_ended(path: Path) -> Iterator[None]:
    """Remove a file or a folder if SIGTERM or SIGHUP ends the process meanwhile.

    A signal that the program already handles or ignores is left as it is.
    """
    ours = []
    _unfinished.add(path)
    if threading.current_thread() is threading.main_thread():
        ending = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
        ours = [number for number in ending if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _remove_and_end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
        _unfinished.discard(path)


def _remove_and_end(number: int, _: FrameType | None) -> None:
    import shutil

    for path in _unfinished:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
