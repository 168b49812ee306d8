"""Advice that commands print: every command and every setting in it works on the same input."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.in_process import unjudged
from unjudged import sample

RUNS = " ".join(f"{name}.run" for name in sample.runs)
LINES = [
    f"evaluate qrels.txt {RUNS} -v",
    f"compare qrels.txt {RUNS} -v",
    "compare qrels.txt dense.run reranked.run -m RBP(p=0.8) --set relevant=2",
    "evaluate qrels.txt boolean.run -m RBP(p=0.8) -v",
    "evaluate scattered.qrels fused.run --interval sampling",
    "evaluate scattered.qrels fused.run model=fused.run -m P@5",
    "evaluate gaps.csv",
    "evaluate mixed.csv",
    "compare wide.csv -v",
    "gate latency.csv a b --margin 1",
    "gate qrels.txt lexical.run dense.run -m AP",
    "check qrels.txt dense.run",
    "evaluate qrels.txt fused.run --interval model",
    "compare qrels.txt fused.run dense.run --set predictions.kind=grades",
    "check qrels.txt dense.run reranked.run",
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample collection, scattered labels, and tables with what is often wrong with them."""
    monkeypatch.chdir(tmp_path)
    for path in (sample.qrels, *sample.runs.values()):
        Path(path.name).write_bytes(path.read_bytes())
    lines = sample.runs["fused"].read_text().splitlines()[::17]
    labels = [line.split()[0:3:2] for line in lines]
    Path("scattered.qrels").write_text("".join(f"{q} 0 {d} {k % 2}\n" for k, (q, d) in enumerate(labels)))
    Path("gaps.csv").write_text("query,a,b\nq1,.1,.2\nq2,.3,\n")
    Path("mixed.csv").write_text("query,mrr,own\nq1,.1,.2\nq2,.3,.4\n")
    Path("wide.csv").write_text("query,a,b\n" + "".join(f"q{k},.{k},.{k + 1}\n" for k in range(1, 8)))
    rows = "".join(f"{system},q{k},p50,{k}\n" for system in "ab" for k in range(1, 9))
    Path("latency.csv").write_text(f"system,query,measure,value\n{rows}")
    return tmp_path


def advice(line: str, text: str) -> Iterator[list[str]]:
    """Yield the commands that a text advises, and the command itself with each setting that it advises."""
    plain = " ".join(text.split())
    for found in re.findall(r"^(?:.*(?:Next|judge): )?\s*(unjudged (?:\w+) .*)$", text, re.MULTILINE):
        yield shlex.split(found)[1:]
    for found in re.findall(r"`(unjudged \w+[^`]*)`", plain):
        yield shlex.split(found)[1:]
    for setting in dict.fromkeys(re.findall(r"--set ([\w.]+=[\w.]+)", plain)):
        if setting.split("=")[1] not in ("FILE", "NAME") and setting not in line:
            yield [*line.split(), "--set", setting]


def test_advice_works() -> None:
    """Of what most of these lines print; a line without any says nothing about advice."""
    advised = 0
    for line in LINES:
        done = unjudged(*line.split())
        given = [*advice(line, (done.stdout + done.stderr).decode())]
        advised += bool(given)
        for words in given:
            again = unjudged(*words)
            refused = re.search(rb"unknown (option|command)|is not a key|expected KEY=VALUE", again.stderr)
            assert not refused, (line, words, again.stderr.decode())
            assert again.returncode in (0, 1, 2) or words[0] != "gate", (line, words, again.stderr.decode())
            assert again.returncode == 0 or words[0] != "next", (line, words, again.stderr.decode())
    assert advised >= 8
