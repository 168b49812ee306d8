"""Grades as a list or from a file, and images from a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from unjudged import InputError, UsageError
from unjudged.judging.collecting.judging_page import Grade, read_scale
from unjudged.judging.collecting.texts import Image, read_images

PNG = b"\x89PNG\r\n\x1a\n..."


def test_a_list_and_a_file(tmp_path: Path) -> None:
    assert read_scale("0, 2,1") == {
        0: Grade("not relevant"),
        1: Grade("relevant"),
        2: Grade("highly relevant"),
    }
    file = tmp_path / "grades.tsv"
    file.write_text("# ours\n1\tuseful\tAnswers\tpartly.\n0\tuseless\n\n")
    assert list(read_scale(str(file)).items()) == [
        (0, Grade("useless")),
        (1, Grade("useful", "Answers\tpartly.")),
    ]


@pytest.mark.parametrize("given", ["1", "0,10", "-1,0", "0,1.5", ""])
def test_lists_that_are_refused(given: str) -> None:
    with pytest.raises(UsageError, match="from 0 to 9"):
        read_scale(given)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0\tno\n12\tyes\n", "grades.tsv:2: '12.*from 0 to 9"),
        ("0 no\n1 yes\n", "grades.tsv:1: .*a tab"),
        ("0\t\n", "its label"),
        ("0\tno\n0\tyes\n", "grades.tsv:2: grade 0 comes twice"),
        ("0\tno\n", "1 grades, expected two"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "grades.tsv").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_scale(str(tmp_path / "grades.tsv"))


def test_images_by_name_and_by_document(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(PNG)
    folder = tmp_path / "images"
    folder.mkdir()
    for name in ("a.png", "b", "shared.png"):
        (folder / name).write_bytes(PNG)
    named = {"a": (), "b": (), "c": ("shared.png", "lost.png"), "d": ("../secret.png",), "../secret": ()}
    found, missing = read_images(folder, named)
    source = "data:image/png;base64,iVBORw0KGgouLi4="
    assert found == {
        "a": [Image("a.png", source)],
        "b": [Image("b", source)],
        "c": [Image("shared.png", source)],
    }
    assert missing == ["lost.png", "../secret.png"]
    (folder / "e.png").write_text("<svg onload=alert(1)>")
    with pytest.raises(InputError, match=r"e\.png: not an image: expected PNG"):
        read_images(folder, {"e": ()})
