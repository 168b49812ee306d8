"""Notes are data: each has a code, its words are in one place, and JSON has both."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import unjudged
from tests.cli.in_process import printed
from tests.cli.in_process import unjudged as command
from unjudged import Scores, UnjudgedWarning, compare, explain, report_page, sample
from unjudged.base.errors import MissingQueriesWarning
from unjudged.base.notes import DOUBT, READING, WORDS, Note, note, said_once
from unjudged.citation import REFERENCES
from unjudged.results.methods_paragraph import facts_of, methods_of

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


TWO = {name: sample.runs[name] for name in ("lexical", "fused")}
QUERIES = [f"q{k:02}" for k in range(1, 31)]
CLUSTERS = {query: query[-1] for query in QUERIES}
TABLE = Scores.read({"query": ["a", "b", "c"], "x": [0.1, 0.2, 0.3], "y": [0.2, 0.4, 0.3]}, "AP")


def described(**given: Any) -> Any:
    return unjudged.Collection(sample.qrels, TWO, name="practice", **given)


RESULTS: dict[str, tuple[Callable[[], Any], str]] = {
    "compare": (
        lambda: unjudged.compare(described()),
        "lexical and fused were compared on 30 queries of practice",
    ),
    "test": (lambda: unjudged.compare(TABLE, test="wilcoxon"), "Wilcoxon signed-rank test [wilcoxon1945] at"),
    "many": (
        lambda: unjudged.compare(sample.qrels, sample.runs, "RBP", correction="bh"),
        "corrected over 15 pairs (Benjamini-Hochberg correction [benjamini1995])",
    ),
    "clusters": (
        lambda: unjudged.compare(described(clusters=CLUSTERS)),
        "on 30 queries in 10 clusters of practice",
    ),
    "evaluate": (
        lambda: unjudged.evaluate(sample.qrels, TWO, interval="bounds"),
        "Intervals are of the kind bounds [moffat2008]",
    ),
    "gate": (
        lambda: unjudged.gate(sample.qrels, TWO["lexical"], TWO["fused"], margin=0.01),
        "worse by more than 0.01, if unjudged documents are relevant as often as judged ones",
    ),
    "collections": (
        lambda: unjudged.compare_collections({"one": (sample.qrels, TWO), "two": (sample.qrels, TWO)}),
        "on 2 collections (one, 30 queries; two, 30 queries) and by the mean over them",
    ),
    "choices": (
        lambda: unjudged.compare_choices(sample.qrels, TWO),
        "The measures are nDCG [jarvelin2002, burges2005], AP",
    ),
    "table": (lambda: unjudged.compare(TABLE), "Scores came from another tool"),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_a_paragraph_names_its_works_and_survives_being_saved(kind: str, tmp_path: Path) -> None:
    make, words = RESULTS[kind]
    facts = facts_of(make())
    made = methods_of(facts)
    assert words in made.text
    assert made.text.endswith(f"Computed with unjudged {unjudged.__version__} [unjudged].")
    cited = {key for inside in re.findall(r"\[([a-z0-9, ]+)\]", made.text) for key in inside.split(", ")}
    assert cited == {*re.findall(r"^@\w+\{(\w+),", made.bibtex, re.MULTILINE)}
    assert cited <= {*REFERENCES, "unjudged"}
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps({"rows": [{"p": 0.5, "system": "a"}], "notes": ["Said."], "made": facts}))
    told = explain(saved)
    assert str(told).startswith(f"{made.text}\n\n{made.bibtex}\n\n  p: of the test over queries\n")
    assert str(told).endswith("\n\nSaid.")
    assert told.bibtex == made.bibtex


def test_commands_save_what_explain_reads(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    files = [str(sample.qrels), *map(str, TWO.values())]
    assert command("compare", *files, "-f", "json", "-o", str(saved)).returncode == 0
    found = methods_of(facts_of(unjudged.compare(sample.qrels, TWO)))
    assert explain(saved).text.startswith(found.text)
    assert methods_of(json.loads(saved.read_text())["made"]) == found


def test_judgments_are_counted_and_said_to_be_made_as_they_are() -> None:
    (judgments,) = facts_of(unjudged.compare(described()))["judgments"]
    own = described().judgments
    assert judgments["judged"] == int((own.grade >= 0).sum())
    assert judgments["relevant"] == int((own.grade >= 1).sum())
    assert judgments["made"].startswith("part of the pool was judged; 560 of the 560 listed documents")


def test_a_page_has_the_same_behind_one_button() -> None:
    from tests.report.test_page import read

    page = report_page(sample.qrels, TWO, "AP").html
    text, bibtex = read(page)["methods"]
    assert [text, bibtex] == [*_text_and_bibtex(unjudged.compare(sample.qrels, TWO, "AP"))]
    assert page.count("<summary>Describe and cite this</summary>") == 1


def _text_and_bibtex(result: Any) -> tuple[str, str]:
    made = methods_of(facts_of(result))
    return made.text, made.bibtex
