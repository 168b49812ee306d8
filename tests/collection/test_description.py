"""Descriptions of collections: what each key takes, and errors with file, line, key and the nearest word."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import InputError, UnjudgedError, UsageError
from unjudged.collection.description import (
    Defaults,
    Description,
    Labels,
    ScoreTable,
    description_above,
    description_of,
)
from unjudged.collection.description_keys import line_of

EXAMPLE = """\
name = "support-search"
queries = "queries.jsonl"              # texts, for pages
documents = "corpus.jsonl"
relevant = 2
segments = "queries.jsonl:intent"
code = "my_measures.py"
groups = "(.*?)-"

[[judgments]]
file = "qrels/test.tsv"
by = "people"
how = "pool"
depth = 10
pooled = ["bm25"]
conflicts = "error"
[[judgments]]
file = "labels/umbrela.qrels"
by = "model"
name = "umbrela"

[runs]
bm25 = "runs/bm25.run"
dense = "runs/dense.run.gz"

[defaults]
measures = ["nDCG@10", "R@100"]
baseline = "bm25"
margin = { "nDCG@10" = 0.01 }
"""


def read(folder: Path, text: str | bytes) -> Description:
    """The description with this text; errors name its file alone."""
    file = folder / "collection.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    try:
        return Description.read(file)
    except InputError as error:
        error.source = Path(error.source).name
        raise


def test_every_key_of_the_example(tmp_path: Path) -> None:
    inside = str(tmp_path) + "/"
    assert read(tmp_path, EXAMPLE) == Description(
        name="support-search",
        queries=f"{inside}queries.jsonl",
        documents=f"{inside}corpus.jsonl",
        relevant=2.0,
        segments=f"{inside}queries.jsonl:intent",
        code=f"{inside}my_measures.py",
        groups="(.*?)-",
        judgments=(
            Labels(f"{inside}qrels/test.tsv", "people", "", "pool", 10, ("bm25",), None, "error"),
            Labels(f"{inside}labels/umbrela.qrels", "model", "umbrela"),
        ),
        runs={"bm25": f"{inside}runs/bm25.run", "dense": f"{inside}runs/dense.run.gz"},
        defaults=Defaults(("nDCG@10", "R@100"), "bm25", {"nDCG@10": 0.01}),
    )


def test_names_of_files_are_relative_to_the_description(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'runs = ["-", "irds:x/y", "/all/a.run", "b.run"]\n[[judgments]]\nfile = "-"'
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "collection.toml").write_text(text)
    monkeypatch.chdir(tmp_path / "sub")
    found = Description.read("collection.toml")
    assert found.runs == ("./-", "irds:x/y", "/all/a.run", "b.run")
    assert found.judgments[0].file == "./-"  # never standard input
    monkeypatch.chdir(tmp_path)
    assert Description.read("sub/collection.toml").runs[-1] == "sub/b.run"


def test_scores_and_a_single_table_of_judgments(tmp_path: Path) -> None:
    scores = (
        '[scores]\nfile = ["a.csv", "b.csv"]\nlower = ["p50_latency"]\nmissing = "drop"\nrange = [0, 100]'
    )
    found = read(tmp_path, scores)
    assert found.scores == ScoreTable(
        (f"{tmp_path}/a.csv", f"{tmp_path}/b.csv"),
        lower=("p50_latency",),
        missing="drop",
        range=(0.0, 100.0),
    )
    assert read(tmp_path, '[judgments]\nfile = "q"\n').judgments == (Labels(f"{tmp_path}/q"),)


WRONG = {
    'how = "pool"|how = "pol"': "12: judgments.how is 'pol', expected one of pool, sample, sample per query, "
    "chosen, positives, unknown; did you mean pool?",
    'by = "model"|by = 1': "18: judgments.by is 1, expected one of people, model",
    "relevant|relevent": "4: relevent is not a key; did you mean relevant?",
    "depth = 10|deptth = 10": "13: judgments.deptth is not a key of judgments; did you mean depth?",
    "depth = 10|depth = 0": "13: judgments.depth is 0, expected a whole number of at least 1",
    "0.01|true": "28: defaults.margin.nDCG@10 is True, expected a number of at least 0",
    "dense =|dense.x =": "23: runs.dense is {'x': ",
    "relevant = 2|relevant = 2 2": "4: not TOML: Expected newline or end of document after a statement",
    "[defaults]|[defaults]\nalpha = 1": "26: defaults.alpha is 1, expected a number above 0 and below 1",
    "relevant = 2|clusters = 1": "4: clusters is 1, expected a text",
    "[defaults]|[scores]\nfile = 'x'\n[defaults]": "25: scores and judgments cannot be used together yet",
    '[[judgments]]\nfile = "qrels/test.tsv"|[[judgments]]': "9: judgments has no file: say which",
    'by = "model"|by = "model"\nhow = "pool"': "19: judgments.how is about judgments by people: omit it",
    'name = "umbrela"|name = "a\\u0000"': "19: judgments.name is 'a\\x00', expected a text",
    "relevant = 2|relevant = = 2": "4: not TOML: ",
    "relevant = 2|relevant = 1979-05-27": "4: relevant is datetime.date(1979, 5, 27), expected a number of",
    "relevant = 2|relevant = nan": "4: relevant is nan, expected a number of at least 0",
}


@pytest.mark.parametrize("change", WRONG)
def test_errors_say_where_and_what(tmp_path: Path, change: str) -> None:
    before, after = change.split("|")
    assert before in EXAMPLE
    with pytest.raises(InputError) as caught:
        read(tmp_path, EXAMPLE.replace(before, after, 1))
    assert str(caught.value).startswith(f"collection.toml:{WRONG[change]}")


def test_what_is_set_beside_the_file(tmp_path: Path) -> None:
    found = read(tmp_path, EXAMPLE.partition('[[judgments]]\nfile = "labels')[0] + "[runs]\na = 'a.run'")
    changed = found.override(
        "relevant=3", "name = other", "defaults.baseline=bm25", "judgments.how='chosen'", "runs.b=b.run"
    )
    assert (changed.relevant, changed.name, changed.defaults.baseline) == (3, "other", "bm25")
    assert (changed.judgments[0].how, changed.judgments[0].depth) == ("chosen", 10)
    assert changed.runs == {"a": f"{tmp_path}/a.run", "b": "b.run"}
    assert found.override() == found
    for setting, problem in {
        "relevent=3": r"relevent is not a key; did you mean relevant\?",
        "relevant=abc": "relevant is 'abc', expected a number of at least 0",
        "judgments=3": "judgments is 3, expected a table with file, by",
        "relevant": "'relevant' sets nothing, expected KEY=VALUE such as relevant=2",
        "a b=1": "'a b=1' sets nothing",
        "=1": "'=1' sets nothing",
    }.items():
        with pytest.raises(UsageError, match=problem):
            found.override(setting)


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none().map(lambda _: 1) | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from([*Description.__dataclass_fields__, *Labels.__dataclass_fields__, "clusters", "é", ""])
TREES = st.dictionaries(KEYS, VALUES | st.dictionaries(KEYS, VALUES, max_size=4), max_size=5)


def written(value: Any) -> str:
    """The value in TOML, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)} = {written(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return quoted(value) if isinstance(value, str) else str(value).lower()


def quoted(text: str) -> str:
    """A text in TOML, which escapes what JSON does, and one character more."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@given(TREES)
@example(tree={"columns": {"\n": 1}})
@examples(300)
def test_no_tree_of_values_crashes(tmp_path_factory: pytest.TempPathFactory, tree: dict[str, Any]) -> None:
    text = "\n".join(f"{quoted(key)} = {written(value)}" for key, value in tree.items())
    try:
        read(tmp_path_factory.getbasetemp(), text)
    except UnjudgedError as error:
        assert str(error).isprintable()


@given(st.text(), st.integers(0, len(EXAMPLE)))
@examples(300)
def test_no_text_crashes(tmp_path_factory: pytest.TempPathFactory, text: str, place: int) -> None:
    for changed in (text, EXAMPLE[:place] + text + EXAMPLE[place:]):
        try:
            read(tmp_path_factory.getbasetemp(), changed)
        except UnjudgedError as error:
            assert str(error).isprintable()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a = " + "[" * 100_000, "not TOML: lists or tables too deep in each other"),
        ("a" + ".a" * 100_000 + " = 1", "1: a name with 64 dots, expected keys of one or two parts"),
        ("relevant = " + "9" * 5000, "not TOML: Exceeds the limit"),
        ("relevant = 1" + "0" * 400, "1: relevant is "),
        ("#" * (1 << 20) + "\n", "larger than 1 MB, expected a description of a collection"),
        (b"name = '\xff'", "not UTF-8 text, expected a description of a collection"),
        ("name = '\0'", "1: not TOML: "),
    ],
)
def test_hostile_files(tmp_path: Path, text: str | bytes, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert problem in str(caught.value)
    assert len(str(caught.value)) < 300


NAMES = st.text("ab-_1 .\"'\\#=[]é", min_size=1, max_size=4)
TEXTS = st.text("ab\n#=\"'[]\\ é", max_size=8)


@st.composite
def tables_with_lines(draw: st.DrawFn) -> tuple[str, dict[tuple[str | int, ...], int]]:
    """A document, and the line of every key in it."""
    lines: list[str] = []
    known: dict[tuple[str | int, ...], int] = {}

    def add_keys(path: tuple[str | int, ...], taken: set[str]) -> None:
        for key in draw(st.lists(NAMES.filter(lambda k: k not in taken), max_size=3, unique=True)):
            lines.extend(draw(st.lists(st.sampled_from(["", "# [x]", "  # a = 1"]), max_size=1)))
            known[*path, key] = len(lines) + 1
            value = draw(TEXTS)
            if draw(st.booleans()):
                body = value.replace("\\", "\\\\").replace('"""', "").replace('"', '\\"')
                lines.extend(f'{quoted(key)} = """{body}"""'.split("\n"))
            else:
                lines.extend(f"  {quoted(key)} = [\n  {quoted(value)},\n]".split("\n"))

    names = draw(st.lists(NAMES, max_size=4, unique=True))
    add_keys((), set(names))
    for name in names:
        if draw(st.booleans()):
            known[name,] = len(lines) + 1
            lines.append(f"[ {quoted(name)} ]")
            add_keys((name,), set())
        else:
            for k in range(draw(st.integers(1, 3))):
                known[name, k] = len(lines) + 1
                lines.append(f"[[{quoted(name)}]] # more")
                add_keys((name, k), {"in"})
                known[name, k, "in"] = len(lines) + 1
                lines.append(f"[{quoted(name)}.in]")
    return "\n".join(lines), known


@given(tables_with_lines())
def test_the_line_of_a_key(made: tuple[str, dict[tuple[str | int, ...], int]]) -> None:
    text, known = made
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assume(False)
    for path, line in known.items():
        assert line_of(text, path) == line, (path, text)
        assert line_of(text, (*path, "none")) == line


def test_lines_of_tables_within_a_line() -> None:
    text = 'a.b = 1\n[t]#"""\nm = { "x" = 1 }\nlist = [\n  { y = 1 },\n]\n[t.u]\nv.w = 2'
    assert line_of(text, ("a", "b")) == 1
    assert line_of(text, ("t", "m", "x")) == 3
    assert line_of(text, ("t", "list", 0, "y")) == 4
    assert line_of(text, ("t", "u", "v", "w")) == 8
    assert line_of(text, ("none",)) is None


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
