"""The data of a page is what the commands print, and no name in it can become markup."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.in_process import printed, refused, unjudged
from tests.report.unpacking import unpacked
from unjudged import Judgments, Run, UnjudgedWarning, UsageError, calibrate, compare, evaluate, sample
from unjudged.base.wording import plain
from unjudged.inference.verdict import BLUR, FLIP, HEADLINES, MORE_JUDGING
from unjudged.measures.kernel.names import parse_measure
from unjudged.rankings.runs import RunSource
from unjudged.report.page.packed import NOT_POOLED, WORDS, depth_kept
from unjudged.report.page.page_words import conclusions_of, words_for
from unjudged.results.words import headline_sentence
from unjudged.uncertainty.shared import SharedRankings

pytest.importorskip("jinja2")

from unjudged.report.page.report_page import Page, report_page

MEASURES = ["nDCG@10", "AP", "RBP(p=0.8)"]
SAMPLE = Path(sample.__file__).parent
FILES = [str(SAMPLE / "qrels.txt"), *(str(SAMPLE / f"{name}.run") for name in sample.runs)]
EXACT = ("difference", "low", "high", "p", "p_adjusted", "wins", "ties")
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "'\"`${alert(1)}",
    "x" * 300,
    "\u202eevil\u202c \u05e9\u05dc\u05d5\u05dd",
    "=1+2",
]


def read(html: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The facts and arrays of a page."""
    facts, arrays = (
        re.search(rf'id="{name}">(.*?)</script>', html, re.DOTALL) for name in ("facts-data", "arrays-data")
    )
    assert facts
    assert arrays
    known = json.loads(facts[1])
    return known, unpacked(known["arrays"], arrays[1])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "page.html"
    assert printed("report", *FILES, "-o", str(path)) == ""
    return path.read_text()


def options() -> list[str]:
    return [word for name in MEASURES for word in ("-m", name)]


def test_every_pair_equals_the_json_of_compare(written: str) -> None:
    facts, arrays = read(written)
    rows = json.loads(unjudged("compare", *FILES, *options(), "--pairs", "--format", "json").stdout)["rows"]
    count = len(arrays["first"])
    assert len(rows) == len(MEASURES) * count
    for i, row in enumerate(rows):
        k, pair = divmod(i, count)
        assert row["measure"] == facts["measures"][k]["name"]
        names = [facts["runs"][arrays[side][pair]] for side in ("first", "second")]
        assert [row["a"], row["b"]] == names
        for field, words in WORDS.items():
            assert row[field] == words[arrays[f"{field}{k}"][pair]]
        for field in EXACT:
            assert row[field] == arrays[f"{field}{k}"][pair]
        half, shift = (arrays[f"query_{name}{k}"][pair] for name in ("half", "shift"))
        assert shift == 0
        assert row["query_low"] == pytest.approx(row["difference"] - half, abs=1e-15)
        assert row["query_high"] == pytest.approx(row["difference"] + half, abs=1e-15)
        assert row["better"] in (None, row["a"], row["b"])
        for field in ("flip", "seen", *(("loss",) if row["more_judging"] == BLUR else ())):
            share = arrays[f"{field}{k}"][pair]
            assert share == np.float32(row[field]) if row[field] is not None else not np.isfinite(share)


def test_every_value_equals_the_json_of_evaluate(written: str) -> None:
    facts, arrays = read(written)
    rows = json.loads(unjudged("evaluate", *FILES, *options(), "-q", "--format", "json").stdout)["rows"]
    measures = [measure["name"] for measure in facts["measures"]]
    assert len(rows) == len(facts["runs"]) * (len(facts["queries"]) + 1) * len(measures)
    for row in rows:
        run, k = facts["runs"].index(row["run"]), measures.index(row["measure"])
        if row["query"] == "all":
            assert row["value"] == arrays[f"means{k}"][run]
        else:
            place = run * len(facts["queries"]) + facts["queries"].index(row["query"])
            assert row["value"] == arrays[f"values{k}"][place]


def test_every_interval_for_other_queries_equals_the_json_of_evaluate(written: str) -> None:
    facts, arrays = read(written)
    asked = ("evaluate", *FILES, *options(), "--interval", "queries", "--format", "json")
    for row in json.loads(unjudged(*asked).stdout)["rows"]:
        k = MEASURES.index(row["measure"])
        ends = arrays[f"queries{k}"].reshape(-1, 2)[facts["runs"].index(row["run"])]
        assert ends.tolist() == [row["low"], row["high"]]


def test_bounds_places_and_answers_are_those_of_compare(written: str) -> None:
    facts, arrays = read(written)
    found = compare(sample.qrels, sample.runs, MEASURES)
    for k, measure in enumerate(MEASURES):
        rows = {row["system"]: row for row in found.systems if row["measure"] == measure}
        bounds, places = (arrays[f"{name}{k}"].reshape(-1, 2).tolist() for name in ("bounds", "places"))
        assert bounds == [[rows[run]["low"], rows[run]["high"]] for run in facts["runs"]]
        assert places == [[rows[run]["place_low"], rows[run]["place_high"]] for run in facts["runs"]]
        for i, (a, b) in enumerate(zip(arrays["first"], arrays["second"], strict=True)):
            row = found.pair(facts["runs"][a], facts["runs"][b], measure)
            said = arrays["conclusions"][arrays[f"conclusion{k}"][i]]
            ahead, other = (row["a"], row["b"]) if row["ahead"] != row["b"] else (row["b"], row["a"])
            assert said.format(ahead=ahead, other=other) == headline_sentence(row)
            share = {FLIP: "flip", BLUR: "loss"}.get(row["more_judging"])
            if share is not None and (share == "flip" or row["p"] == row["p_adjusted"]):
                assert arrays[f"{share}{k}"][i] <= arrays[f"seen{k}"][i]


def test_rankings_are_those_of_the_runs(written: str) -> None:
    facts, arrays = read(written)
    starts = np.cumsum([0, *arrays["shown_counts"].tolist()])
    first = np.cumsum([0, *map(len, arrays["documents"])])
    judgments = Judgments.of(sample.qrels)
    known = dict(
        zip(
            zip(judgments.query.tolist(), judgments.documents, strict=True),
            judgments.grade.tolist(),
            strict=True,
        )
    )
    for i, name in enumerate(facts["runs"]):
        run = Run.of(sample.runs[name])
        for q, query in enumerate(facts["queries"]):
            s = i * len(facts["queries"]) + q
            places = arrays["shown"][starts[s] : starts[s + 1]]
            names = [arrays["documents"][q][place] for place in places]
            expected = run.ranking(query) if query in run.queries else []
            assert names == expected[: facts["depth"]]
            grades = [int(arrays["grades"][first[q] + place]) for place in places]
            assert grades == [known.get((q, name), NOT_POOLED) for name in names]
            judged = sum(grade >= 0 for grade in grades[: facts["top"]])
            assert arrays["judged_top"][s] == judged


def test_the_command_makes_the_same_page_again(written: str, tmp_path: Path) -> None:
    import shlex

    words = shlex.split(read(written)[0]["command"])
    assert words[:2] == ["unjudged", "report"]
    assert words[-2] == "--output"
    again = tmp_path / "again.html"
    printed(*words[1:-1], str(again))
    assert again.read_text() == written.replace(words[-1], str(again))


def test_files_are_known_by_their_hashes(written: str) -> None:
    import hashlib

    files = read(written)[0]["files"]
    assert [file["file"] for file in files] == FILES
    for file in files:
        assert file["sha256"] == hashlib.sha256(Path(file["file"]).read_bytes()).hexdigest()


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
    assert read(html)[0]["runs"] == [plain(name) for name in HOSTILE]


def test_one_run_and_a_measure_without_a_highest_value() -> None:
    facts, arrays = read(report_page(sample.qrels, sample.runs["fused"], ["P@10", "DCG@10"]).html)
    scores = evaluate(sample.qrels, {"run 1": sample.runs["fused"]}, ["P@10", "DCG@10"])
    for k in (0, 1):
        bounds = scores.estimate("bounds")[0][k]
        assert arrays[f"bounds{k}"].tolist() == [bounds.low, bounds.high]
        assert arrays[f"means{k}"].tolist() == [bounds.value]
        other = scores.estimate("queries")[0][k]
        assert arrays[f"queries{k}"].tolist() == [other.low, other.high]
    assert facts["tests"] is None


def test_calibrated_intervals() -> None:
    groups = {name: name for name in sample.runs}
    learnt = calibrate(sample.qrels, sample.runs, groups, MEASURES, depth=20)
    page = report_page(sample.qrels, sample.runs, MEASURES, calibration=learnt, alpha=0.3)
    _, arrays = read(page.html)
    expected = evaluate(sample.qrels, sample.runs, MEASURES).estimate(
        "calibrated", calibration=learnt, confidence=0.7
    )
    for k in range(3):
        assert arrays[f"calibrated{k}"].reshape(-1, 2).tolist() == [
            [row[k].low, row[k].high] for row in expected
        ]


def test_a_baseline_is_in_every_pair() -> None:
    facts, arrays = read(report_page(sample.qrels, sample.runs, "P@10", baseline="lexical").html)
    assert {facts["runs"][b] for b in arrays["second"]} == {"lexical"}
    assert facts["measures"][0]["words"][0].startswith("The baseline lexical has mean P@10")


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
        assert ("whatever is judged" in said) <= bool(row["sure"] or row["ahead"] is None)
        assert ("tied documents" in said) == (row["ahead"] is not None and row["in_other_orders"] is not None)


def test_the_answer_says_what_the_best_system_needs() -> None:
    found = compare(sample.qrels, sample.runs, MEASURES)
    words = words_for(found, parse_measure(MEASURES[0]), None)
    assert words == [
        "reranked has the highest mean nDCG@10, 0.4485.",
        "It is better than 3 of 5 other systems.",
        "Against dense it needs judging.",
        "Against fused it needs queries.",
        "15 pairs: 7 better; 2 need judging; 4 need queries; 2 need both.",
    ]
    qrels = {f"q{i}": {"good": 1, "bad": 0} for i in range(9)}
    runs = {name: {query: {name: 1.0} for query in qrels} for name in ("bad", "good", "both")}
    runs["both"] = {query: {"bad": 2.0, "good": 1.0} for query in qrels}
    words = words_for(compare(qrels, runs, "P@1"), parse_measure("P@1"), None)
    assert words[1:] == [
        "It is not shown to be better than any other system.",
        "With fewer than 10 queries no system is called better.",
        "3 pairs: 3 have few queries.",
    ]


def test_runs_from_an_iterator_are_read_once() -> None:
    runs: dict[str, RunSource] = {
        "a": iter([("q", "d1", 1.0), ("q", "d2", 0.5)]),
        "b": {"q": {"d2": 1.0, "d1": 0.5}},
    }
    page = report_page({"q": {"d1": 1}}, runs, "P@1")
    assert read(page.html)[1]["means0"].tolist() == [1.0, 0.0]


def test_a_page_in_a_notebook_is_a_frame() -> None:
    assert Page("<p>'\"</p>")._repr_html_().endswith('srcdoc="&lt;p&gt;&#x27;&quot;&lt;/p&gt;"></iframe>')


def test_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = str(tmp_path / "page.html")
    assert refused(2, "report", FILES[0], "-o", page).startswith("no run given")
    chosen = tmp_path / "chosen.txt"
    chosen.write_text("# unjudged-origin chosen: ...\n" + Path(FILES[0]).read_text())
    sentence = "infAP needs a random sample, and these judgments are chosen documents"
    assert sentence in refused(2, "report", str(chosen), *FILES[1:], "-m", "infAP", "-o", page)
    assert "cannot be written" in refused(1, "report", *FILES[:3], "-o", str(tmp_path / "no" / "page.html"))
    monkeypatch.setattr("unjudged.report.page.report_page.find_spec", lambda *_: None)
    with pytest.raises(UsageError, match=r"a report needs jinja2: pip install \"unjudged\[report\]\""):
        report_page(sample.qrels, sample.runs)


def test_the_more_rankings_the_fewer_documents_of_each() -> None:
    run = {f"q{i}": {f"d{j}": float(-j) for j in range(30)} for i in range(300)}
    qrels = {query: {"d1": 1} for query in run}
    for runs, depth in ((1, 30), (23, 20), (40, 10)):
        shared = SharedRankings.of(Judgments.of(qrels), {f"run {i}": run for i in range(runs)})
        assert depth_kept(shared) == depth


@pytest.mark.parametrize("names", [["fused"], ["fused", "dense"]])
def test_a_grade_that_no_document_has_is_noted(names: list[str]) -> None:
    """The page of one run said nothing."""
    with pytest.warns(UnjudgedWarning, match="No judged document has a grade of 9 or more"):
        page = report_page(sample.qrels, {name: sample.runs[name] for name in names}, "AP(rel=9)")
    assert "No judged document has a grade of 9 or more" in page.html


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
        options: dict[str, Any] = {"alpha": 0.3}
        if len(names) > 1:
            options["calibration"] = learnt
        sources = [{name: kind(listed[name]) for name in names} for kind in (list, iter)]
        pages = [report_page(sample.qrels, source, "AP", **options).html for source in sources]
        assert pages[0] == pages[1]


@pytest.mark.parametrize("names", [["fused"], ["fused", "dense", "lexical"]])
@pytest.mark.parametrize("form", ["strata", "prels"])
def test_a_sample_is_shown_with_the_estimator_that_fits(tmp_path: Path, form: str, names: list[str]) -> None:
    """Five columns were shown by AP with bounds from .0016 to .8952, and not called a sample."""
    qrels, page = tmp_path / "sampled.txt", tmp_path / "page.html"
    options = ["-d", "stratified", "--share", "30%", "--format", form]
    qrels.write_text(printed("sample", *FILES, *options))
    runs = {name: sample.runs[name] for name in names}
    measure = "xinfAP" if form == "strata" else "statAP"
    facts, arrays = read(report_page(qrels, runs).html)
    assert facts["measures"][0]["name"] == measure
    assert not facts["extras"]
    said = [*facts["notes"], *(line for one in facts["measures"] for line in one["words"])]
    assert any("estimates AP" in line and "pool judged" in line and "sample" in line for line in said)
    assert arrays["means0"].tolist() == [evaluate(qrels, runs, measure).value(measure, run=r) for r in names]
    assert set(facts["intervals"]) == {"queries"}

    report_page(qrels, runs, ["AP", "nDCG@10"]).save(page)
    facts, _ = read(page.read_text())
    assert any("sample" in note and f"{measure}, which allows" in note for note in facts["notes"])
    (section,) = facts["extras"]
    assert section["title"] == "Sample"
    expected = evaluate(qrels, runs, measure)
    assert section["table"]["rows"] == [[run, expected.value(measure, run=run)] for run in names]


@pytest.mark.parametrize("names", [["dense"], ["fused", "dense"]])
def test_a_run_unlike_the_pool_has_no_calibrated_bar(names: list[str]) -> None:
    """Its bounds were drawn as a calibrated interval of 100 %."""
    pooled = {name: run for name, run in sample.runs.items() if name != "dense"}
    learnt = calibrate(sample.qrels, pooled, {name: name for name in pooled}, "AP", depth=20)
    runs = {name: sample.runs[name] for name in names}
    facts, arrays = read(report_page(sample.qrels, runs, "AP", calibration=learnt, alpha=0.3).html)
    notes = " ".join(facts["notes"])
    assert "75% of the judged are relevant" in notes
    assert "for an interval judge a random sample" in notes
    if len(names) == 1:
        assert "calibrated" not in facts["intervals"]
    else:
        assert facts["intervals"]["calibrated"]["confidence"] == 0.7
        assert np.isnan(arrays["calibrated0"].reshape(-1, 2)).all(axis=1).tolist() == [False, True]


@pytest.mark.parametrize("names", [["fused"], ["fused", "dense", "lexical"]])
def test_a_calibration_gives_the_level_that_it_can(names: list[str]) -> None:
    """Six groups cannot give 95 %: there was no page."""
    groups = {name: name for name in sample.runs}
    learnt = calibrate(sample.qrels, sample.runs, groups, ["AP", "RR"], depth=20)
    learnt = replace(learnt, scores={"AP": learnt.scores["AP"], "RR": ()})
    runs = {name: sample.runs[name] for name in names}
    facts, arrays = read(report_page(sample.qrels, runs, ["RR", "AP"], calibration=learnt).html)
    most = 0.857
    few = replace(learnt, scores={"AP": learnt.scores["AP"][:-2]})
    assert report_page(sample.qrels, runs, ["AP"], calibration=few).html
    assert facts["intervals"]["calibrated"]["confidence"] == most
    notes = " ".join(facts["notes"])
    assert f"they can give at most {100 * most:g} %" in notes
    assert "RR: no interval: 0 left-out runs" in notes
    assert np.isnan(arrays["calibrated0"]).all()
    estimates = evaluate(sample.qrels, runs, "AP").estimate("calibrated", calibration=learnt, confidence=most)
    assert arrays["calibrated1"].reshape(-1, 2).tolist() == [[row[0].low, row[0].high] for row in estimates]


@pytest.mark.parametrize("measures", [["AP"], ["infAP", "AP"]])
@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
def test_a_page_does_not_call_a_pool_judged_in_part_a_random_sample(measures: list[str]) -> None:
    runs = {name: sample.runs[name] for name in ("lexical", "fused")}
    for named in (runs, {"fused": runs["fused"]}):
        known, _ = read(report_page(sample.qrels, named, measures).html)
        assert known["origin"].startswith("part of the pool was judged; ")
        assert known["origin"].endswith("these judgments are not a random sample")
        assert "drawn at random" not in known["origin"]


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
def test_lines_of_minus_one_are_a_sample_only_if_the_others_were_drawn(tmp_path: Path) -> None:
    words = "a uniform sample, if the judged ones were drawn at random"
    qrels = tmp_path / "qrels.txt"
    pool = [line for line in Path(FILES[0]).read_text().splitlines() if not line.endswith("-1")]
    rng = np.random.default_rng(1)
    lines = [line if rng.random() < 0.5 else f"{line.rsplit(maxsplit=1)[0]} -1" for line in pool]
    qrels.write_text("\n".join(lines) + "\n")
    assert read(report_page(qrels, sample.runs, "AP").html)[0]["origin"] == words
    assert words in printed("doctor", str(qrels))
