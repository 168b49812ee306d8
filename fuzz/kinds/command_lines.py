"""Command lines in every spelling, and figures and tables of names that were written to do harm."""

from __future__ import annotations

import contextlib
import csv
import io
import random
import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch
from xml.etree import ElementTree

from fuzz.decisions import Decisions
from fuzz.doors import folder
from fuzz.kinds import Kind
from fuzz.mutation import BINARY, mutated
from fuzz.oracle import Difference, Outcome, outcome
from unjudged import compare, evaluate
from unjudged.cli.command_line import command_named
from unjudged.cli.commands import COMMANDS
from unjudged.cli.main import main
from unjudged.cli.options import Option
from unjudged.report.figure import picture
from unjudged.results.rendering import FORMATS, render

INPUTS = {
    "q.qrels": "1 0 a 1\n1 0 b 0\n1 0 c -1\n2 0 a 1\n2 0 d 0\n",
    "one.run": "1 Q0 a 1 3 one\n1 Q0 x 2 2 one\n1 Q0 b 3 1 one\n2 Q0 d 1 2 one\n2 Q0 a 2 1 one\n",
    "two.run": "1 Q0 x 1 3 two\n1 Q0 b 2 2 two\n1 Q0 a 3 1 two\n2 Q0 a 1 2 two\n2 Q0 y 2 1 two\n",
    "groups.txt": "one a\ntwo b\n",
    "texts.tsv": "a\twords\nb\tmore\n",
}
VALUES = [
    *(*INPUTS, *INPUTS, "new.csv", "new.html", "new.svg", "new", "./q.qrels", "sub/../q.qrels", "soft"),
    "loop",
    *("1", "0", "-1", "2", "0.5", "50%", "1e999", "nan", "AP", "nDCG@10", "csv", "json", "table", "latex"),
    *("x" * 5000, "", "\0", "\udcff", "é", "(", "(?:a|b)", "[" * 3000, "(a){99999999999}", "10:1,inf:.1"),
    *("q.qrels/x", "-", "--output=q.qrels", "one", "two", "random", "0,1", "bounds", "calibrated", "irds:x"),
    *("9" * 5000, "infAP(actual='q.qrels')", "AP(" * 500, "query=qid", "*.run"),
]
HOSTILE = [
    *("a", "b", "q1", "run", "\x1b[31m", "\0", "\x01", "\udcff", "\ud800", "__proto__", "constructor"),
    "=1+1",
    *("a;=1+1", "+x", "@x", "-x", "[x]", "*x", "\\x", "$x", "%x", "{x}", "x_y^z", "&amp;", "<b>"),
    "</script>",
    *('"', "'", "a,b", "a\tb", "x" * 3000, "\u202e", "\u2028", "\x85", "é", "e\u0301", "😀", "a|b", "`x`"),
    "#x",
]


def declared(command: str) -> tuple[Option, ...]:
    """The options of a command."""
    return command_named(command).options


def _takes_nothing(option: Option) -> bool:
    return str(option.others.get("action")) in {"store_true", "store_const", "count"}


def spelt(written: Option, value: str, command: str) -> list[list[str]]:
    """The ways to give an option."""
    ways = [way for name in written.names for way in ([name, value], [f"{name}={value}"])]
    flags = [
        flag for one in declared(command) for flag in one.names if _takes_nothing(one) and len(flag) == 2
    ]
    for short in [name for name in written.names if len(name) == 2]:
        ways.append([f"{short}{value}"])
        for flag in flags:
            ways += [[f"{flag}{short[1]}", value], [f"{flag}{short[1]}{value}"]]
    return ways


def words_of(decide: Decisions) -> tuple[list[str], list[str]]:
    """A command line that may work, then options in every spelling; and the files that it reads."""
    command = decide.choose(COMMANDS)
    words = [command, "q.qrels", *("one.run", "two.run")[: decide.below(3)]]
    options = [one for one in declared(command) if "--workers" not in one.names]
    if len(options) < len(declared(command)):
        words += ["--workers", "1"]  # no processes that a campaign could not stop
    read = [word for word in words if word in INPUTS]
    for _ in range(decide.below(5)):
        one, value = decide.choose(options), decide.choose(VALUES)
        if decide.rarely(9):
            words.append(value)
        elif decide.rarely(9):
            words += [one.names[-1][:-1], value]
        else:
            ways = [*spelt(one, "@", command), [one.names[0]]]
            words += [word.replace("@", value) for word in decide.choose(ways)]
    return words, read


def check_options(data: bytes) -> Iterator[Outcome]:
    """A command ends with a code of its own, and nothing that it reads is replaced."""
    words, read = words_of(Decisions(data))
    place = folder() / "command"
    shutil.rmtree(place, ignore_errors=True)
    (place / "sub").mkdir(parents=True)
    for name, text in INPUTS.items():
        (place / name).write_text(text)
    (place / "soft").symlink_to("q.qrels")
    (place / "loop").symlink_to("loop")
    code, said = called(words, place)
    for name in read:
        if (place / name).read_text() != INPUTS[name]:
            raise Difference(f"{name} was replaced by {words}")
    own = (0, 1, 2, 3) if words[0] == "gate" else (0, 1, 2)
    if code not in own or "Traceback" in said:
        raise Difference(f"code {code} of {words}: {said[-500:]}")
    yield f"code {code}", said


def called(words: list[str], place: Path) -> tuple[Any, str]:
    code: Any = 0
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with contextlib.chdir(place), patch.object(sys, "stdout", out), patch.object(sys, "stderr", err):
        with patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(b""))), warnings.catch_warnings():
            try:
                main(words)
            except SystemExit as end:
                code = end.code or 0
        err.seek(0)
        return code, err.read()


def check_figures(data: bytes) -> Iterator[Outcome]:
    """Names reach every format and figure, and come back from those that can be read again."""
    decide = Decisions(data)
    queries = list(dict.fromkeys(decide.choose(HOSTILE) + "q" * decide.below(3) for _ in range(3)))
    runs = list(dict.fromkeys(decide.choose(HOSTILE) + "r" * decide.below(3) for _ in range(2)))
    grades = {query: {"d1": 1, "d2": 0, "d3": -1} for query in queries}
    rankings = {
        run: {
            query: {f"d{d}": float((d * 3 + i + j) % 5) for d in range(1, 6)}
            for j, query in enumerate(queries)
        }
        for i, run in enumerate(runs)
    }
    yield outcome(lambda: tables(grades, rankings, FORMATS))
    which, kind = decide.below(3), decide.choose(["svg", "svg", "svg", "pdf", "png"])
    yield outcome(lambda: pictures(grades, rankings, runs, which, kind))


def tables(grades: Any, rankings: Any, formats: Any) -> Any:
    grid = evaluate(grades, rankings, ("AP", "P@2")).grid("queries")
    for name in formats:
        if name == "parquet":
            continue
        text = render(grid, name)
        if name == "csv" and isinstance(text, str):
            rows = list(csv.reader(io.StringIO(text), strict=True))
            if len({len(row) for row in rows}) > 1:
                raise Difference("rows of different lengths")
    return len(grid.rows)


def pictures(grades: Any, rankings: Any, runs: list[str], which: int, kind: str) -> Any:
    scores = evaluate(grades, rankings, ("AP",))
    if len(runs) > 1:
        str(compare(grades, rankings, ["AP"]))
    figures = [
        lambda: scores.plot.intervals(intervals=["bounds"]),
        lambda: scores.plot.judged_by_rank(depth=3),
        lambda: compare(grades, rankings, ["AP"]).plot.differences(runs[0], runs[-1]),
    ]
    drawn = picture(figures[which](), kind)
    if kind == "svg":
        ElementTree.fromstring(drawn)
    return kind


def seeds() -> list[bytes]:
    rng = random.Random(4)
    return [rng.randbytes(rng.choice((6, 20, 40))) for _ in range(60)]


def mutate(rng: random.Random, data: bytes) -> bytes:
    return mutated(rng, data, BINARY)[:200] or b"\0"


KINDS = {"options": Kind(seeds, mutate, check_options), "figures": Kind(seeds, mutate, check_figures)}
