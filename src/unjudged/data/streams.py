"""Files as streams of bytes: plain, compressed, standard input, and pieces of them."""

from __future__ import annotations

import io
import os
import stat
import sys
import threading
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from threading import Event
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from unjudged.base.choices import shown
from unjudged.base.errors import InputError, reason_of
from unjudged.data.columns import LARGEST_WHOLE, SMALLEST_WHOLE
from unjudged.data.decompression import BLOCK, decompressed, is_compressed
from unjudged.data.limits import check, exceeded, limit

if TYPE_CHECKING:
    from pathlib import Path

STANDARD_INPUT = "-"
SMALLEST_PIECE = 4 << 20
LONGEST_SEARCH = 16 << 20
TAIL = 1 << 20
LARGEST = 1 << 24
_HIGHEST = sys.float_info.max
PathLike = str | os.PathLike[str]
Stream = io.RawIOBase | io.BufferedIOBase


class Start(NamedTuple):
    """What a file is recognised by: its first bytes, and columns it should have."""

    file: PathLike
    data: bytes
    columns: Mapping[str, str] = MappingProxyType({})
    is_folder: bool = False


class StopReading(Exception):
    """Reader was asked to stop."""


class Piece:
    """Bytes from `start` to `end` of a stream, until `stop` is set."""

    def __init__(self, stream: Stream, start: int, end: int | None, stop: Event) -> None:
        self.stream, self.stop = stream, stop
        self.left = sys.maxsize if end is None else end - start
        if start:
            stream.seek(start)

    def readinto(self, buffer: Any) -> int:
        if self.stop.is_set():
            raise StopReading
        wanted = memoryview(buffer)[: self.left]
        got = self.stream.readinto(wanted) if wanted else 0
        self.left -= got or 0
        return got or 0


@contextmanager
def opened(
    path: PathLike, *, held: int = 0, ahead: Event | None = None, block: int = BLOCK
) -> Iterator[Stream]:
    """Yield the bytes of a file, decompressed if its first bytes say that it is compressed.

    `held` is how many bytes of memory a byte takes, for a reader that holds all of the file at once. With
    `ahead` another thread decompresses a large file, until the event is set. `block` goes to `decompressed`.
    """
    with open(path, "rb", buffering=0) as raw:
        size = os.fstat(raw.fileno()).st_size
        large = size >= SMALLEST_PIECE
        stream = decompressed(raw, held, ahead if large else None, block)
        if stream is None:
            check("MEMORY", size * held)
            yield raw
        else:
            with stream:
                yield stream


def last_bytes(stream: Stream) -> bytes:
    """Return the end of a stream that was just opened: a few megabytes, enough for its last lines."""
    if isinstance(stream, io.FileIO):
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - TAIL))
        return stream.read() or b""
    end = b""
    while block := stream.read(TAIL):
        end = end[-TAIL:] + block
    return end


@contextmanager
def on_disk(path: PathLike) -> Iterator[PathLike]:
    """A path that can be read more than once: standard input and pipes are copied to a temporary file."""
    if os.fspath(path) != STANDARD_INPUT and not _is_pipe(path):
        yield path
        return
    if os.fspath(path) == STANDARD_INPUT and sys.stdin is None:
        raise InputError("it is closed")
    with ExitStack() as stack:
        where = "a temporary folder"
        try:
            copy = stack.enter_context(temporary_folder()) / "input"
            where = display_name(copy.parent.parent)
            standard = os.fspath(path) == STANDARD_INPUT
            _copy(sys.stdin.buffer if standard else stack.enter_context(open(path, "rb")), copy)
        except OSError as error:
            problem = f"cannot be copied to {where}: {reason_of(error)}"
            raise InputError(f"{problem}; TMPDIR=FOLDER names another folder") from None
        yield copy


def _is_pipe(path: PathLike) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except ValueError:  # a null character, or a character that no file name can have
        raise InputError("not a valid file name") from None


def _copy(source: Any, target: os.PathLike[str]) -> None:
    left = limit("COPIED")
    with open(target, "wb") as copy:
        while block := source.read1(TAIL):  # returns often, so that a signal is noticed
            left -= len(block)
            if left < 0:
                raise exceeded("COPIED")
            copy.write(block)


def read_whole(path: PathLike, held: int) -> bytes:
    """All bytes of a file, for a reader that needs `held` bytes of memory for each of them."""
    blocks, size = [], 0
    with opened(path) as stream:
        while block := stream.read(TAIL):
            blocks.append(block)
            size += len(block)
            check("MEMORY", size * held)
    return b"".join(blocks)


def read_small(path: PathLike, expected: str, largest: int = LARGEST) -> bytes:
    """Return the bytes of a file, decompressed and without a byte order mark.

    `expected` completes the error for a file of more than `largest` bytes.
    """
    with name_file_in_errors(path), on_disk(path) as file, opened(file) as stream:
        blocks: list[bytes] = []
        left = largest
        while block := stream.read(min(left + 1, LARGEST)):
            blocks.append(block)
            left -= len(block)
            if left < 0:
                size = f"{largest >> 20} MB" if largest < 1 << 30 else f"{largest >> 30} GB"
                raise InputError(f"larger than {size}, expected {expected}")
    return b"".join(blocks).removeprefix(BOM_UTF8)


def read_small_text(path: PathLike, expected: str, largest: int = LARGEST) -> str:
    """Return the text of a file, which must be UTF-8."""
    try:
        return read_small(path, expected, largest).decode()
    except UnicodeDecodeError:
        raise InputError(f"not UTF-8 text, expected {expected}", source=display_name(path)) from None


def number_in_file(
    what: str, value: Any, least: float = -_HIGHEST, most: float = _HIGHEST, *, text: bool = False
) -> float:
    """Return a number of a file, which must be finite and from `least` to `most`; `text` is converted."""
    try:
        number = float(value) if text and isinstance(value, str | bytes) else value
    except ValueError:
        number = None
    if isinstance(number, int | float) and not isinstance(number, bool) and least <= number <= most:
        return float(number)
    raise _wrong_number(what, value, "number", least, most)


def whole_in_file(
    what: str, value: Any, least: int = SMALLEST_WHOLE, most: int = LARGEST_WHOLE, *, text: bool = False
) -> int:
    """Return a whole number of a file, which must be from `least` to `most`; `text` is converted."""
    try:
        number = int(value) if text and isinstance(value, str | bytes) else value
    except ValueError:
        number = None
    if isinstance(number, int) and not isinstance(number, bool) and least <= number <= most:
        return number
    raise _wrong_number(what, value, "whole number", least, most)


def _wrong_number(what: str, value: Any, kind: str, least: float, most: float) -> InputError:
    if most < _HIGHEST:
        wanted = f"a {kind} from {least} to {most}"
    else:
        wanted = f"a finite {kind}" + (f" of at least {least}" if least > -_HIGHEST else "")
    given = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
    return InputError(f"{what} is {shown(given)}, expected {wanted}")


def pieces(path: PathLike, most: int) -> list[tuple[int, int | None]]:
    """At most `most` parts of a file, cut where the query changes; one if it is small or compressed."""
    size = os.path.getsize(path)
    parts = min(most, size // SMALLEST_PIECE)
    if parts < 2 or is_compressed(path):
        return [(0, None)]
    with open(path, "rb") as stream:
        cuts = {_next_query(stream, size * part // parts) for part in range(1, parts)}
    ends = [0, *sorted(cut for cut in cuts if cut is not None)]
    return list(zip(ends, [*ends[1:], None], strict=True))


def _next_query(stream: BinaryIO, start: int) -> int | None:
    """Return where the first query after `start` ends; None if that is too far to look.

    It is never before a byte order mark, which has a meaning only at the start of a file.
    """
    stream.seek(start)
    stream.readline(LONGEST_SEARCH)
    query = None
    while (at := stream.tell()) < start + LONGEST_SEARCH:
        line = stream.readline(LONGEST_SEARCH)
        if not line:
            return None
        fields = line.split(None, 1)
        if not fields or fields[0].startswith(b"#"):
            continue
        if query is not None and fields[0] != query and not line.startswith(BOM_UTF8):
            return at
        query = fields[0]
    return None


def without_links(path: PathLike) -> str:
    """Return the place of a file, the same for all its names; the name itself if no file can have it."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return os.fspath(path)


def display_name(path: PathLike) -> str:
    """What messages call a file; characters that cannot be printed are escaped."""
    name = os.fspath(path)
    if name == STANDARD_INPUT:
        return "standard input"
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()


@contextmanager
def name_file_in_errors(path: PathLike) -> Iterator[None]:
    """Whatever goes wrong inside names the file: `file:line: problem`."""
    name = display_name(path)
    try:
        with name_source_in_errors(name):
            yield
    except FileNotFoundError:
        raise InputError("no such file", source=name) from None
    except Exception as error:
        if isinstance(error, EOFError) or type(error).__name__ in _DAMAGED:
            problem = f"the compressed file is damaged or cut short ({reason_of(error)})"
        elif isinstance(error, OSError):
            problem = f"cannot be read: {reason_of(error)}"
        else:
            raise
        raise InputError(problem, source=name) from None


class name_source_in_errors:  # noqa: N801 (it is used like a function)
    """An input error that names no source yet names this one. A dict that changes meanwhile is one."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        if isinstance(error, RuntimeError) and "during iteration" in str(error):  # by another thread
            raise InputError(
                "it changed while it was read, expected data that stays as it is", source=self.name
            )
        if isinstance(error, InputError) and not error.source:
            error.source = self.name


_DAMAGED = {"error", "IsalError", "LZMAError", "ZstdError", "BadGzipFile"}  # zlib.error has only that name


ENDING = ("SIGTERM", "SIGHUP")
_unfinished: set[Path] = set()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is removed at the end, or when SIGTERM or SIGHUP ends the process."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory(prefix="unjudged-") as name:
        folder = Path(name)
        with removed_if_ended(folder):
            yield folder


@contextmanager
def removed_if_ended(path: Path) -> Iterator[None]:
    """Remove a file or a folder if SIGTERM or SIGHUP ends the process meanwhile.

    A signal that the program already handles or ignores is left as it is.
    """
    import signal  # slow to load

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
    import signal

    for path in _unfinished:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
