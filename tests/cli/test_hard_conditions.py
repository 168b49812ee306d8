"""Names without UTF-8, closed streams, full disks, limits of memory: each is a line, never a traceback."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.in_process import printed, unjudged
from tests.conftest import examples
from unjudged import Scores, sample
from unjudged.results.rendering import escaped_csv

QRELS, RUN, OTHER = str(sample.qrels), str(sample.runs["fused"]), str(sample.runs["dense"])
COMMAND = [sys.executable, "-m", "unjudged"]
FORMATS = ("table", "csv", "tsv", "json", "jsonl", "markdown", "latex", "html")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture
def not_utf8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files whose names of queries, documents, runs, systems and segments no UTF-8 has."""
    monkeypatch.chdir(tmp_path)
    rng, queries, documents = (
        random.Random(1),
        [b"q%d\xff" % i for i in range(11)],
        [b"d%d\xfe" % i for i in range(20)],
    )
    for name, kept in (("qrels", 9), ("model.qrels", 20)):
        judged = [
            (query, d, rng.choice([0, 0, 1, 2])) for query in queries for d in rng.sample(documents, kept)
        ]
        Path(name).write_bytes(b"".join(b"%s 0 %s %d\n" % row for row in judged))
    for run in (b"a\xff.run", b"b.run"):
        rows = [(query, d, -k) for query in queries for k, d in enumerate(rng.sample(documents, 15))]
        Path(os.fsdecode(run)).write_bytes(b"".join(b"%s Q0 %s 1 %d t\xfd\n" % row for row in rows))
    table = [{"query": f"q{i}\ud800", "x\ud800": i % 3 / 4, "y": i % 4 / 5} for i in range(11)]
    Path("scores.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in table))
    Path("segments.csv").write_bytes(b"query,segment\n" + b"".join(q + b",s\xff\n" for q in queries[:5]))
    with open("segments.csv", "ab") as file:
        file.write(b"".join(query + b",t\n" for query in queries[5:]))
    return tmp_path


def commands() -> Iterator[list[str]]:
    files = ["qrels", "a\udcff.run", "b.run"]
    views = ["--set", "segments=segments.csv", "--view", "segments"]
    for form in FORMATS:
        for command in ("evaluate", "compare", "check", "gate"):
            yield [command, *files, "-f", form]
        yield ["evaluate", *files, *views, "-f", form]
        yield ["next", *files, "-n", "5", "-f", form]
        for command in ("evaluate", "compare", "gate", "check"):
            yield [command, "scores.jsonl", "-f", form]
        yield ["audit", "qrels", "model.qrels", "-f", form]
    yield ["experiment", *files, "-d", "uniform(50%)"]
    yield ["report", *files, "-o", "page.html"]
    yield ["report", "scores.jsonl", "-o", "table.html"]
    yield ["check", *files, "-o", "collection.toml"]
    yield ["compare", *files, "--plot", "figure.svg"]
    yield ["merge", "qrels", "model.qrels", "--conflicts", "last"]
    yield ["judge", "model.qrels", "-o", "judging.html"]
    yield ["evaluate", "no\udcff", "b.run"]
    yield ["explain", "a\ud800"]
    yield ["trec_eval", "-q", *files[:2]]


@pytest.mark.thorough
@pytest.mark.usefixtures("not_utf8")
def test_every_command_takes_names_without_utf8() -> None:
    refused = set()
    for words in commands():
        done = unjudged(*words)
        assert b"Traceback" not in done.stderr, words
        if done.returncode not in (0, 2 if words[0] == "gate" else 0):
            refused.add(words[0])
            assert done.stderr.startswith(b"unjudged: "), words
    assert refused <= {
        "check",
        "evaluate",
        "judge",
    }  # a file that is not there, or what TOML and a page cannot hold


@linux
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["evaluate", "nowhere", RUN], 1),
        (["gate", "nowhere", RUN], 3),
        (["--x"], 2),
        (["trec_eval", "x", "y"], 2),
    ],
)
def test_errors_never_go_to_standard_output(words: list[str], code: int) -> None:
    with_shell = ["sh", "-c", 'exec "$@" 2>&-', "sh", *COMMAND, *words]
    done = subprocess.run(with_shell, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (code, b"")


@linux
def test_a_full_folder_for_copies_is_named(tmp_path: Path) -> None:
    """Files that may not grow stand for a full disk: both are errors of `write`."""
    words = f"trap '' XFSZ; ulimit -f 8; exec {' '.join(COMMAND)} evaluate {QRELS} - < /dev/zero"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(["sh", "-c", words], capture_output=True, env=environment, text=True, check=False)
    said = f"unjudged: standard input: cannot be copied to {tmp_path}: File too large"
    assert (done.returncode, done.stderr) == (1, f"{said}; TMPDIR=FOLDER names another folder\n")
    assert list(tmp_path.iterdir()) == []


@linux
@pytest.mark.parametrize(
    "words", [["evaluate", QRELS, RUN, "-o"], ["report", QRELS, RUN, OTHER, "-o"], ["demo", "--files"]]
)
def test_a_full_disk_leaves_nothing(words: list[str], tmp_path: Path) -> None:
    limited = "trap '' XFSZ; ulimit -f 0; exec \"$@\""
    target = tmp_path / "out.html"
    done = subprocess.run(
        ["sh", "-c", limited, "sh", *COMMAND, *words, str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [])
    assert f"unjudged: {target}" in done.stderr
    assert "cannot be written: File too large" in done.stderr


@pytest.mark.thorough
@linux
@pytest.mark.parametrize("kind", ["scores", "runs"])
def test_memory_stays_near_its_limit(kind: str, tmp_path: Path) -> None:
    """A small compressed table, and a run that `check` looks at, take a third more than they may at most."""
    if kind == "scores":
        lines = (f"s{s},q{q},0.5\n" for s in range(40) for q in range(10_000))
        (tmp_path / "file").write_bytes(gzip.compress(("system,query,AP\n" + "".join(lines)).encode()))
    else:
        lines = (f"q{q} Q0 d{d} 1 {-d} t\n" for q in range(800) for d in range(1000))
        (tmp_path / "file").write_text("".join(lines))
    code = (
        "import resource, sys; from unjudged.cli.main import main\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    for limit in (20, 60):
        done = subprocess.run(
            [sys.executable, "-c", code, "check", str(tmp_path / "file")],
            env={**os.environ, "UNJUDGED_MAX_MEMORY": f"{limit}M"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "set UNJUDGED_MAX_MEMORY to allow more" in " ".join(done.stdout.split())
        assert int(done.stdout.split()[-1]) / 1024 < 1.33 * limit + 20  # what is imported meanwhile


def test_names_come_back_from_our_own_csv(tmp_path: Path) -> None:
    names = ["+rm3", "-1", "=x", "@y", "'+z", "''=", "plain", "it's"]
    runs = []
    for name in names:
        runs.append(str(tmp_path / name))
        Path(runs[-1]).write_text(Path(RUN).read_text())
    target = tmp_path / "scores.csv"
    printed("evaluate", QRELS, *runs, "-m", "AP", "--view", "queries", "-f", "csv", "-o", str(target))
    assert list(Scores.read(target).runs) == names


@examples(200)
@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1))
def test_what_csv_escapes_is_read_again(name: str) -> None:
    from unjudged.data.text_tables import text_of_field

    assert text_of_field(escaped_csv(name)) == name
