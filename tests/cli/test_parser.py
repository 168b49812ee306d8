"""Words to a call: every line is parsed or refused, and a recorded command is the same call."""

from __future__ import annotations

import shlex
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from unjudged.base.errors import UnjudgedError
from unjudged.cli.commands import COMMANDS
from unjudged.cli.given_arguments import command_given
from unjudged.cli.parser import call_of

WORDS = [
    *(
        "a.qrels",
        "b.run",
        "c.run",
        "AP",
        "nDCG@10,P@5",
        "csv",
        "xml",
        "tag",
        "5",
        "-1",
        "0.5",
        "",
        "evaluate",
    ),
    *("-m", "--measure", "--measures", "--format", "-q", "--per-query", "--no-per-query", "--names", "-k"),
    *(
        "-",
        "--",
        "-h",
        "--help",
        "--format=csv",
        "-mAP",
        "-qm",
        "-qk5",
        "--seed",
        "--seed=1",
        "--x y",
        "-k=3",
    ),
]


@given(st.sampled_from([*COMMANDS]), st.lists(st.sampled_from(WORDS), max_size=8))
def test_any_line_is_parsed_or_refused(command: str, words: list[str]) -> None:
    try:
        assert callable(call_of([command, *words]))
    except UnjudgedError as refused:
        assert str(refused).isprintable()


GIVEN: dict[str, st.SearchStrategy[list[str]]] = {
    "-m": st.lists(st.sampled_from(["AP", "nDCG@10", "RBP(p=0.8, rel=2)"]), min_size=1, max_size=2),
    "--depth": st.sampled_from([["5"], ["100"]]),
    "--rel": st.sampled_from([["2"], ["0.5"]]),
    "--baseline": st.sampled_from([["b"], ["a name"]]),
    "--range=-1,1": st.just([]),
    "--pairs": st.just([]),
    "--judged": st.sampled_from([["more.qrels"]]),
    "--columns": st.just(["query=topic", "document=url"]),
    "--alpha": st.just(["0.1"]),
    "-o": st.just(["out.csv"]),
}


@given(st.permutations([*GIVEN]), st.integers(0, len(GIVEN)), st.data())
def test_a_recorded_command_is_the_same_call(names: list[str], count: int, data: st.DataObject) -> None:
    """Wherever options stand; where results are written is not recorded."""
    options = [word for name in names[:count] for word in (name, *data.draw(GIVEN[name]))]
    first = arguments_of(["compare", "a.qrels", "b.run", "c.run", *options])
    program, *words = shlex.split(command_given())
    assert program == "unjudged"
    assert arguments_of(words) == first | {"output": None}


def arguments_of(words: list[str]) -> dict[str, Any]:
    """Arguments and options of the call, those of groups by their own names."""
    call = call_of(words)
    assert isinstance(call, partial)
    assert call.func is COMMANDS["compare"].function
    found: dict[str, Any] = {"files": call.args, "output": None}
    for name, value in call.keywords.items():
        found |= vars(value) if hasattr(value, "__dataclass_fields__") else {name: value}
    return found
