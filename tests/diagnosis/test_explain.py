"""`explain` knows measures, words of output and papers, methods, notes, errors and saved results."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused
from unjudged import MEASURES, InputError, UsageError, explain, sample
from unjudged.base.notes import WORDS as NOTES
from unjudged.citation import methods
from unjudged.diagnosis.explaining import GLOSSARY, MEANINGS
from unjudged.inference.verdict import HEADLINES, MORE_JUDGING, OTHER_QUERIES, UNKNOWN
from unjudged.judging.next_documents import every_design
from unjudged.results.fields import FIELDS

OF_THE_PAPERS = {
    "infAP": "Inferred average precision",
    "inferred AP": "Inferred average precision",
    "infAP's epsilon": "precision above a relevant document",
    "epsilon": "precision above a relevant document",
    "induced AP": "Induced average precision",
    "subcollection AP": "Subcollection average precision",
    "bpref": "Binary preference",
    "bpref-10": "Bpref-10",
    "AP as a random experiment": "Pick a relevant document at random",
    "sampling rates": "experiment",
    "against itself": "the same measure from all of them",
    "depth pools": "Judge the first documents",
    "mixed pools": "drawn from the rest",
    "smoothing constant": "infAP",
    "NCP": "cumulative precision",
    "stopping populations": "What a measure assumes of users",
    "AP as a user model": "users stop at each relevant document",
    "user model": "What a measure assumes of users",
    "RBP": "Rank-biased precision",
    "residual": "RBPResidual",
    "upper bound of RBP": "RBP",
    "uncertainty of RBP": "uncertainty_of_rbp",
    "quantiles of RBP": "quantiles",
    "distribution of RBP": "density",
    "unequal probabilities of relevance": "prevalence",
    "expected AP of a random ranking": "exactly",
    "probability that a random ranking does as well": "p_of_random_ranking",
    "urn model": "simulate",
    "unequal probabilities": "prevalence",
    "expected AP": "exactly",
    "normalised AP": "AP(chance=N)",
    "nAP": "AP(chance=N)",
    "AP corrected for chance": "AP(chance=N)",
    "probability of a random ranking": "p_of_random_ranking",
    "tau": "two orders of systems agree",
}
PRINTED = {
    "Holm": "false discovery",
    "paired t test": "Student's t",
    "tied means": "move ... means by more",
    "missing queries": "and scores 0 there",
    "UNDECIDED": "cannot tell",
    "rms": "RMS error",
    "?": "judging could change",
    "!": "Little of what",
}
"""Words as outputs have them."""


@pytest.mark.parametrize(("word", "said"), OF_THE_PAPERS.items())
def test_what_a_reader_of_the_papers_looks_for(word: str, said: str) -> None:
    assert said in str(explain(word))


def test_every_word_of_the_output() -> None:
    words = [*HEADLINES, *OTHER_QUERIES, *(one for one in MORE_JUDGING if one != UNKNOWN)]
    for word in (*words, "place", "share seen", "hold", "could be", "residual"):
        assert len(str(explain(word))) > 20, word
    for word in (*MEASURES, *methods(), *NOTES):
        assert str(explain(word)), word
    for field in FIELDS.values():
        if field.means:
            assert str(explain(field.heading)), field.heading
    for word, said in PRINTED.items():
        assert said in str(explain(word)), word
    assert len(GLOSSARY) <= 25


def test_names_in_the_words_are_names_of_the_package() -> None:
    import unjudged.studies

    for text in MEANINGS.values():
        for name in re.findall(r"unjudged\.studies\.(\w+)", text):
            assert hasattr(unjudged.studies, name)
        for design in re.findall(r'--design "(\w+)', text):
            assert design in every_design()
        if text.startswith("="):
            assert text[1:] in MEASURES


def test_measures_are_listed_by_family() -> None:
    text = str(explain())
    assert all(f"  {name} " in text for name in MEASURES)
    assert text.index("Gain") < text.index("  nDCG ")


def test_works() -> None:
    assert explain("NDCG@10").bibtex.startswith("@")
    assert "@article{holm1979," in explain("holm").bibtex
    assert "@software{unjudged," in explain("place").bibtex


def test_a_saved_result(tmp_path: Path) -> None:
    output = tmp_path / "found.json"
    printed("check", str(sample.qrels), "--format", "json", "-o", str(output))
    assert "common" in str(explain(output)) or "kind" in str(explain(output))
    rows = [{"system": "a", "seen": 0.5}]
    output.write_text(json.dumps({"rows": rows, "notes": [{"text": "AP: exact."}]}))
    assert (
        str(explain(output))
        == "  system: as it is named\n  seen: that share among the judged documents\n\nAP: exact."
    )
    for text in ("[1]", "{", '{"a": 1}'):
        output.write_text(text)
        with pytest.raises(InputError, match="not a result that a command wrote"):
            explain(output)
    with pytest.raises(InputError, match="No such file"):
        explain(tmp_path / "absent.json")


def test_the_command() -> None:
    assert printed("explain", "needs", "judging") == printed("explain", "needs judging")
    assert printed("explain", "RBP", "--bibtex").startswith("@article{moffat2008,")
    assert "did you mean place" in refused(2, "explain", "plcae")
    with pytest.raises(UsageError, match="nothing is known of 'xyzzy', expected a measure, a word"):
        explain("xyzzy")
    assert max(map(len, printed("explain", "nDCG").splitlines())) <= 110
