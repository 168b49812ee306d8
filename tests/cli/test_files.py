"""Files that commands write: whole or not at all, and never over what is read, however it is spelt."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.cli.in_process import printed, refused, unjudged
from tests.conftest import examples
from unjudged import sample
from unjudged.base.errors import UnjudgedError
from unjudged.cli.command_line import command_named, parsed
from unjudged.cli.commands import COMMANDS
from unjudged.data.sources import in_shell

QRELS, RUN, OTHER = (str(path) for path in (sample.qrels, sample.runs["fused"], sample.runs["dense"]))
FILES = ("qrels", "a", "b", "predicted", "kinds", "calibration")
SETTINGS = ("segments=kinds", "judgments.calibration=calibration")
READING = [name for name in COMMANDS if command_named(name).usage.startswith("[SOURCE")]
TRIED = examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def names_of(folder: Path, file: str) -> list[str]:
    """Other names of a file."""
    links = folder / "links"
    links.mkdir(exist_ok=True)
    soft, softer, hard = (links / f"{kind}-{file}" for kind in ("soft", "softer", "hard"))
    if not soft.exists():
        soft.symlink_to(folder / file)
        softer.symlink_to(soft)
        hard.hardlink_to(folder / file)
    return [file, f"./{file}", f"links/../{file}", str(folder / file), *map(str, (soft, softer, hard))]


@pytest.mark.parametrize("command", READING)
@TRIED
@given(data=st.data())
def test_nothing_that_is_read_is_replaced(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    """By any name and any spelling of any option that writes, wherever it stands."""
    monkeypatch.chdir(tmp_path)
    for file in FILES:
        Path(file).write_text("q01 0 d1 1\n")
    read = data.draw(st.sampled_from(FILES))
    names = names_of(tmp_path, read)
    given_as, target = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
    settings = [part for one in SETTINGS for part in ("--set", one)]
    words = [
        before + equals + (given_as if file == read else file)
        for before, equals, file in split(["model=predicted", *settings])
    ]
    options = [one for one in command_named(command).options if one.writes]
    one = data.draw(st.sampled_from(options))
    name = data.draw(st.sampled_from(one.names))
    together = [] if name.startswith("--") else [[f"{name}{target}"]]
    way = data.draw(st.sampled_from([[name, target], [f"{name}={target}"], *together]))
    more = [] if one.name == "output" else ["-o", "new.html"]
    at = data.draw(st.sampled_from([0, 3, len(words)]))
    done = unjudged(command, *words[:at], *way, *words[at:], *more)
    assert done.returncode == (3 if command == "gate" else 2), (words, way, done.stderr)
    expected = b"is read by this command" if one.name == "output" else b""
    assert expected in done.stderr
    assert all((tmp_path / file).read_text() == "q01 0 d1 1\n" for file in FILES)


def split(settings: list[str]) -> list[tuple[str, str, str]]:
    """Return the words of a line, divided before the file that each ends in."""
    return [word.rpartition("=") for word in [*FILES[:3], *settings]]


TYPED = """a.qrels b.run AP csv tag 5 -1 0.5 evaluate -m --measure - -- --format --format=csv -mAP -k5 --seed
    --seed=1 -k=3 --set a=b -v"""
WORDS = [*TYPED.split(), "", "--x y"]


@given(st.sampled_from(COMMANDS), st.lists(st.sampled_from(WORDS), max_size=8))
def test_any_line_is_parsed_or_refused(command: str, words: list[str]) -> None:
    try:
        assert parsed(command, words).words is not None
    except UnjudgedError as refused_with:
        assert str(refused_with).isprintable()


def test_a_recorded_command_is_the_same_call() -> None:
    words = ["a.qrels", "a name.run", "--set", "relevant=2", "-m", "AP", "-o", "out.csv"]
    program, name, *again = shlex.split(parsed("compare", words).line)
    assert (program, name, again) == ("unjudged", "compare", words)


def test_all_files_of_a_kind_in_a_folder_are_written_as_a_pattern(tmp_path: Path) -> None:
    """Fewer are named, and so are files of an odd name, in another order, or without a suffix."""
    runs = [str(tmp_path / f"{name}.run") for name in "abcd"]
    for run in runs:
        Path(run).touch()
    assert in_shell(["q.txt", *runs, "-m", "AP"]) == f"q.txt {tmp_path}/*.run -m AP"
    for words in (runs[:3], runs[::-1], [*runs[:3], "e.run"], ["a", "b", "c", "d"]):
        assert shlex.split(in_shell(words)) == words
    (tmp_path / ".hidden.run").touch()
    assert in_shell(runs) == f"{tmp_path}/*.run"
    (tmp_path / "e.run").touch()
    assert shlex.split(in_shell(runs)) == runs


@pytest.mark.parametrize("pattern", ["*.txt", "**/o*", "other.*"])
def test_a_file_that_matches_a_pattern_is_not_replaced(tmp_path: Path, pattern: str) -> None:
    """The shell did not see the pattern, so nothing named the file that was read."""
    run, other = tmp_path / "run.txt", tmp_path / "other.txt"
    for file, source in ((run, RUN), (other, OTHER)):
        file.write_bytes(Path(source).read_bytes())
    before, asked = other.read_bytes(), str(tmp_path / pattern)
    said = refused(2, "evaluate", QRELS, asked, "-o", str(other))
    assert said.startswith(f"{other} is read by this command")
    assert other.read_bytes() == before
    printed("evaluate", QRELS, str(tmp_path / "*.txt"), "-m", "AP", "-o", str(tmp_path / "scores.csv"))
    assert (tmp_path / "scores.csv").read_text().startswith("measure,")


def test_code_and_what_measures_name_are_not_replaced(tmp_path: Path) -> None:
    code, complete = tmp_path / "mine.py", tmp_path / "complete.qrels"
    lines = ["def NotReplaced(r):", '    """Nothing."""', "    return r.retrieved * 0.0"]
    code.write_text("\n".join(["from unjudged import measure", "@measure()", *lines, ""]))
    complete.write_bytes(Path(QRELS).read_bytes())
    said = refused(2, "evaluate", QRELS, RUN, "--set", f"code={code}", "-f", "csv", "-o", str(code))
    assert said == f"{code} is read by this command: write to another file"
    asked = ["-m", f"infAP(actual='{complete}')", "-f", "csv", f"-o{complete}"]
    assert refused(2, "evaluate", QRELS, RUN, *asked).endswith(
        "is read by this command: write to another file"
    )


def test_parts_of_a_folder_and_standard_input_are_not_replaced(tmp_path: Path) -> None:
    part, qrels = tmp_path / "part-0.parquet", tmp_path / "qrels.csv"
    part.write_bytes(b"PAR1")
    said = refused(2, "evaluate", QRELS, str(tmp_path), "-o", str(part))
    assert said == f"{part} is read by this command as one of {tmp_path}: write to another file"
    qrels.write_bytes(Path(QRELS).read_bytes())
    for name in ("-", "/dev/stdin") if os.path.exists("/dev/stdin") else ("-",):
        with qrels.open("rb") as stream:
            words = [sys.executable, "-m", "unjudged", "evaluate", name, RUN, "-o", str(qrels)]
            done = subprocess.run(words, stdin=stream, capture_output=True, check=False)
        assert (done.returncode, qrels.read_bytes()) == (2, Path(QRELS).read_bytes())


def test_two_results_in_one_file(tmp_path: Path) -> None:
    target = tmp_path / "x.svg"
    said = refused(2, "evaluate", QRELS, RUN, "-f", "csv", "-o", str(target), f"--plot={tmp_path}/./x.svg")
    assert said.endswith("would be written twice: choose another name for one of the two")
    assert not target.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes of a file system")
def test_links_and_folders(tmp_path: Path) -> None:
    target, link, loop = tmp_path / "real.csv", tmp_path / "link.csv", tmp_path / "loop.csv"
    target.write_text("old")
    link.symlink_to(target)
    loop.symlink_to(loop)
    printed("evaluate", QRELS, RUN, "-o", str(link))
    assert link.is_symlink()
    assert target.read_text().startswith("measure,")
    said = refused(1, "evaluate", QRELS, RUN, "-o", str(loop))
    assert said.endswith("cannot be written: Too many levels of symbolic links")
    if os.geteuid():
        tmp_path.chmod(0o500)
        said = refused(1, "evaluate", "none.qrels", "none.run", "-o", str(tmp_path / "x.csv"))
        assert said == f"{tmp_path / 'x.csv'}: cannot be written: Permission denied"


RUNS = [str(run) for run in sample.runs.values()]
PAIR = [str(sample.runs[name]) for name in ("reranked", "fused")]


COUNTED = """
import json, os, sys
opened = {}
def count(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        opened[path] = opened.get(path, 0) + 1
sys.addaudithook(count)
import scipy.optimize, scipy.stats  # most commands need them, and children share them
from unjudged.cli.main import main
import unjudged.cli.command_line

for name, words in json.loads(sys.argv[1]).items():
    child = os.fork()  # what a command remembers of a file is of no use to the next one
    if child:
        assert os.waitpid(child, 0)[1] == 0, name
        continue
    opened.clear()
    try:
        main(words)
    except SystemExit as end:
        assert not end.code, end.code
    with open(f"{name}.json", "w") as file:
        json.dump(opened, file)
    os._exit(0)
"""


PAGE = ["-o", "page.html"]
PREDICTED = [f"model={PAIR[1]}"]
READ_ONCE = {
    "evaluate": ["evaluate", QRELS, *RUNS],
    "evaluate one": ["evaluate", QRELS, RUNS[0]],
    "evaluate with an option": ["evaluate", QRELS, *PAIR, "-m", "AP", "--interval", "bounds"],
    "evaluate across queries": ["evaluate", QRELS, *PAIR, "-m", "Hole@10"],
    "evaluate with predictions": ["evaluate", "drawn.qrels", RUNS[0], *PREDICTED],
    "compare two": ["compare", QRELS, *PAIR],
    "compare all": ["compare", QRELS, *RUNS, "-m", "AP", "P@10"],
    "compare per query": ["compare", QRELS, *PAIR, "--view", "queries"],
    "draw": ["next", QRELS, *PAIR, "--design", "pool(5)"],
    "next": ["next", QRELS, *PAIR, "-n", "5"],
    "experiment": ["experiment", QRELS, *PAIR, "--design", "uniform(50%, repeats=2)"],
    "report": ["report", QRELS, *PAIR, *PAGE],
    "report of one": ["report", QRELS, RUNS[0], *PAGE],
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, int]]:
    """How often each command opens each file, in processes that share what is imported."""
    folder = tmp_path_factory.mktemp("commands")
    lines = enumerate(sample.qrels.read_text().splitlines())
    (folder / "drawn.qrels").write_text(
        "\n".join(line if k % 3 else f"{line.rpartition(' ')[0]} -1" for k, line in lines)
    )
    command = [sys.executable, "-W", "ignore", "-c", COUNTED, json.dumps(READ_ONCE)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return {name: json.loads((folder / f"{name}.json").read_text()) for name in READ_ONCE}


@pytest.mark.thorough
@pytest.mark.parametrize("name", READ_ONCE)
def test_every_run_is_read_once(name: str, opened: dict[str, dict[str, int]]) -> None:
    """A page also has the hash of each file, which is one more opening."""
    runs = {path: opened[name].get(str(Path(path).resolve()), 0) for path in READ_ONCE[name] if path in RUNS}
    assert runs
    assert set(runs.values()) == {3 if name.startswith("report") else 2}, runs
