"""Bundles: commands take the folder, changes are refused, and nobody is named."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import printed, refused, unjudged
from unjudged import InputError, Judgments, UsageError, calibrate, evaluate, sample
from unjudged.formats.bundles import JUDGMENTS, bundled
from unjudged.judging import Assignment, Bundle, Pool, assign, merge, read_assignment, read_sample
from unjudged.judging import sample as draw
from unjudged.uncertainty.calibration import Calibration

RUNS = [str(path) for path in sample.runs.values()]


def written(folder: Path, bundle: Bundle) -> Path:
    folder.mkdir()
    for name, text in bundle.texts().items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def stratified() -> Bundle:
    pool = Pool.of_runs(sample.runs, 20)
    drawn = replace(draw(pool, "stratified", 0.2, seed=3, top=5), made_by="sample --assessors ann,bob")
    truth = {
        (query, document): grade
        for (query, document), grade in zip(_names(Judgments.read(sample.qrels)), _grades(), strict=True)
    }
    answers = [
        (query, document, max(truth.get((query, document), 0), 0)) for query, document in drawn.to_judge()
    ]
    merged = merge(drawn, {"ann": answers}).judgments
    return Bundle(
        name="Small", judgments=merged, design=drawn, assignment=assign(drawn, ["ann", "bob"], twice=0.1)
    )


def _names(judgments: Judgments) -> list[tuple[str, str]]:
    return judgments.pooled.names(np.arange(len(judgments.grade)))


def _grades() -> list[int]:
    grades: list[int] = Judgments.read(sample.qrels).grade.tolist()
    return grades


def test_what_is_read_is_what_was_written(tmp_path: Path, stratified: Bundle) -> None:
    folder = written(tmp_path / "small", stratified)
    found, known = (evaluate(one, sample.runs, "xinfAP").means for one in (folder, stratified.judgments))
    assert np.array_equal(found, known)
    again, design = read_sample(folder), stratified.design
    assert design is not None
    assert (again.drawn == design.drawn).all()
    assert again.made_by == ""
    assert read_assignment(folder).rows()[0][1:] == ("a1", "own")


def test_nobody_is_named(stratified: Bundle) -> None:
    for text in stratified.texts().values():
        assert "ann" not in text.replace("anonymous", "").replace("cannot", "").split()
        assert "bob" not in text
        assert "--assessors" not in text


@pytest.mark.parametrize("file", ["judgments.txt", "design.txt", "assignment.tsv"])
def test_a_changed_file_is_refused(tmp_path: Path, stratified: Bundle, file: str) -> None:
    folder = written(tmp_path / "small", stratified)
    (folder / file).write_text((folder / file).read_text() + "# more\n")
    read: dict[str, Callable[[Path], object]] = {
        "judgments.txt": Judgments.read,
        "design.txt": read_sample,
        "assignment.tsv": read_assignment,
    }
    with pytest.raises(InputError, match=f"{file}: not the file that bundle.json lists"):
        read[file](folder)


@pytest.mark.parametrize(
    ("manifest", "problem"),
    [
        ("[]", "not the manifest"),
        ('{"schema": "unjudged bundle 1"}', "not the manifest"),
        ('{"schema": "unjudged bundle 2", "files": {}}', "a newer version"),
        ('{"schema": "unjudged bundle 1", "files": {}}', "has no judgments"),
        (
            '{"schema": "unjudged bundle 1", "files": {"judgments": {"file": "../x", "sha256": ""}}}',
            "not the name",
        ),
        ("[" * 100_000, "not the manifest"),
    ],
)
def test_hostile_manifests(tmp_path: Path, manifest: str, problem: str) -> None:
    (tmp_path / "bundle.json").write_text(manifest)
    with pytest.raises(InputError, match=problem):
        bundled(tmp_path, JUDGMENTS)


def test_the_page_is_written_from_the_data(stratified: Bundle) -> None:
    page = stratified.files()["readme"][1]
    judged = int((stratified.judgments.grade >= 0).sum())
    assert f"30 topics, {judged:,} judgments" in page
    assert "| infAP | not to be used: infAP needs a uniform sample" in page
    assert "| xinfAP | mean AP (these queries, the pool judged) |" in page
    assert "2 assessors judged whole topics; 30 topics had a second one" in page
    assert "was not measured" in page


def test_a_calibration_of_another_collection_is_refused(tmp_path: Path) -> None:
    judgments = Judgments.read(sample.qrels)
    made = calibrate(judgments, sample.runs, {name: name for name in sample.runs}, measures=["AP"])
    folder = written(tmp_path / "small", Bundle(name="Small", judgments=judgments, calibration=made))
    assert Calibration.load(folder) == made
    with pytest.raises((InputError, UsageError)):
        Bundle(name="Other", judgments=Judgments.of({"q": {"d": 1}}), calibration=made)


def test_the_command(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    options = ["--name", "Sample", "--year", "2026", "--depth", "20"]
    table = printed("bundle", str(folder), str(sample.qrels), *RUNS, *options, "--format", "csv")
    assert [line.split(",")[0] for line in table.splitlines()] == [
        "file",
        "judgments.txt",
        "citation.bib",
        "README.md",
    ]
    assert "reusable" in (folder / "README.md").read_text()
    assert json.loads((folder / "bundle.json").read_text())["name"] == "Sample"
    tables = [printed("evaluate", str(file), RUNS[0], "-m", "AP") for file in (folder, sample.qrels)]
    assert tables[0] == tables[1]
    assert "judgments" in printed("doctor", str(folder), RUNS[0])
    problem = refused(1, "bundle", str(folder), str(sample.qrels), "--name", "Other")
    assert "exists and has other content" in problem


def test_a_sample_is_published_without_reusability(tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.qrels"
    printed(
        "sample", str(sample.qrels), *RUNS, *("--design", "stratified", "--share", "0.4"), "-o", str(drawn)
    )
    made = unjudged("bundle", str(tmp_path / "made"), str(drawn), *RUNS)
    assert b"Reusability is not measured: leaving out pooled runs needs a pool" in made.stderr
    assert "was not measured" in (tmp_path / "made" / "README.md").read_text()
    estimated = unjudged("bundle", str(tmp_path / "estimated"), str(drawn), *RUNS, "-m", "xinfAP")
    assert b"not measured" not in estimated.stderr
    said = " ".join(printed("reusability", str(drawn), *RUNS, "-m", "xinfAP").split())
    page = " ".join((tmp_path / "estimated" / "README.md").read_text().split())
    (changes,) = re.findall(r"left out, a run's xinfAP changes by [0-9.]+% on average", said)
    assert changes in page


def test_numbers_instead_of_names() -> None:
    from unjudged.judging.collecting.bundle import anonymous

    made = anonymous(Assignment({"2": "zoe", "1": "ann"}, {"1": ["zoe"]}, 0.5))
    assert made.rows() == [("2", "a1", "own"), ("1", "a2", "own"), ("1", "a1", "second")]
    assert made.twice == 0.5
