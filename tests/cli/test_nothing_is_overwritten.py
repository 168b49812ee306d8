"""No spelling of any option of any command replaces a file that the command reads."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.cli.declared import REFUSED, declared, line_of, oddly_spelt, spelt, words_of
from tests.cli.in_process import refused, unjudged
from tests.conftest import examples
from unjudged import sample
from unjudged.cli.commands import COMMANDS
from unjudged.cli.help_pages import About
from unjudged.cli.option import Parameter

QRELS, RUN, OTHER = (str(path) for path in (sample.qrels, sample.runs["fused"], sample.runs["dense"]))
TEXT = "q01 0 d1 1\n"
NOT_FILES = {
    *(
        "name",
        "names",
        "title",
        "baseline",
        "leave_out",
        "measure",
        "against",
        "design",
    ),
    *("statistics", "strata", "share", "depth", "twice", "prevalence", "grades", "columns", "qrels_columns"),
    *("caption", "label", "show_names", "order"),
    *("value_range", "old", "new", "collection", "assessors", "margin", "lower"),
}
"""Parameters whose value is a text, but not the name of a file."""


READ_BY = {
    name: [one for one in declared(name) if one.option.reads and one.name != "_load"] for name in COMMANDS
}
"""What a command reads; code is loaded before, and has a test of its own."""
WRITTEN_BY = {
    name: [one for one in declared(name) if one.option.writes and not one.positional] for name in COMMANDS
}


@pytest.mark.parametrize("command", COMMANDS)
def test_parameters_that_may_name_files_are_declared(command: str) -> None:
    for one in declared(command):
        takes_text = "Literal" not in str(one.hint) and re.search(r"\bstr\b|\bPath\b", str(one.hint))
        option = one.option
        known = option.reads or option.writes or option.read is not None or bool(option.choices)
        assert bool(takes_text and not known) <= (one.name in NOT_FILES), one.name


@pytest.mark.parametrize("command", COMMANDS)
def test_every_parameter_is_explained(command: str) -> None:
    """In the docstring of the command or of a group of options, or by an option that commands share."""
    assert [name for name, text in About(COMMANDS[command].function).of.items() if not text] == []


def named(folder: Path, file: Path) -> list[str]:
    """Other names of a file."""
    links = folder / "links"
    links.mkdir(exist_ok=True)
    soft, softer, hard = (links / f"{kind}-{file.name}" for kind in ("soft", "softer", "hard"))
    if not soft.exists():
        soft.symlink_to(file)
        softer.symlink_to(soft)
        hard.hardlink_to(file)
    return [str(file), file.name, f"./{file.name}", f"links/../{file.name}", *map(str, (soft, softer, hard))]


def drawn_line(
    command: str, folder: Path, data: st.DataObject
) -> tuple[list[str], Parameter, str, dict[str, Path]]:
    """A line that reads every file, and an option that writes with another name of one of these files."""
    files = {one.name: folder / f"{one.name}.txt" for one in READ_BY[command]}
    for path in files.values():
        path.write_text(TEXT)
    read = data.draw(st.sampled_from(READ_BY[command]))
    written = data.draw(st.sampled_from(WRITTEN_BY[command]))
    names = named(folder, files[read.name])
    given_as, target = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
    words = line_of(command, {name: str(path) for name, path in files.items()} | {read.name: given_as})
    for other in WRITTEN_BY[command]:
        if other.needed and other is not written:
            words += words_of(other, "page.html")
    return words, written, target, files


WRITING = [name for name in COMMANDS if READ_BY[name] and WRITTEN_BY[name]]
TRIED = examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("command", WRITING)
@TRIED
@given(data=st.data())
def test_nothing_that_is_read_is_replaced(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    monkeypatch.chdir(tmp_path)
    words, written, target, files = drawn_line(command, tmp_path, data)
    words += data.draw(st.sampled_from(spelt(written, target, command)))
    done = unjudged(*words)
    assert done.returncode == REFUSED[command][0], (words, done.stderr)
    assert b"is read by this command" in done.stderr, (words, done.stderr)
    assert all(path.read_text() == TEXT for path in files.values())


@pytest.mark.parametrize("command", WRITING)
@TRIED
@given(data=st.data())
def test_odd_spellings_replace_nothing_either(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    """Abbreviations, repeated options and the like, wherever they stand, are refused or read as meant.

    `-o:qrels.txt` is meant: it writes `:qrels.txt`.
    """
    monkeypatch.chdir(tmp_path)
    words, written, target, files = drawn_line(command, tmp_path, data)
    way = data.draw(st.sampled_from(oddly_spelt(written, target, "new.csv", command)))
    at = data.draw(st.sampled_from([len(command.split()), len(words)]))
    done = unjudged(*words[:at], *way, *words[at:])
    assert done.returncode in (0, *REFUSED[command]), (words, way, done.stderr)
    assert done.returncode == 0 or done.stderr.startswith(b"unjudged: "), (words, way, done.stderr)
    assert all(path.read_text() == TEXT for path in files.values())


@pytest.mark.parametrize("spelling", ["-oQ", "-o=Q", "-qoQ", "--output=Q", "-o Q", "-qo Q", "--output Q"])
def test_the_spellings_that_replaced_the_judgments(tmp_path: Path, spelling: str) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_bytes(Path(QRELS).read_bytes())
    said = refused(2, "evaluate", str(qrels), RUN, *spelling.replace("Q", str(qrels)).split())
    assert said == f"{qrels} is read by this command: write to another file"
    assert qrels.read_bytes() == Path(QRELS).read_bytes()


def test_standard_input_is_not_replaced(tmp_path: Path) -> None:
    """`unjudged evaluate - a.run -o qrels.txt < qrels.txt`."""
    qrels = tmp_path / "qrels.txt"
    qrels.write_bytes(Path(QRELS).read_bytes())
    for name in ("-", "/dev/stdin") if os.path.exists("/dev/stdin") else ("-",):
        with qrels.open("rb") as stream:
            words = [sys.executable, "-m", "unjudged", "evaluate", name, RUN, "-o", str(qrels)]
            done = subprocess.run(words, stdin=stream, capture_output=True, check=False)
        assert (done.returncode, qrels.read_bytes()) == (2, Path(QRELS).read_bytes())


def test_loaded_code_is_not_replaced(tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    lines = ["def NotReplaced(r):", '    """Nothing."""', "    return r.retrieved * 0.0"]
    code.write_text("\n".join(["from unjudged import measure", "@measure()", *lines, ""]))
    for way in (["-o", str(code)], [f"-o{code}"], [f"--output={code}"]):
        said = refused(2, "evaluate", QRELS, RUN, "--load", str(code), "-m", "NotReplaced", *way)
        assert said == f"{code} is read by this command: write to another file"


def test_files_of_a_collection_are_not_replaced(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_bytes(Path(QRELS).read_bytes())
    one, other = f"one={qrels}:{RUN},{OTHER}", f"other={QRELS}:{RUN},{OTHER}"
    said = refused(2, "collections", one, other, "-o", str(qrels))
    assert said == f"{qrels} is read by this command: write to another file"
    assert qrels.read_bytes() == Path(QRELS).read_bytes()


def test_judgments_in_the_name_of_a_measure_are_not_replaced(tmp_path: Path) -> None:
    complete = tmp_path / "complete.qrels"
    complete.write_bytes(Path(QRELS).read_bytes())
    said = refused(2, "evaluate", QRELS, RUN, "-m", f"infAP(actual='{complete}')", f"-o{complete}")
    assert said.endswith("is read by this command: write to another file")
