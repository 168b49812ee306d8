"""The data of a page is what the commands print, and no name in it can become markup."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shlex
from dataclasses import replace
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.in_process import printed, refused
from tests.intervals import intervals
from tests.sample_files import text_of_sample
from unjudged import Collection, Judgments, Run, UnjudgedWarning, calibrate, compare, evaluate, sample
from unjudged.base.wording import plain
from unjudged.evidence.shared import SharedRankings
from unjudged.inference.verdict import HEADLINES, MORE_JUDGING
from unjudged.judging import Pool
from unjudged.rankings.runs import RunSource
from unjudged.report.page_data import PAIR, SYSTEM, WORDS, conclusions_of
from unjudged.report.page_documents import NOT_POOLED, depth_kept
from unjudged.report.report_page import Page, report_page
from unjudged.results.fields import Row
from unjudged.results.words import headline_sentence, unplaced

MEASURES = ["nDCG@10", "AP", "RBP(p=0.8)"]
SAMPLE = Path(sample.__file__).parent
FILES = [str(SAMPLE / "qrels.txt"), *(str(SAMPLE / f"{name}.run") for name in sample.runs)]
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "'\"`${alert(1)}",
    "x" * 300,
    "\u202eevil\u202c \u05e9\u05dc\u05d5\u05dd",
    "=1+2",
]


def read(html: str) -> dict[str, Any]:
    """The data of a page."""
    found = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(found[1])))
    return data


def said(html: str) -> str:
    """The data of a page as text."""
    return json.dumps(read(html), ensure_ascii=False)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "page.html"
    assert printed("report", *FILES, "-o", str(path)) == ""
    return path.read_text()


def test_every_number_is_that_of_a_row(written: str) -> None:
    facts, found = read(written), compare(sample.qrels, sample.runs, MEASURES)
    for one, name in zip(facts["measures"], MEASURES, strict=True):
        assert one["name"] == name
        systems = {row["system"]: row for row in found.systems if row["measure"] == name}
        assert [facts["runs"][run] for run in one["order"]] == list(systems)
        for field in SYSTEM:
            assert one[field] == [systems[run].get(field) for run in facts["runs"]]
        pairs = one["pairs"]
        rows = [row for row in found.pairs if row["measure"] == name]
        for k, row in enumerate(rows):
            assert [facts["runs"][pairs[side][k]] for side in "ab"] == [row["a"], row["b"]]
            for field, digits in PAIR.items():
                expected = row[field] if row[field] is not None and np.isfinite(row[field]) else None
                assert pairs[field][k] == pytest.approx(expected, abs=0.51 * 10**-digits)
            assert {field: words[pairs[field][k]] for field, words in WORDS.items()}.items() <= row.items()
            ahead, other = (row["a"], row["b"]) if row["ahead"] != row["b"] else (row["b"], row["a"])
            said = pairs["sentences"][pairs["said"][k]]
            assert said.format(ahead=ahead, other=other) == headline_sentence(row)
        values = evaluate(sample.qrels, sample.runs, name).values[:, :, 0]
        np.testing.assert_allclose(one["values"], values, atol=1e-6)


def test_ranges_of_queries_are_those_of_compare(written: str) -> None:
    facts, found = read(written), compare(sample.qrels, sample.runs, MEASURES)
    for one in facts["measures"]:
        a, b = (facts["runs"][one["pairs"][side][3]] for side in "ab")
        rows = {row["query"]: row for row in found.by_query(a, b, one["name"]).rows["queries"]}
        low, high = ([rows[query][end] for query in facts["queries"]] for end in ("low", "high"))
        np.testing.assert_allclose(one["ranges"][3], [low, high], atol=1e-4)


def test_rankings_and_holes_are_those_of_the_runs(written: str) -> None:
    facts, judgments = read(written), Judgments.read(sample.qrels)
    rankings, holes, queries = facts["rankings"], facts["holes"], facts["queries"]
    pairs = zip(judgments.query.tolist(), judgments.documents, strict=True)
    known = dict(zip(pairs, judgments.grade.tolist(), strict=True))
    for i, name in enumerate(facts["runs"]):
        run = Run.read(sample.runs[name])
        for q, query in enumerate(queries):
            places = rankings["shown"][i * len(queries) + q]
            names = [rankings["documents"][q][place] for place in places]
            expected = run.ranking(query) if query in run.queries else []
            assert names == expected[: rankings["depth"]]
            grades = [rankings["grades"][q][place] for place in places]
            assert grades == [known.get((q, name), NOT_POOLED) for name in names]
            assert holes["judged"][i][q] == sum(grade >= 0 for grade in grades[: holes["top"]])
            assert holes["ranked"][i][q] == len(names[: holes["top"]])


def test_texts_of_queries_and_of_unjudged_documents(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "who <b>first</b>"}\n')
    documents = [{"_id": f"d{k}", "text": f"text {k}"} for k in range(3)]
    (tmp_path / "documents.jsonl").write_text("\n".join(map(json.dumps, documents)))
    (tmp_path / "qrels.txt").write_text("q1 0 d0 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 d0 1 2 a\nq1 Q0 d1 2 1 a\n")
    described = tmp_path / "collection.toml"
    described.write_text(
        'queries = "queries.jsonl"\ndocuments = "documents.jsonl"\nruns = ["a.run"]\n'
        '[[judgments]]\nfile = "qrels.txt"\n'
    )
    rankings = read(report_page(described, measures="P@1").html)["rankings"]
    assert rankings["queries"] == ["who <b>first</b>"]
    assert rankings["texts"] == {"d1": "text 1"}


def test_the_command_makes_the_same_page_again(written: str, tmp_path: Path) -> None:
    words = shlex.split(read(written)["command"])
    assert words[:2] == ["unjudged", "report"]
    asked = shlex.split(read(written)["measures"][0]["next"][1])
    assert asked == ["unjudged", "next", *FILES, "-m", "nDCG@10", "-n", "100", "-o", "to-judge.qrels"]
    again = tmp_path / "again.html"
    printed(*words[1:-1], str(again))
    first, second = read(written), read(again.read_text())
    assert second.pop("command") == first.pop("command").replace(words[-1], str(again))
    assert second == first


def test_files_are_known_by_their_hashes(written: str) -> None:
    files = read(written)["files"]
    assert [file[1] for file in files] == FILES
    assert all(digest == sha256(Path(file).read_bytes()).hexdigest() for _, file, _, digest in files)


def hostile_page() -> str:
    runs = {
        name: {
            query: {f"{query}{HOSTILE[j % 6]}{j}": float((i + 1) * j % 7) for j in range(12)}
            for query in HOSTILE
        }
        for i, name in enumerate(HOSTILE)
    }
    qrels = {query: {f"{query}{HOSTILE[j % 6]}{j}": j % 3 - 1 for j in range(0, 12, 2)} for query in HOSTILE}
    return report_page(qrels, runs, MEASURES, title=HOSTILE[0], command=HOSTILE[1]).html


def test_no_name_ends_an_element(written: str) -> None:
    html = hostile_page()
    for mark in ("<script", "</script", "<!--"):
        assert html.lower().count(mark) == written.lower().count(mark)
    assert read(html)["runs"] == [plain(name) for name in HOSTILE]


def test_one_run_and_a_measure_without_a_highest_value() -> None:
    facts = read(report_page(sample.qrels, sample.runs["fused"], ["P@10", "DCG@10"]).html)
    scores = evaluate(sample.qrels, {"run 1": sample.runs["fused"]}, ["P@10", "DCG@10"])
    for k, one in enumerate(facts["measures"]):
        bounds, other = (intervals(scores, kind)[0][k] for kind in ("bounds", "queries"))
        assert (one["low"], one["high"], one["mean"]) == ([bounds.low], [bounds.high], [bounds.value])
        assert (one["query_low"], one["query_high"]) == ([other.low], [other.high])
        assert "pairs" not in one
    assert facts["measures"][0]["headline"].startswith("fused has mean P@10 0.")


def test_a_baseline_is_in_every_pair() -> None:
    facts = read(report_page(sample.qrels, sample.runs, "P@10", baseline="lexical").html)
    assert {facts["runs"][b] for b in facts["measures"][0]["pairs"]["b"]} == {"lexical"}
    assert facts["measures"][0]["headline"].endswith("better than lexical.")


def test_conclusions_name_both_systems() -> None:
    """Also of equal means, of what is sure whatever is judged, and of other orders of ties."""
    rows = [
        {"headline": headline, "more_judging": more, "sure": sure, "ahead": ahead, "in_other_orders": other}
        for headline, more, sure, ahead, other in product(
            HEADLINES, MORE_JUDGING, (False, True), ("a", None), (None, HEADLINES[2])
        )
    ]
    for row, said in zip(rows, conclusions_of(rows, {}), strict=True):
        assert "{ahead}" in said
        assert "{other}" in said
        assert ("have the same mean" in said) == (row["ahead"] is None)
        assert ("tied documents" in said) == (row["ahead"] is not None and row["in_other_orders"] is not None)


def test_the_first_screen_says_who_leads_and_what_is_open(written: str) -> None:
    one = read(written)["measures"][0]
    assert one["headline"] == "reranked leads. dense cannot be placed yet."
    assert one["lede"] == [
        "68 % of what dense put in its first ten was never judged.",
        "Judging could make its score anything from 0.18 to 0.88.",
        "No other system's score can move by more than 0.12.",
        "reranked is better than 3 of 5 other systems.",
        "Whether it is better than dense needs judging.",
        "Whether it is better than fused needs queries.",
    ]
    assert one["next"][0] == "judge what matters most to dense."
    pair = {name: sample.runs[name] for name in ("dense", "reranked")}
    (two,) = read(report_page(sample.qrels, pair, "nDCG@10").html)["measures"]
    assert (two["lede"], two["next"]) == (one["lede"][:3], one["next"][:1])
    qrels = {f"q{i}": {"good": 1, "bad": 0} for i in range(9)}
    runs = {name: {query: {name: 1.0} for query in qrels} for name in ("bad", "good", "both")}
    runs["both"] = {query: {"bad": 2.0, "good": 1.0} for query in qrels}
    (few,) = read(report_page(qrels, runs, "P@1").html)["measures"]
    assert few["headline"] == "good leads."
    assert few["lede"][-1] == "With fewer than 10 queries no system is called better."
    assert few["next"][0].startswith("use more queries")


def test_runs_from_an_iterator_are_read_once() -> None:
    runs: dict[str, RunSource] = {
        "a": iter([("q", "d1", 1.0), ("q", "d2", 0.5)]),
        "b": {"q": {"d2": 1.0, "d1": 0.5}},
    }
    assert read(report_page({"q": {"d1": 1}}, runs, "P@1").html)["measures"][0]["mean"] == [1.0, 0.0]


def test_a_page_in_a_notebook_is_a_frame() -> None:
    assert Page("<p>'\"</p>")._repr_html_().endswith('srcdoc="&lt;p&gt;&#x27;&quot;&lt;/p&gt;"></iframe>')


def test_refusals(tmp_path: Path) -> None:
    page = str(tmp_path / "page.html")
    assert refused(2, "report", FILES[0], "-o", page).startswith("no run given")
    chosen = tmp_path / "chosen.txt"
    chosen.write_text("# unjudged-origin chosen: ...\n" + Path(FILES[0]).read_text())
    sentence = "infAP needs a random sample, and these judgments are chosen documents"
    assert sentence in refused(2, "report", str(chosen), *FILES[1:], "-m", "infAP", "-o", page)
    assert "cannot be written" in refused(1, "report", *FILES[:3], "-o", str(tmp_path / "no" / "page.html"))


def test_the_more_rankings_the_fewer_documents_of_each() -> None:
    run = {f"q{i}": {f"d{j}": float(-j) for j in range(30)} for i in range(300)}
    qrels = {query: {"d1": 1} for query in run}
    for runs, depth in ((1, 20), (13, 20), (20, 10), (40, 5)):
        shared = SharedRankings.of(Judgments.read(qrels), {f"run {i}": run for i in range(runs)})
        assert depth_kept(shared) == depth


@pytest.mark.parametrize("names", [["fused"], ["fused", "dense"]])
def test_a_grade_that_no_document_has_is_noted(names: list[str]) -> None:
    """The page of one run said nothing."""
    with pytest.warns(UnjudgedWarning, match="No judged document has a grade of 9 or more"):
        page = report_page(sample.qrels, {name: sample.runs[name] for name in names}, "AP(rel=9)")
    assert any("No judged document has a grade of 9 or more" in note for note in read(page.html)["notes"])


def test_a_run_is_read_once() -> None:
    """An iterator has nothing left for a second reading, for intervals or a single run."""
    groups = {name: name for name in sample.runs}
    learnt = calibrate(sample.qrels, sample.runs, groups, "AP", depth=20)
    rows = {
        name: [line.split() for line in Path(file).read_text().splitlines()]
        for name, file in sample.runs.items()
    }
    listed = {name: [(q, d, float(s)) for q, _, d, _, s, _ in lines] for name, lines in rows.items()}
    for names in (list(listed), ["fused"]):
        known = learnt if len(names) > 1 else None
        sources = [{name: kind(listed[name]) for name in names} for kind in (list, iter)]
        collections = [Collection(sample.qrels, source, calibration=known) for source in sources]
        pages = [report_page(one, None, "AP", alpha=0.3).html for one in collections]
        assert pages[0] == pages[1]


@pytest.mark.parametrize("names", [["fused"], ["fused", "dense", "lexical"]])
@pytest.mark.parametrize("form", ["strata", "prels"])
def test_a_sample_is_shown_with_the_estimator_that_fits(tmp_path: Path, form: str, names: list[str]) -> None:
    """Five columns were shown by AP with bounds from .0016 to .8952, and not called a sample."""
    qrels = tmp_path / "sampled.txt"
    drawn = Pool.of(sample.qrels, sample.runs).stratified({5: 1.0, np.inf: 0.3}, seed=1)
    qrels.write_text(text_of_sample(drawn, form))
    runs = {name: sample.runs[name] for name in names}
    measure = "xinfAP" if form == "strata" else "statAP"
    facts = read(report_page(qrels, runs).html)
    assert facts["measures"][0]["name"] == measure
    assert not facts["tables"]
    said = [*facts["notes"], *(line for one in facts["measures"] for line in one["lede"])]
    assert any("estimates AP" in line and "pool judged" in line and "sample" in line for line in said)
    one = facts["measures"][0]
    scores = evaluate(qrels, runs, measure)
    expected = [scores.value(measure, run=name) for name in names]
    assert one["mean"] == pytest.approx(expected, rel=1e-12)
    assert set(one["low"]) == {None}

    facts = read(report_page(qrels, runs, ["AP", "nDCG@10"]).html)
    for one in facts["measures"]:
        means = [evaluate(qrels, runs, one["name"])[name]["mean"] for name in names]
        assert one["mean"] == pytest.approx(means, abs=1e-6)
    assert any("documents, drawn at random" in note for note in facts["notes"]) or form == "prels"


@pytest.mark.parametrize("names", [["dense"], ["fused", "dense"]])
def test_a_run_unlike_the_pool_has_no_calibrated_bar(names: list[str]) -> None:
    """Its bounds were drawn as a calibrated interval of 100 %."""
    pooled = {name: run for name, run in sample.runs.items() if name != "dense"}
    learnt = calibrate(sample.qrels, pooled, {name: name for name in pooled}, "AP", depth=20)
    runs = {name: sample.runs[name] for name in names}
    facts = read(report_page(Collection(sample.qrels, runs, calibration=learnt), None, "AP", alpha=0.3).html)
    notes = " ".join(facts["notes"])
    assert "75 % of the judged are relevant" in notes
    assert "for an interval judge a random sample" in notes
    assert "Intervals: calibrated (70 %)" in notes
    known = [low is not None for low in facts["measures"][0]["estimate_low"]]
    assert known == ([False] if len(names) == 1 else [True, False])


@pytest.mark.parametrize("names", [["fused"], ["fused", "dense", "lexical"]])
def test_a_calibration_gives_the_level_that_it_can(names: list[str]) -> None:
    """Six groups cannot give 95 %: there was no page."""
    groups = {name: name for name in sample.runs}
    learnt = calibrate(sample.qrels, sample.runs, groups, ["AP", "RR"], depth=20)
    learnt = replace(learnt, scores={"AP": learnt.scores["AP"], "RR": ()})
    runs = {name: sample.runs[name] for name in names}
    facts = read(report_page(Collection(sample.qrels, runs, calibration=learnt), None, ["RR", "AP"]).html)
    most = 0.857
    few = replace(learnt, scores={"AP": learnt.scores["AP"][:-2]})
    assert report_page(Collection(sample.qrels, runs, calibration=few), None, ["AP"]).html
    notes = " ".join(facts["notes"])
    assert f"they can give at most {100 * most:g} %" in notes
    assert "RR: no interval: 0 left-out runs" in notes
    unknown, known = facts["measures"]
    assert set(unknown["estimate_low"]) == {None}
    scores = evaluate(sample.qrels, runs, "AP")
    estimates = intervals(scores, "calibrated", calibration=learnt, confidence=most)
    assert known["estimate_low"] == [row[0].low for row in estimates]
    assert known["estimate_high"] == [row[0].high for row in estimates]


@pytest.mark.parametrize("measures", [["AP"], ["infAP", "AP"]])
@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
def test_a_page_does_not_call_a_pool_judged_in_part_a_random_sample(measures: list[str]) -> None:
    runs = {name: sample.runs[name] for name in ("lexical", "fused")}
    for named in (runs, {"fused": runs["fused"]}):
        origin = dict(read(report_page(sample.qrels, named, measures).html)["counts"])["how they were made"]
        assert origin.startswith("part of the pool was judged; ")
        assert origin.endswith("these judgments are not a random sample")
        assert "drawn at random" not in origin


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
def test_lines_of_minus_one_are_a_sample_only_if_the_others_were_drawn(tmp_path: Path) -> None:
    words = "a uniform sample, if the judged ones were drawn at random"
    qrels = tmp_path / "qrels.txt"
    pool = [line for line in Path(FILES[0]).read_text().splitlines() if not line.endswith("-1")]
    rng = np.random.default_rng(1)
    lines = [line if rng.random() < 0.5 else f"{line.rsplit(maxsplit=1)[0]} -1" for line in pool]
    qrels.write_text("\n".join(lines) + "\n")
    assert dict(read(report_page(qrels, sample.runs, "AP").html)["counts"])["how they were made"] == words
    assert words in " ".join(printed("check", str(qrels)).split())


@pytest.mark.parametrize(
    ("interval", "field"),
    [
        ("bounds(extra_relevant=2)", "low"),
        ("model(prevalence=0.2)", "estimate_low"),
        ("queries", "query_low"),
    ],
)
def test_a_page_has_any_interval_of_evaluate(interval: str, field: str) -> None:
    facts = read(report_page(sample.qrels, sample.runs, "AP", interval=interval).html)
    rows = evaluate(sample.qrels, sample.runs, "AP", interval=interval).rows["systems"]
    shown = dict(zip(facts["runs"], facts["measures"][0][field], strict=True))
    assert shown == {row["system"]: row[field] for row in rows}
    assert any(note.startswith(f"Intervals: {interval}") for note in facts["notes"])


def test_a_wide_range_does_not_take_a_place_away() -> None:
    """A run of TREC-8 that could score .01 to .89 "could not be placed", at place 111 to 129."""

    def row(name: str, low: float, high: float, places: tuple[int, int], doubtful: str = "") -> Row:
        columns = {"system": name, "low": low, "high": high, "doubtful": list(doubtful), "better_than": []}
        return {**columns, "place_low": places[0], "place_high": places[1]}

    rows = [row(name, 0.5, 0.51, (1, 4)) for name in "abcd"]
    for places, said in (((1, 6), ["e"]), ((3, 6), ["e"]), ((4, 6), []), ((6, 6), [])):
        assert unplaced([*rows, row("e", 0.1, 0.9, places, "f"), row("f", 0.1, 0.11, (5, 6))]) == said
    assert unplaced([*rows, row("e", 0.1, 0.9, (1, 6)), row("f", 0.1, 0.11, (5, 6))]) == []
