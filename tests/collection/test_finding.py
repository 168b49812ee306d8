"""Where descriptions are found: in what was named, or in a folder and above it, but not too far up."""

from __future__ import annotations

from pathlib import Path

import pytest

from unjudged import InputError
from unjudged.collection.description import Description, Labels, description_above, description_of


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder that others share a machine with."""
    home = tmp_path / "home" / "ann"
    (home / "work" / "deep").mkdir(parents=True)
    monkeypatch.setattr(Path, "home", lambda: home)
    return home


def name_above(folder: Path) -> str | None:
    found = description_above(folder)
    assert found is None or found.found
    return None if found is None else found.name


def test_the_folder_itself_then_those_above(home: Path) -> None:
    assert name_above(home / "work" / "deep") is None
    (home / "collection.toml").write_text('name = "of home"')
    assert name_above(home / "work" / "deep") == "of home"
    (home / "work" / "collection.toml").write_text('name = "of work"')
    assert name_above(home / "work" / "deep") == "of work"
    (home / "work" / "deep" / "collection.toml").write_text('name = "deep"')
    assert name_above(home / "work" / "deep") == "deep"


def test_not_above_home_or_the_root_of_a_repository(home: Path) -> None:
    (home.parent / "collection.toml").write_text('name = "of all users"')
    assert name_above(home) is None
    assert name_above(home.parent) == "of all users"
    (home / "collection.toml").write_text('name = "of home"')
    (home / "work" / ".git").mkdir()
    assert name_above(home / "work" / "deep") is None
    (home / "work" / "collection.toml").write_text('name = "of work"')
    assert name_above(home / "work" / "deep") == "of work"


def test_elsewhere_only_the_folder_itself(home: Path, tmp_path: Path) -> None:
    """Anybody may write into folders such as /tmp."""
    (tmp_path / "collection.toml").write_text('name = "of anybody"')
    (tmp_path / "mine").mkdir()
    assert name_above(tmp_path / "mine") is None
    assert name_above(tmp_path) == "of anybody"


def test_where_nobody_has_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    (tmp_path / "collection.toml").write_text('name = "here"')
    assert name_above(tmp_path) == "here"


def test_the_file_is_named_as_seen_from_here(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "collection.toml").write_text('queries = "q.jsonl"\nby = 1')
    monkeypatch.chdir(home / "work")
    with pytest.raises(InputError, match=r"^\.\./collection\.toml:2: by is not a key"):
        description_above()
    (home / "collection.toml").write_text('queries = "q.jsonl"')
    found = description_above()
    assert found is not None
    assert (found.place.file, found.queries) == ("../collection.toml", "../q.jsonl")


def test_what_a_name_stands_for(tmp_path: Path) -> None:
    folder = tmp_path / "scifact"
    (folder / "qrels").mkdir(parents=True)
    assert description_of(folder) is None
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n")
    (folder / "queries.jsonl").write_text("{}")
    labels = (Labels(f"{folder}/qrels/test.tsv"),)
    assert description_of(folder) == Description("scifact", f"{folder}/queries.jsonl", judgments=labels)
    assert description_of(f"{folder}/qrels/test.tsv") is None
    assert description_of({"q": {"d": 1}}) is None
    (folder / "collection.toml").write_text('name = "described"')
    for named in (folder, f"{folder}/", f"{folder}/collection.toml", folder / "collection.toml"):
        found = description_of(named)
        assert found is not None
        assert (found.name, found.found) == ("described", False)
    dataset = "irds:beir/scifact/test"
    assert description_of(dataset) == Description(
        queries=dataset, documents=dataset, judgments=(Labels(dataset),)
    )
    with pytest.raises(InputError, match=r"none\.toml: no such file"):
        description_of("none.toml")
