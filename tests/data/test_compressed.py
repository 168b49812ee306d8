"""Compressed files give what their contents give, with and without isal, with and without reading ahead."""

from __future__ import annotations

import gzip
import io
import lzma
import random
import sys
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from unjudged import InputError, UnjudgedError, evaluate
from unjudged.data import streams, trec

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
LINES = b"".join(b"%d Q0 d%d 1 %d t\n" % (query, i, -i) for query in (1, 2) for i in range(4000))
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
}


@pytest.fixture(params=["isal", "zlib"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "zlib":
        monkeypatch.setitem(sys.modules, "isal", None)
    else:
        pytest.importorskip("isal")
    return str(request.param)


@pytest.fixture(params=["at once", "ahead"])
def ahead(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """With reading ahead, blocks of a few bytes are read by another thread."""
    if request.param == "ahead":
        monkeypatch.setattr(streams, "SMALLEST_PIECE", 1)
        monkeypatch.setattr(streams, "BLOCK_AHEAD", 700)
        monkeypatch.setattr(trec, "cores", lambda: 3)
    return bool(request.param == "ahead")


def content(path: Path) -> bytes:
    """All of a file as its readers get it, in another thread."""
    with streams.opened(path, ahead=threading.Event()) as stream:
        return stream.read() or b""


def by_zlib(data: bytes) -> tuple[bytes, str]:
    """What the standard library reads of a gzip file, and its complaint."""
    try:
        return gzip.GzipFile(fileobj=io.BytesIO(data)).read(), ""
    except (EOFError, OSError, zlib.error) as error:
        return b"", str(error)


@pytest.mark.usefixtures("library", "ahead")
class TestContents:
    @pytest.mark.parametrize("kind", COMPRESS)
    def test_one_member_or_several(self, kind: str, tmp_path: Path) -> None:
        path, compress = tmp_path / "file", COMPRESS[kind]
        empty = compress(b"")
        for members in ([LINES], [LINES[:5], LINES[5:7000], LINES[7000:]], [LINES, b"", LINES]):
            path.write_bytes(b"".join(map(compress, members)) + empty)
            assert content(path) == b"".join(members)

    @pytest.mark.parametrize("kind", COMPRESS)
    def test_evaluated_as_the_plain_file(self, kind: str, tmp_path: Path) -> None:
        for name, lines in {"ordered": LINES, "apart": LINES + LINES.replace(b" d", b" e")}.items():
            plain, packed = tmp_path / name, tmp_path / f"{name}.{kind}"
            plain.write_bytes(lines)
            packed.write_bytes(COMPRESS[kind](lines))
            qrels = {"1": {"d7": 1, "e9": 2}, "2": {"d3999": 1}}
            expected, found = (evaluate(qrels, [path], ["AP", "nDCG", "Bpref"]) for path in (plain, packed))
            assert [row.value for row in found] == [row.value for row in expected]
            assert any(row.value for row in found)

    @pytest.mark.thorough
    @pytest.mark.parametrize("kind", COMPRESS)
    def test_a_wrong_line_stops_the_thread(self, kind: str, tmp_path: Path) -> None:
        path, before = tmp_path / "run", threading.active_count()
        path.write_bytes(COMPRESS[kind](b"1 Q0 a 1 x t\n" + LINES * 9))
        with pytest.raises(InputError, match=r"run:1: the score is 'x'"):
            evaluate(QRELS, path, ["AP"])
        assert threading.active_count() == before


@pytest.mark.usefixtures("ahead")
class TestDamage:
    def test_gzip_is_refused_as_by_zlib(self, library: str, tmp_path: Path) -> None:
        """Wherever a byte is changed, or the file is cut, what is read or refused is the same."""
        rng, path = random.Random(5), tmp_path / "run.gz"
        whole = gzip.compress(LINES[:30000]) + gzip.compress(LINES[30000:])
        for _ in range(80):
            data = bytearray(whole)
            at = rng.choice((rng.randrange(len(data)), rng.randrange(40), -1 - rng.randrange(12)))
            data[at] ^= 1 << rng.randrange(8)
            data = data[: rng.choice((len(data), len(data), rng.randrange(20, len(data))))]
            path.write_bytes(data)
            expected, complaint = by_zlib(bytes(data))
            if not data.startswith(b"\x1f\x8b"):
                continue
            if not complaint:
                assert content(path) == expected
                continue
            with pytest.raises(UnjudgedError) as found, streams.name_file_in_errors("run.gz"):
                content(path)
            assert str(found.value).startswith("run.gz: the compressed file is damaged or cut short"), library

    @pytest.mark.parametrize("block", [1, 7, 1 << 18])
    def test_a_frame_of_zstd_has_the_size_that_it_gives(
        self, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """However few bytes are read at a time: zstd itself looks only at a frame that is there whole."""
        monkeypatch.setattr(streams, "BLOCK", block)
        path, sound = tmp_path / "run.zst", zstd.compress(b"1 Q0 a 1 2 t\n")
        shorter = bytearray(zstd.compress(b""))
        shorter[5] = 19
        path.write_bytes(sound + sound)
        assert len(content(path)) == 26
        path.write_bytes(sound + shorter)
        with pytest.raises(InputError, match="run: the compressed file is damaged or cut short"):
            with streams.name_file_in_errors("run"):
                content(path)
