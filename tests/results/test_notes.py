"""Notes are data: each has a code, its words are in one place, and JSON has both."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pytest

import unjudged
from tests.cli.in_process import printed
from unjudged import UnjudgedWarning, compare, sample
from unjudged.base.errors import MissingQueriesWarning
from unjudged.base.notes import DOUBT, READING, WORDS, Note, note, said_once

SOURCE = Path(unjudged.__file__).parent
SIX = [str(path) for path in sample.runs.values()]


def test_every_code_has_words_and_is_used() -> None:
    text = "\n".join(path.read_text() for path in SOURCE.rglob("*.py") if path.name != "notes.py")
    used = {*re.findall(r'note\(\s*"([a-z-]+)"', text), *re.findall(r'"([a-z]+-[a-z-]+)"', text)}
    assert {*re.findall(r'note\(\s*"([a-z-]+)"', text)} <= WORDS.keys() <= used


def test_a_note_keeps_its_data() -> None:
    made = note("queries-without-judged", none=["q1"], queries=3)
    assert made.startswith("1 of 3 queries has no judged document, so all that runs have for it counts")
    assert (made.code, made.weight) == ("queries-without-judged", DOUBT)
    assert made.values == {"none": ["q1"], "queries": 3}
    again = pickle.loads(pickle.dumps(made))
    assert (again, again.code, again.values) == (made, made.code, made.values)
    of = note("outside-pool").said_of(["AP", "nDCG"])
    assert (of, of.about) == ("AP, nDCG: Documents outside the pool count as not relevant.", ("AP", "nDCG"))


def test_what_is_said_of_every_measure_is_said_once() -> None:
    one, other = note("one-query"), note("alike")
    said = list(said_once([("AP", one), ("RBP", one), ("AP", other), ("AP", other)], 2))
    assert said == [one, f"AP: {other}"]


def test_a_warning_is_a_note_once() -> None:
    with pytest.warns(MissingQueriesWarning) as recorded:
        found = compare(sample.qrels, sample.runs)
    (warning,) = [one.message for one in recorded if isinstance(one.message, UnjudgedWarning)]
    assert isinstance(warning, UnjudgedWarning)
    assert warning.note.code == "missing-queries"
    assert warning.note.about == ("expanded",)
    assert [str(one) for one in found.notes].count(str(warning)) == 1
    assert UnjudgedWarning("plain").note == Note("plain")


def test_json_has_codes_and_words() -> None:
    notes = json.loads(printed("compare", str(sample.qrels), *SIX, "--format", "json"))["notes"]
    assert {one["code"] for one in notes} == {"method", "missing-queries", "tied-means"}
    (missing,) = [one for one in notes if one["code"] == "missing-queries"]
    assert missing == {
        "code": "missing-queries",
        "about": ["expanded"],
        "values": {"missing": ["q17"], "queries": 30},
        "weight": READING,
        "text": "expanded returned nothing for q17 (1 of 30 queries) and scores 0 there.",
    }
