"""Words that are plain enough to do without cyclopts, which are taken as it takes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.in_process import printed, refused, unjudged
from unjudged import sample
from unjudged.cli.argv import plain_evaluation
from unjudged.cli.parser import parse

QRELS, RUN, OTHER = str(sample.qrels), str(sample.runs["fused"]), str(sample.runs["expanded"])
BY_CYCLOPTS = ("--seed", "0")
"""An option that changes nothing, and is not plain."""

PLAIN = {
    "files": (),
    "two runs": (OTHER,),
    "a measure": ("-m", "AP"),
    "measures": ("-m", "AP", "nDCG@10", "--measure", "P@5,10"),
    "a format": ("--format", "csv"),
    "every query": ("-q", "--format", "jsonl"),
    "every query, in a table": ("--per-query", "-m", "AP"),
}

WORDS = [
    *("a.qrels", "b.run", "c.run", "AP", "nDCG@10", "csv", "json", "xml", "tag", "5", "", "evaluate"),
    *("-m", "--measure", "--measures", "--format", "-q", "--per-query", "--no-per-query", "--names", "-k"),
    *("-", "--", "-h", "--format=csv", "-mAP", "-qm", "--seed"),
]


@pytest.mark.parametrize("words", PLAIN.values(), ids=PLAIN)
def test_the_same_output_either_way(words: tuple[str, ...]) -> None:
    command = "evaluate", QRELS, RUN, *words
    assert unjudged(*command).stderr == unjudged(*command, *BY_CYCLOPTS).stderr
    assert printed(*command) == printed(*command, *BY_CYCLOPTS) != ""


def test_the_same_errors_either_way(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "none.run")
    for code, words in (
        (1, (nowhere,)),
        (2, (RUN, RUN)),
        (2, (RUN, "-m", "nothing")),
        (2, (RUN, "AP@x")),
        (2, (RUN, "--format", "parquet")),
    ):
        assert refused(code, "evaluate", QRELS, *words) == refused(
            code, "evaluate", QRELS, *words, *BY_CYCLOPTS
        )


@given(st.lists(st.sampled_from(WORDS), max_size=8).map(lambda words: ["a.qrels", "b.run", *words]))
def test_plain_words_are_parsed_as_cyclopts_parses_them(words: list[str]) -> None:
    plain = plain_evaluation(["evaluate", *words])
    if plain is not None:
        function, given = plain
        theirs, their_given = parse(["evaluate", *words])
        assert (function, given.arguments) == (theirs, their_given.arguments)


def test_what_is_not_plain_is_left_to_cyclopts() -> None:
    for words in (
        ["a.qrels"],
        ["a.qrels", "-"],
        ["a.qrels", "b.run", "-m"],
        ["a.qrels", "b.run", "-m", "-q"],
        ["a.qrels", "b.run", "-q", "-q"],
        ["a.qrels", "b.run", "--format", "xml"],
        ["a.qrels", "b.run", "--format", "csv", "--format", "json"],
        ["a.qrels", "b.run", "--interval", "bounds"],
        ["a.qrels", "b.run", "--help"],
    ):
        assert plain_evaluation(["evaluate", *words]) is None
