"""What `merge` writes is entered in the description of its folder, which further commands then use."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cli.in_process import everything, unjudged
from tests.report.test_page import read
from unjudged import Collection, Judgments
from unjudged.collection.description_keys import with_table

TEXT = """# ours
[[judgments]]
file = "qrels.txt"  # by the team
how = "pool"
depth = 10

[[judgments]]
file = "labels.qrels"
by = "model"
name = "umbrela"

[runs]
dense = "dense.run"   # new
fused = "fused.run"
"""


def grades(judgments: Judgments) -> dict[tuple[str, str], int]:
    names = judgments.pooled.names(np.arange(len(judgments.grade)))
    return dict(zip(names, judgments.grade.tolist(), strict=True))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A collection with a pool, the labels of a model, and the answers of people."""
    monkeypatch.chdir(tmp_path)
    assert unjudged("demo", "--files", "all").returncode == 0
    (tmp_path / "ours").mkdir()
    for name in ("qrels.txt", "answers.qrels", "dense.run", "fused.run"):
        (tmp_path / "all" / name).rename(tmp_path / "ours" / name)
    monkeypatch.chdir(tmp_path / "ours")
    answers = Judgments.read("answers.qrels")
    wrong = [f"{q} 0 {d} {0 if d.endswith('3') else g}\n" for (q, d), g in grades(answers).items()]
    Path("labels.qrels").write_text("".join(wrong))
    Path("collection.toml").write_text(TEXT)
    return tmp_path / "ours"


@pytest.mark.usefixtures("folder")
def test_the_loop_needs_no_further_word() -> None:
    drawn = everything("next", "--design", "holes(50)", "-o", "to-judge.sample")
    assert "Next: unjudged judge to-judge.sample -o to-judge.html unjudged merge to-judge.sample" in drawn
    assert "-o judged.sample unjudged compare " in drawn
    everything("judge", "to-judge.sample", "-o", "page.html")
    before = everything("compare")
    merged = everything("merge", "to-judge.sample", "answers.qrels", "-o", "judged.sample")
    assert "collection.toml has judged.sample among its judgments. Next: unjudged compare " in merged
    assert (
        Path("collection.toml").read_text()
        == TEXT + '\n[[judgments]]\nfile = "judged.sample"\nby = "people"\n'
    )
    after = everything("compare")
    assert "unjudged documents checked" not in before
    assert "50 of " in after
    assert "unjudged documents checked: nDCG@10 of dense" in after
    collection = Collection("collection.toml")
    assert [*collection.predictions] == ["umbrela"]
    assert (collection.judgments.frame, collection.judgments.origin.depth) != (None, None)
    for command in ("evaluate", "gate"):
        assert b"50 of 204 unjudged documents checked" in unjudged(command).stderr
    everything("report", "-o", "page.html")
    notes = read(Path("page.html").read_text())["notes"]
    assert any("50 of 204 unjudged documents checked" in note for note in notes)
    named = everything("compare", "judged.sample", "labels.qrels", "dense.run", "fused.run")
    pairs = [text.partition("difference ")[2].split()[0] for text in (named, after)]
    assert pairs[0] == pairs[1]


@pytest.mark.usefixtures("folder")
def test_a_file_is_entered_once_and_goes_on() -> None:
    everything("next", "--design", "holes(20)", "-o", "to-judge.sample")
    for _ in range(2):
        everything("merge", "to-judge.sample", "answers.qrels", "-o", "judged.sample")
    once = Path("collection.toml").read_text()
    assert once.count("[[judgments]]") == 3
    everything("next", "--design", "holes(20)", "-o", "more.sample")
    merged = everything("merge", "more.sample", "answers.qrels", "-o", "other.sample")
    assert "collection.toml has other.sample among its judgments" in merged
    assert Path("collection.toml").read_text() == once.replace("judged.sample", "other.sample")
    frame = Collection("collection.toml").judgments.frame
    assert frame is not None
    assert frame.drawn.sum() == 40


@pytest.mark.usefixtures("folder")
def test_further_judgments_of_the_pool_are_entered_file_by_file() -> None:
    for k, name in enumerate(("judged.qrels", "judged-2.qrels"), 1):
        said = everything("next", "-n", "5", "-o", "to-judge.qrels")
        assert f"to-judge.qrels -o {name}" in said
        to_judge, answers = Judgments.read("to-judge.qrels"), Judgments.read("answers.qrels")
        known = grades(answers)
        Path("done.qrels").write_text(
            "".join(f"{q} 0 {d} {known.get((q, d), 0)}\n" for q, d in grades(to_judge))
        )
        first = "qrels.txt" if k == 1 else "judged.qrels"
        everything("merge", first, "done.qrels", "-o", name)
        assert Path("collection.toml").read_text().count("[[judgments]]") == 2 + k
    assert (Collection("collection.toml").judgments.grade >= 0).sum() == (
        Judgments.read("judged-2.qrels").grade >= 0
    ).sum()


def test_other_judgments_are_not_entered(folder: Path) -> None:
    everything("merge", "qrels.txt", "qrels.txt", "-o", "same.qrels")
    (folder / "one.qrels").write_text("q01 0 d001 1\n")
    (folder / "two.qrels").write_text("q01 0 d002 1\n")
    everything("merge", "one.qrels", "two.qrels", "-o", "both.qrels")
    (folder / "changed.qrels").write_text(
        "".join(f"{line.rsplit(' ', 1)[0]} 2\n" for line in Path("qrels.txt").read_text().splitlines())
    )
    everything("merge", "qrels.txt", "changed.qrels", "--conflicts", "last", "-o", "corrected.qrels")
    everything(
        "merge", "qrels.txt", "one.qrels", "--conflicts", "last", "-o", str(folder.parent / "away.qrels")
    )
    assert Path("collection.toml").read_text() == TEXT


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "form", ["[judgments]\nfile = 'qrels.txt'\n", "judgments = [{ file = 'qrels.txt' }]\n"]
)
def test_other_forms_of_judgments(form: str) -> None:
    Path("collection.toml").write_bytes(f"{form}[runs]\r\ndense = 'dense.run'".encode())
    everything("next", "--design", "holes(5)", "-o", "to-judge.sample")
    asked = ("merge", "to-judge.sample", "answers.qrels", "-o", "judged.sample")
    if form.startswith("["):
        everything(*asked)
        assert b"\r\n\r\n[[judgments]]\r\n" in Path("collection.toml").read_bytes()
        assert len(Collection("collection.toml").described.judgments) == 2
    else:
        done = unjudged(*asked)
        assert (done.returncode, b"write them so" in done.stderr) == (1, True)
        assert len(Collection("collection.toml").described.judgments) == 1


LINES = st.sampled_from(["# [b]", "a = 1  # one", "[[b]]", 'c = "d"', "[x]", "", "y = '''", "[b]", "'''"])


@given(st.lists(LINES).map("\n".join), st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
@example("[b] # ours", 'a\x7f"\\\n')
@example("[b]\ny = '''\n[b]\n'''", "d")
@example("[[b]]\ny = '''\n[b]\n'''", "d")
def test_a_table_more_changes_nothing_else(text: str, value: str) -> None:
    try:
        before = tomllib.loads(text)
        after = tomllib.loads(with_table(text, "b", {"c": value}))
    except tomllib.TOMLDecodeError:
        return
    tables = before.pop("b", [])
    assert after.pop("b") == [*(tables if isinstance(tables, list) else [tables]), {"c": value}]
    assert before == after
