"""A description of files reads back to what they are; what is not sure is a comment."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import InputError, UsageError, calibrate, compare, sample
from unjudged.collection.description import Description, Labels, ScoreTable
from unjudged.diagnosis.checking import check
from unjudged.diagnosis.describing import describe, write_description

QRELS = "q1 0 d1 1\nq1 0 d2 0\n"
RUN = "q1 Q0 d1 1 0.5 t\nq1 Q0 d2 2 0.4 t\n"
NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=20)


def uncommented(text: str) -> str:
    """The text with its guesses, which are what a reader may take them for."""
    first, *lines = text.split("\n")
    return "\n".join([first, *(line.removeprefix("# ") for line in lines)])


def test_the_sample(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "collection.toml"
    path.parent.mkdir()
    text = write_description([sample.qrels, *sample.runs.values()], path)
    assert path.read_text() == text
    found = Description.read(path)
    assert [Path(labels.file).resolve() for labels in found.judgments] == [sample.qrels]
    assert {name: Path(file).resolve() for name, file in found.runs.items()} == dict(sample.runs)
    assert str(compare(path)) == str(compare(sample.qrels, dict(sample.runs)))
    assert "# relevant = 2" in text
    assert '# how = "sample"  # a uniform sample, if the judged ones were drawn at random' in text
    path.write_text(uncommented(text))
    guessed = Description.read(path)
    assert (guessed.relevant, guessed.defaults.baseline) == (2, next(iter(sample.runs)))
    assert guessed.judgments[0].how == "sample"


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "collection.toml"
    path.write_text("name = 'mine'")
    with pytest.raises(UsageError, match=r"collection\.toml is there already: name a new file, or change"):
        write_description([sample.qrels], path)
    assert path.read_text() == "name = 'mine'"
    (tmp_path / "link.toml").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"link\.toml is there already"):
        write_description([sample.qrels], tmp_path / "link.toml")


def test_all_kinds_of_files(tmp_path: Path) -> None:
    def file(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return name

    names = [
        file("model.qrels", "q1 0 d1 1\n"),
        file("strata.qrels", "q1 0 d1 1 2\nq1 0 d2 1 0\nq1 0 d3 1 -1\n"),
        file("queries.jsonl", '{"_id": "q1", "text": "what is it"}\n'),
        file("corpus.jsonl", '{"_id": "d1", "text": "it is"}\n'),
        file("groups.txt", "a one\nb two\n"),
        file("scores.csv", "query,a,b\nq1,0.5,0.2\nq2,0.1,0.4\n"),
        file("a.run", RUN),
        file("b.run", RUN),
        file("page.html", "<!doctype html><p>x"),
    ]
    calibrate(sample.qrels, dict(sample.runs), "^(.)", "AP").save(tmp_path / "learnt.json")
    files = [str(tmp_path / name) for name in [*names, "learnt.json"]]
    path = tmp_path / "collection.toml"
    text = write_description(files, path)
    at = {name: str(tmp_path / name) for name in [*names, "learnt.json"]}
    assert Description.read(path) == Description(
        queries=at["queries.jsonl"],
        documents=at["corpus.jsonl"],
        groups=at["groups.txt"],
        judgments=(
            Labels(at["strata.qrels"], how="sample", calibration=at["learnt.json"]),
            Labels(at["model.qrels"], by="model", name="model"),
        ),
        runs={"a": at["a.run"], "b": at["b.run"]},
    )
    assert '\n# [scores]\n# file = ["scores.csv"]  # ' in text
    assert "page.html: it is a page of HTML" in text
    alone = tmp_path / "alone.toml"
    write_description([at["scores.csv"]], alone)
    assert Description.read(alone) == Description(scores=ScoreTable((at["scores.csv"],)))


def test_who_made_judgments_is_asked(tmp_path: Path) -> None:
    """Each answer is a command, and NAME=FILE or the name of a model in that of the file says it."""
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "b.qrels").write_text("q1 0 d1 0\nq1 0 d2 1\n")
    (tmp_path / "gpt-4.qrels").write_text("q1 0 d1 0\n")
    one, two, gpt = (str(tmp_path / f"{name}.qrels") for name in ("a", "b", "gpt-4"))
    asked = re.escape(
        f"A model: `unjudged check {one} model={two} -o collection.toml`. People: `unjudged merge"
    )
    with pytest.raises(UsageError, match=asked):
        describe([one, two])
    for words, name in (([one, f"model={two}"], "model"), ([gpt, one], "gpt-4")):
        path = tmp_path / f"{name}.toml"
        write_description(words, path)
        people, model = Description.read(path).judgments
        assert (people.file, people.by, model.by, model.name) == (one, "people", "model", name)
    assert [row["kind"] for row in check(gpt, one).rows["files"]] == ["labels by a model", "judgments"]
    assert [row["kind"] for row in check(gpt).rows["files"]] == ["judgments"]


def test_a_folder_of_beir_and_a_table_with_gaps(tmp_path: Path) -> None:
    (tmp_path / "set" / "qrels").mkdir(parents=True)
    lines = "".join(f"q{k}\td1\t1\n" for k in range(10))
    (tmp_path / "set" / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{lines}")
    (tmp_path / "set" / "corpus.jsonl").write_text('{"_id": "d1", "text": "it is"}\n')
    (tmp_path / "set" / "queries.jsonl").write_text('{"_id": "q1", "text": "what is it"}\n')
    path = tmp_path / "collection.toml"
    text = write_description([tmp_path / "set"], path)
    found = Description.read(path)
    assert found.queries == f"{tmp_path}/set/queries.jsonl"
    assert found.documents == f"{tmp_path}/set/corpus.jsonl"
    assert '# how = "positives"' in text
    with pytest.raises(UsageError, match=r"collection\.toml is a description already: change it by hand"):
        describe([path])
    (tmp_path / "gaps.csv").write_text(
        "query,system,recall,p50\nq1,a,0.5,9\nq1,b,0.2,8\nq2,a,,7\nq2,b,0.1,6\n"
    )
    gaps = tmp_path / "gaps.toml"
    gaps.write_text(uncommented(write_description([tmp_path / "gaps.csv"], tmp_path / "scores.toml")))
    assert Description.read(gaps).scores == ScoreTable(
        (f"{tmp_path}/gaps.csv",), missing="zero", lower=("recall", "p50")
    )


def test_several_runs_of_one_name_or_in_one_file(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bm25.run").write_text(RUN)
    (tmp_path / "two.csv").write_text("run,query,doc_id,score\nr1,q1,d1,0.5\nr2,q1,d1,0.5\n")
    files = [f"{tmp_path}/x/bm25.run", f"{tmp_path}/y/bm25.run"]
    write_description(files, tmp_path / "c.toml")
    assert list(Description.read(tmp_path / "c.toml").runs.values()) == files
    files.append(f"{tmp_path}/two.csv")
    write_description(files, tmp_path / "d.toml")
    assert Description.read(tmp_path / "d.toml").runs == tuple(files)


def test_what_cannot_be_described(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a description names files, and standard input is none"):
        describe(["-"])
    with pytest.raises(InputError, match=r"none\.run: no such file"):
        describe([tmp_path / "none.run"])


@given(NAMES, st.lists(NAMES, min_size=1, max_size=3, unique=True))
@examples(60)
def test_any_names_read_back(tmp_path_factory: pytest.TempPathFactory, qrels: str, runs: list[str]) -> None:
    folder = tmp_path_factory.mktemp("described")
    names = [qrels, *runs]
    assume(len({name.casefold() for name in names}) == len(names))
    assume(not qrels.endswith(".toml"))  # that is a description
    try:
        for name in names:
            (folder / name).write_text(QRELS if name == qrels else RUN)
    except OSError:  # no file can have this name
        assume(False)
    files = [f"{folder}/{name}" for name in names]
    text = describe(files, str(folder))
    tomllib.loads(uncommented(text))
    path = folder / "collection.toml.toml"
    path.write_text(text, "utf-8")
    found = Description.read(path)
    assert [labels.file for labels in found.judgments] == [f"{folder}/{qrels}"]
    assert list(found.runs.values()) == [f"{folder}/{name}" for name in runs]
