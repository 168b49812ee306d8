"""Files that the package wrote itself, changed and given a right checksum: what they say is still input."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

from fuzz.doors import folder
from fuzz.kinds import Kind
from fuzz.kinds.json_text import TOKENS, changed
from fuzz.mutation import LINES, mutated
from fuzz.oracle import Difference, Outcome, outcome
from unjudged import calibrate, evaluate, sample
from unjudged.collection.description import Description
from unjudged.judging import merge
from unjudged.judging import next as next_documents
from unjudged.judging.judging_page import to_judge_in
from unjudged.rankings.sample_file import read_sample, sample_text

GRADES = {f"q{q}": {f"d{d}": (q + d) % 3 % 2 for d in range(6)} for q in range(4)}
RUNS = {
    name: {query: {d: float((i * step + 1) % 7) for i, d in enumerate(ids)} for query, ids in GRADES.items()}
    for name, step in (("one", 2), ("two", 3), ("three", 5))
}
MEASURES = ("AP", "P@3")


def design_seeds() -> list[bytes]:
    designs = "uniform(50%)", "stratified(50%, top=2)", "holes(8)"
    drawn = (next_documents(None, RUNS, design=design, measure="P@3") for design in designs)
    return [one.text().encode() for one in drawn]


def check_design(data: bytes) -> Iterator[Outcome]:
    """A design that is accepted is written as it was read, handed out, and merged with answers."""
    path = folder() / "design"
    path.write_bytes(data)

    def read() -> Any:
        drawn = read_sample(path)
        written = sample_text(drawn)
        path.write_text(written, "utf-8", "surrogateescape")
        if sample_text(read_sample(path)) != written:
            raise Difference("a design is not read as it was written")
        return to_judge_in(drawn), merge(drawn, {"one": GRADES}, conflicts="last").judgments.grade

    yield outcome(read)


def mutate_design(rng: random.Random, data: bytes) -> bytes:
    return mutated(rng, data, LINES, [b" .", b" -1", b" -2", b" 1", *TOKENS])


def answers_seeds() -> list[bytes]:
    lines = b"q0 0 d0 1\nq0 0 d1 -2\nq1 0 d0 -1\n"
    return [lines, b"# unjudged-answers: 1 of 3 documents judged\n" + lines]


def check_answers(data: bytes) -> Iterator[Outcome]:
    """Answers are read and merged by a rule."""
    path = folder() / "ann.qrels"
    path.write_bytes(data)

    def read() -> Any:
        found = merge(GRADES, {"ann": path}, conflicts="highest")
        return str(found), found.judgments.grade

    yield outcome(read)


@cache
def scored() -> Any:
    return evaluate(sample.qrels, sample.runs, MEASURES)


def calibration_seeds() -> list[bytes]:
    groups, path, found = {name: name for name in sample.runs}, folder() / "learnt", []
    for measures in (MEASURES, "P@3"):
        calibrate(sample.qrels, sample.runs, groups, measures).save(path)
        found.append(path.read_bytes())
    return found


def check_calibration(data: bytes) -> Iterator[Outcome]:
    path = folder() / "calibration"
    path.write_bytes(data)

    def read() -> Any:
        found = scored().with_interval(f"calibrated(file={str(path)!r}, confidence=0.6)")
        for row in found.rows["systems"]:
            low, high = row.get("calibrated_low"), row.get("calibrated_high")
            if low is not None and not low <= row["estimate"] <= high:
                raise Difference(f"an estimate outside its interval: {row}")
        return str(found)

    yield outcome(read)


DESCRIPTION = b"""\
name = "one"
queries = "q.jsonl"
relevant = 2
code = "m.py"
columns = { query = "topic" }
[[judgments]]
file = "a.qrels"
how = "pool"
depth = 10
pooled = ["one"]
[[judgments]]
file = 'b.qrels'
by = "model"
name = "b"
[runs]
one = "1.run"
[defaults]
margin = { "AP" = 0.01 }
alpha = 0.1
"""
TOML = [
    *(b"[[", b"]]", b"{", b"}", b'"""', b"'''", b"\\u0000", b" = ", b".", b"#", b"nan", b"1979-05-27"),
    b"true",
]


def check_description(data: bytes) -> Iterator[Outcome]:
    """A description is read or refused, and what is set beside it too."""
    path = folder() / "collection.toml"
    path.write_bytes(data)
    yield outcome(lambda: Description.read(path).override("relevant=1", "defaults.alpha=0.2", "runs.b=b.run"))


def mutated_tree(rng: random.Random, data: bytes, seeds: list[bytes]) -> bytes:
    """Change a node of JSON, or of one line of it, or bytes."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    with suppress(ValueError, RecursionError):
        if rng.random() < 0.7:
            if data[:1] in (b"{", b"[") and len(lines) > 1 and rng.random() < 0.8:
                lines[at] = _dumped(changed(rng, json.loads(lines[at])))
                return b"\n".join(lines)
            return _dumped(changed(rng, json.loads(data)))
    return mutated(rng, data or rng.choice(seeds or [b""]), LINES, TOKENS)


def _dumped(tree: Any) -> bytes:
    return json.dumps(tree, ensure_ascii=False).encode("utf-8", "surrogatepass")


def of_trees(seeds: Callable[[], list[bytes]], check: Callable[[bytes], Iterator[Outcome]]) -> Kind:
    return Kind(cache(seeds), lambda rng, data: mutated_tree(rng, data, seeds()), check)


def of_lines(
    seeds: Callable[[], list[bytes]], check: Callable[[bytes], Iterator[Outcome]], tokens: list[bytes]
) -> Kind:
    return Kind(cache(seeds), lambda rng, data: mutated(rng, data, LINES, [*tokens, *TOKENS]), check)


KINDS = {
    "design": Kind(cache(design_seeds), mutate_design, check_design),
    "answers": of_lines(answers_seeds, check_answers, [b"# unjudged-answers: 1 of 3 documents judged"]),
    "calibration": of_trees(calibration_seeds, check_calibration),
    "description": of_lines(lambda: [DESCRIPTION, b'[scores]\nfile = "a.csv"\n'], check_description, TOML),
}
