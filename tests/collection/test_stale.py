"""Judgments of documents that were dropped, renamed or merged: counted, named, dropped or kept."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import Collection, InputError, check, compare, evaluate
from unjudged.collection.stale import StaleJudgments
from unjudged.data.text_tables import known_names
from unjudged.rankings.judgments import Judgments

NAMES = [f"d{k}" for k in range(300)]


def made(folder: Path) -> tuple[dict[str, dict[str, int]], set[str]]:
    """A collection whose corpus was rebuilt: 30 documents dropped, 30 renamed, 30 merged into ten others."""
    rng = random.Random(5)
    grades = {f"q{k}": {d: rng.choice([0, 0, 1, 2]) for d in rng.sample(NAMES, 8)} for k in range(20)}
    shuffled = rng.sample(NAMES, len(NAMES))
    lost = {*grades["q3"], *(d for d, grade in grades["q5"].items() if grade)}
    dropped, renamed, merged = {*shuffled[:30], *lost}, {*shuffled[30:60]}, {*shuffled[60:90]}
    gone = dropped | renamed | merged
    now = [d for d in NAMES if d not in gone] + [f"new-{d}" for d in renamed] + [f"m{k}" for k in range(10)]
    (folder / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": d, "title": "", "text": "w"}) + "\n" for d in now)
    )
    lines = [f"{q} 0 {d} {g}\n" for q, own in grades.items() for d, g in own.items()]
    (folder / "qrels.txt").write_text("".join(lines))
    (folder / "filtered.txt").write_text("".join(line for line in lines if line.split()[2] not in gone))
    for name in ("a", "b"):
        run = (f"{q} Q0 {d} 0 {rng.random():.6f} t\n" for q in grades for d in rng.sample(NAMES, 40))
        (folder / f"{name}.run").write_text("".join(run))
    described = 'documents = "corpus.jsonl"\nruns = ["*.run"]\n[[judgments]]\nfile = "qrels.txt"\n'
    (folder / "collection.toml").write_text(described)
    return grades, gone


def test_dropping_is_as_if_the_lines_were_not_there(tmp_path: Path) -> None:
    made(tmp_path)
    runs = [tmp_path / "a.run", tmp_path / "b.run"]
    found, plain = compare(tmp_path), compare(tmp_path / "filtered.txt", runs)
    assert repr(found.rows) == repr(plain.rows)
    kept = compare(Collection(tmp_path, stale="keep"))
    assert repr(kept.rows) == repr(compare(tmp_path / "qrels.txt", runs).rows)
    assert not any("not in corpus.jsonl" in note for note in [*kept.notes, *plain.notes])


def test_counts_are_exact(tmp_path: Path) -> None:
    grades, gone = made(tmp_path)
    found = check(tmp_path)
    expected = {
        q: (
            len(own),
            len(gone & {*own}),
            sum(g > 0 for g in own.values()),
            sum(own[d] > 0 for d in gone & {*own}),
        )
        for q, own in grades.items()
        if gone & {*own}
    }
    columns = ("listed", "stale", "relevant", "stale_relevant")
    assert {row["query"]: tuple(row[name] for name in columns) for row in found.rows["stale"]} == expected
    stale = sum(counts[1] for counts in expected.values())
    text = str(found)
    assert f"{stale} of 160 documents of the judgments are not in corpus.jsonl" in text
    assert f"{sum(counts[3] for counts in expected.values())} of them relevant" in text
    empty = [q for q, own in grades.items() if {*own} <= gone]
    without = [q for q, own in grades.items() if q not in empty and not any(own[d] for d in {*own} - gone)]
    assert "q3" in empty
    assert "q5" in without
    notes = Collection(tmp_path).notes
    assert notes[0].startswith(f"{stale} of 160 documents of the judgments are not in corpus.jsonl any more")
    assert notes[1].endswith(f"left out: {', '.join(empty)}.")
    assert notes[2].endswith(f"0: {', '.join(without)}.")
    for name in ("a", "b"):
        returned = [line.split()[2] for line in (tmp_path / f"{name}.run").read_text().splitlines()]
        outside = sum(d in gone for d in returned)
        assert f"{name}: {outside} of 800 documents that it returns are not in corpus.jsonl" in text


def test_no_system_can_reach_more(tmp_path: Path) -> None:
    grades, gone = made(tmp_path)
    judgments = Judgments.read(tmp_path / "qrels.txt")
    fit = StaleJudgments.look_up(judgments, tmp_path / "corpus.jsonl")
    best = evaluate(judgments, {"best": fit.best}, "nDCG@10").value("nDCG@10")
    assert f"{best:.4f} if they are kept" in str(check(tmp_path))
    with_relevant = [any(own[d] for d in {*own} - gone) for own in grades.values() if {*own} - gone]
    most = sum(with_relevant) / len(with_relevant)
    assert f"no system can reach more than nDCG@10 {most:.4f}" in str(check(tmp_path))
    rng = random.Random(1)
    for _ in range(30):
        run = {q: {d: rng.random() for d in NAMES if d not in gone} for q in grades}
        assert evaluate(judgments, {"r": run}, "nDCG@10").value("nDCG@10") <= best


LINES: list[Callable[[str], str]] = [
    lambda d: json.dumps({"_id": d, "text": "x"}),
    lambda d: json.dumps({"text": 'a "_id": "b"', "_id": d}, ensure_ascii=False),
    lambda d: json.dumps({"id": "no", "docno": d}),
    lambda d: f"{d}\ttitle\ttext",
    lambda d: d,
    lambda d: json.dumps({"_id": d}, separators=(",", ":"), ensure_ascii=False),
]
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=6)


@given(st.lists(TEXTS, min_size=1, max_size=8, unique=True), st.integers(0, 5), st.booleans())
@examples(120)
def test_names_of_every_form(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], form: int, squeezed: bool
) -> None:
    file = tmp_path_factory.mktemp("names") / "corpus"
    if form in (3, 4):
        names = [name for name in names if not name.startswith(("{", "\ufeff"))] or ["d"]
    data = "".join(LINES[form](name) + "\n" for name in names).encode()
    file.write_bytes(gzip.compress(data) if squeezed else data)
    wanted = {name.encode() for name in names}
    assert known_names(str(file), wanted | {b"not-there"}) == wanted


def test_what_cannot_be_the_corpus(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "corpus.jsonl").write_text('{"_id": "other"}\n')
    with pytest.raises(InputError, match=r"corpus\.jsonl: none of the \d+ judged documents is in it"):
        Collection(tmp_path)
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1"}\n{"title": "d2"}\n')
    with pytest.raises(InputError, match=r"corpus\.jsonl:2: no name among the keys"):
        Collection(tmp_path)
    (tmp_path / "corpus.jsonl").unlink()
    with pytest.raises(InputError, match=r"corpus\.jsonl: no such file"):
        Collection(tmp_path)
    assert len(Collection(tmp_path, stale="keep").judgments.grade) == 160
