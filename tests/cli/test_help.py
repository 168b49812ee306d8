"""Help: a list of commands, a screen about each, and everything about it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused, unjudged
from unjudged import sample
from unjudged.cli import parser
from unjudged.cli.commands import COMMANDS
from unjudged.cli.help_pages import About
from unjudged.cli.option import Parameter

WITHOUT_FORMAT = {"pool", "report", "judge"}


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"], ["help"]])
def test_commands_are_listed_by_task(words: list[str]) -> None:
    lines = printed(*words).splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    listed = [line.split()[0] for line in lines if re.match(r"  [a-z_]+  ", line)]
    assert listed == [*COMMANDS, "trec_eval"]
    assert len([line for line in lines if line.startswith("  unjudged ")]) == 3


@pytest.mark.parametrize("command", COMMANDS)
def test_a_screen_about_a_command(command: str) -> None:
    """Usage, three examples and the options that matter fit on one, however wide the terminal is."""
    lines = printed(command, "-h").splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(f"usage: unjudged {command} ")
    assert len([line for line in lines if line.startswith("  unjudged ")]) == 3
    assert any(line.startswith("  -o, --output") for line in lines)
    assert any(line.startswith("  -f, --format") for line in lines) == (command not in WITHOUT_FORMAT)


EXAMPLES = [example for one in COMMANDS.values() for example in About(one.function).examples]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_commands(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options, choices and numbers are read; files are not."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks").mkdir()
    program, *words = shlex.split(example)
    assert program == "unjudged"
    assert words[0] in COMMANDS
    parser.call_of(words)


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What examples name: the sample collection, a model's grades, texts, and what two people answered."""
    folder = tmp_path_factory.mktemp("practice")
    printed("demo", "--files", str(folder / "files"))
    for file in (folder / "files").iterdir():
        file.rename(folder / file.name)
    lines = [line.split() for line in sample.qrels.read_text().splitlines()]
    graded = "".join(f"{query} 0 {document} {len(document + query) % 2}\n" for query, _, document, _ in lines)
    (folder / "model.qrels").write_text(re.sub(r"(\d) 1$", r"\1 0", graded, count=200, flags=re.MULTILINE))
    (folder / "new.run").write_text((folder / "dense.run").read_text())
    files = "dense.run,fused.run"
    (folder / "collections.txt").write_text(f"one=qrels.txt:{files}\ntwo=model.qrels:{files}\n")
    (folder / "docs.tsv").write_text("".join(f"{document}\twords\n" for _, _, document, _ in lines))
    (folder / "q.tsv").write_text("q01\twhat is asked\n")
    return folder


@pytest.mark.thorough
def test_examples_run(practice: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the list, except that judgments are merged after they were drawn and given."""
    monkeypatch.chdir(practice)
    for example in EXAMPLES:
        words = shlex.split(example)[1:]
        done = unjudged(*words)
        assert done.returncode <= (2 if words[0] == "gate" else 0), (example, done.stderr)
        if "tasks" in words:
            answers = (practice / "tasks" / "to-judge.qrels").read_text().replace(" -1\n", " 1\n")
            (practice / "a.qrels").write_text(answers)
            (practice / "b.qrels").write_text(answers)


@pytest.mark.parametrize("command", COMMANDS)
def test_everything_about_a_command(command: str) -> None:
    """Every option says what it does, what it takes, and its default."""
    text = unjudged(command, "--help", COLUMNS="80").stdout.decode()
    assert max(map(len, text.splitlines())) <= 80
    said = dict(re.findall(r"^  (-.+|[A-Z].+)\n((?: {6}.*\n)+)", text, re.MULTILINE))
    about = About(COMMANDS[command].function)
    assert len(said) == len(about.parameters)
    for one in about.parameters:
        text = " ".join(next(text for label, text in said.items() if named(one, label)).split())
        assert " ".join(about.of[one.name].split()) in text
        assert one.positional or re.search("default|must be given", text, re.IGNORECASE), one.name
        assert all(word in text for word in one.choices), one.name


def named(one: Parameter, label: str) -> bool:
    return set(one.names) <= set(label.replace(",", "").replace("...", "").split())


def test_help_is_also_a_word() -> None:
    asked = printed("evaluate", "--help")
    assert printed("help", "evaluate") == printed("--help", "evaluate") == asked
    assert printed("-h", "evaluate") == printed("evaluate", "none", "--depth", "x", "-h") != asked
    assert refused(2, "--help", "foo") == refused(2, "foo")


def test_what_is_like_a_known_word() -> None:
    assert refused(2, "comapre").startswith("unknown command comapre; did you mean compare?")
    assert refused(2, "--verison").startswith("unknown option --verison; did you mean --version?")
    files = ["compare", "q", "a", "b"]
    assert refused(2, *files, "--basline", "x").startswith(
        "unknown option --basline; did you mean --baseline?"
    )
    assert refused(2, *files, "--base=x").startswith("unknown option --base=x; did you mean --baseline?")
    assert refused(2, *files, "--test", "wilcoxn").endswith("; did you mean wilcoxon?")
    assert "did you mean " in refused(2, "explain", "ndgc@10")


def test_standard_input_in_the_help() -> None:
    assert 'Use "-" for standard input' in " ".join(printed("evaluate", "--help").split())
