"""A collection is the same from a description, from files and from objects, in every question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unjudged
from tests.report.test_page import said
from unjudged import (
    Collection,
    InputError,
    Judgments,
    Run,
    UsageError,
    calibrate,
    compare,
    compare_collections,
    evaluate,
    gate,
    report_page,
    sample,
)
from unjudged.collection.description import description_above
from unjudged.measures.kernel.measure import MEASURES
from unjudged.rankings.origin import Origin

HERE = sample.qrels.parent
RUNS = {name: str(file) for name, file in sample.runs.items()}


def described(folder: Path, text: str, name: str = "collection.toml") -> str:
    file = folder / name
    file.write_text(text.replace("SAMPLE", str(HERE)))
    return str(file)


PLAIN = '[judgments]\nfile = "SAMPLE/qrels.txt"\n[runs]\n' + "".join(
    f'{name} = "SAMPLE/{name}.run"\n' for name in RUNS
)


def test_every_question_takes_a_description(tmp_path: Path) -> None:
    file = described(tmp_path, PLAIN)
    collection = Collection(file)
    assert list(collection.runs) == list(RUNS)
    for source in (file, Path(file), str(tmp_path), collection):
        assert str(evaluate(source, measures="AP")) == str(evaluate(sample.qrels, RUNS, "AP"))
        assert str(compare(source)) == str(compare(sample.qrels, RUNS))
        asked, again = gate(source, "dense", "fused"), gate(sample.qrels, RUNS["dense"], RUNS["fused"])
        assert asked.sentence() == again.sentence()
        told = compare_collections({"one": source, "two": (sample.qrels, RUNS)})
        assert len(told.settings["collections"]) == 2
        assert (
            unjudged.judging.next(source, n=2).wanted == unjudged.judging.next(sample.qrels, RUNS, n=2).wanted
        )
    named = described(tmp_path, f'name = "support"\n{PLAIN}', "named.toml")
    assert "support" in said(report_page(named, measures="P@10", command="x").html)
    page = report_page(file, measures="P@10", command="x").html
    assert page == report_page(sample.qrels, RUNS, "P@10", command="x").html


def test_runs_are_chosen_by_name(tmp_path: Path) -> None:
    file = described(tmp_path, PLAIN.replace("dense", "old"))
    (tmp_path / "old.run").write_bytes(Path(RUNS["dense"]).read_bytes())
    file = described(tmp_path, PLAIN.replace('"SAMPLE/dense.run"', '"old.run"').replace("dense =", "old ="))
    assert compare(file, ["old", "fused"]).settings["systems"] == ["old", "fused"]
    assert list(Collection(file, "fused").runs) == ["fused"]
    both = Collection(file, ["fused", RUNS["dense"]])
    assert list(both.runs) == ["fused", "dense"]
    assert list(both.chosen("dense").runs) == ["dense"]
    assert list(Collection(file, {"mine": RUNS["dense"]}).runs) == ["mine"]
    run = Run.read(sample.runs["dense"])
    assert gate(file, "fused", run).settings["new"] == "run 1"
    with pytest.raises(UsageError, match="no run is called 'dnese'; there are boolean, lexical, expanded"):
        compare(file, ["dnese", "fused"])
    with pytest.raises(UsageError, match="no run is called 'dnese'"):
        gate(collection := Collection(sample.qrels, RUNS), "fused", "dnese")
    assert gate(collection, "fused", "dense").settings["old"] == "fused"


def test_what_a_call_does_not_name_is_described(tmp_path: Path) -> None:
    text = (
        "relevant = 2\n" + PLAIN + '[defaults]\nmeasures = ["AP", "P@10"]\nbaseline = "fused"\nalpha = 0.2\n'
    )
    file = described(tmp_path, text + 'test = "wilcoxon"\nmargin = { AP = 0.01 }')
    names = ["AP(rel=2)", "P(rel=2)@10"]
    assert list(map(str, evaluate(file).measures)) == names
    assert list(map(str, evaluate(file, measures="AP(rel=1),nDCG@10").measures)) == ["AP(rel=1)", "nDCG@10"]
    found = compare(file)
    assert (found.measures, found.settings["baseline"], found.settings["alpha"]) == (names, "fused", 0.2)
    assert found.settings["test"] == "Wilcoxon signed-rank test"
    named = compare(file, ["dense", "boolean"], "RR", alpha=0.01, test="t")
    assert (named.settings["baseline"], named.settings["alpha"]) == (None, 0.01)
    assert named.measures == ["RR(rel=2)"]
    assert gate(file, "dense", "fused").settings["margin"] == 0.01
    assert [check["measure"] for check in gate(file, "dense", "fused").checks] == ["AP(rel=2)"]
    asked = gate(file, "dense", "fused", ["AP", "P@10"])
    assert asked.settings["margin"] == {"AP(rel=2)": 0.01, "P(rel=2)@10": 0.0}
    assert gate(file, "dense", "fused", margin=0.3).settings["margin"] == 0.3
    assert unjudged.judging.next(file, n=1).settings["measure"] == "AP(rel=2)"
    changed = Collection(file).override("relevant=1", "defaults.alpha=0.1", "defaults.measures=['P@5']")
    assert compare(changed).settings["alpha"] == 0.1
    assert compare(changed).measures == ["P(rel=1)@5"]


def test_the_same_words_in_python(tmp_path: Path) -> None:
    by = {f"q{k:02d}": "head" if k < 15 else "tail" for k in range(1, 31)}
    (tmp_path / "by.json").write_text(json.dumps(by))
    file = described(tmp_path, 'segments = "by.json"\nties = "expected"\nrelevant = 2\n' + PLAIN)
    same = Collection(sample.qrels, RUNS, segments=by, ties="expected", relevant=2)
    for source in (file, same):
        found = compare(source, measures="AP")
        assert {row["segment"] for row in found.rows["segments"]} == {"head", "tail", "all"}
        assert [one["segment"] for one in gate(source, "dense", "fused").checks] == ["head", "tail", "all"]
        assert "Differences by segment" in said(report_page(source, measures="P@10").html)
    first, second, third = (
        evaluate(file, None, "AP"),
        evaluate(same, None, "AP"),
        evaluate(same, None, "AP", ties="expected"),
    )
    assert str(first) == str(second) == str(third)
    with pytest.raises(UsageError, match=r"relevent is not a key; did you mean relevant\?"):
        Collection(sample.qrels, RUNS, relevent=2)
    with pytest.raises(UsageError, match="relevant is 'two', expected a number"):
        Collection(sample.qrels, RUNS, relevant="two")
    with pytest.raises(UsageError, match=r"how is 'pol', expected one of .*did you mean pool\?"):
        Collection(sample.qrels, RUNS, how="pol")


def test_how_judgments_were_made(tmp_path: Path) -> None:
    plain, strata = "q 0 d 1\nq 0 e 0\n", "q 0 d 1 1\nq 0 e 1 0\nq 0 f 1 -1\n"
    (tmp_path / "plain").write_text(plain)
    (tmp_path / "drawn").write_text(plain + "q 0 f -1\n")
    (tmp_path / "strata").write_text(strata)
    (tmp_path / "chosen").write_text("# unjudged-origin chosen: x\n" + plain)

    def origin(file: str, keys: str) -> Origin:
        return Collection(described(tmp_path, f'[judgments]\nfile = "{file}"\n{keys}')).judgments.origin

    assert origin("plain", "") == Origin("pool")
    assert origin("plain", "depth = 10") == Origin("pool", 10)
    assert origin("plain", 'how = "unknown"') == Origin("unknown")
    assert origin("plain", 'how = "chosen"\ndepth = 3') == Origin("chosen", 3)
    assert origin("drawn", "") == Origin("uniform sample")
    assert origin("drawn", 'how = "pool"') == Origin("pool")
    assert origin("drawn", 'how = "sample"') == Origin("uniform sample")
    assert origin("strata", 'how = "sample"\ndepth = 5') == Origin("stratified sample", 5)
    assert Collection({"q": {"d": 1}}, how="unknown").judgments.origin == Origin("unknown")
    for file, how, problem in (
        ("plain", "sample", "is 'sample', and the file does not record what was drawn, and without runs"),
        ("strata", "pool", "is 'pool', and the file records a stratified sample"),
        ("chosen", "pool", "is 'pool', and the file records chosen documents"),
    ):
        with pytest.raises(InputError, match=f"collection.toml:3: judgments.how {problem}"):
            origin(file, f'how = "{how}"')


def test_the_depth_of_the_pool_narrows_bounds(tmp_path: Path) -> None:
    file = described(tmp_path, PLAIN.replace("[runs]", 'how = "pool"\ndepth = 10\n[runs]'))
    found, again = compare(file, measures="AP"), compare(sample.qrels, RUNS, "AP", pool_depth=10)
    assert repr(found.rows) == repr(again.rows) != repr(compare(sample.qrels, RUNS, "AP").rows)


def test_files_of_several_people_are_united(tmp_path: Path) -> None:
    for name, text in {
        "a": "q 0 d 1\nq 0 e 0\n",
        "b": "q 0 d 2\nq 0 f 1\n",
        "c": "q 0 d 2\nr 0 e 1\n",
    }.items():
        (tmp_path / name).write_text(text)

    def grades(*conflicts: str) -> dict[tuple[str, str], int]:
        keys = [*conflicts, *[""] * (3 - len(conflicts))]
        text = "".join(f'[[judgments]]\nfile = "{n}"\n{key}\n' for n, key in zip("abc", keys, strict=True))
        judgments = Collection(described(tmp_path, text)).judgments
        return dict(
            zip(
                judgments.pooled.names(np.arange(len(judgments.grade))), judgments.grade.tolist(), strict=True
            )
        )

    rest = {("q", "e"): 0, ("q", "f"): 1, ("r", "e"): 1}
    assert grades("", 'conflicts = "majority"') == {("q", "d"): 2, **rest}
    assert grades('conflicts = "highest"', 'conflicts = "highest"') == {("q", "d"): 2, **rest}
    for keys in ((), ('conflicts = "error"',)):
        with pytest.raises(InputError, match=r"1 document judged with different grades: q d \(\S+a: 1, "):
            grades(*keys)
    with pytest.raises(
        InputError, match=r"toml:6: judgments.conflicts has different rules, 'last' and 'highest'"
    ):
        grades('conflicts = "last"', 'conflicts = "highest"')
    (tmp_path / "b").write_text("q 0 d 1\n")
    (tmp_path / "c").write_text("q 0 d 1\n")
    assert grades() == {("q", "d"): 1, ("q", "e"): 0}
    twice = '[[judgments]]\nfile = "a"\n' * 3
    with pytest.raises(InputError, match=r"toml:5: judgments has the name '.*a', as others do"):
        Collection(described(tmp_path, twice))


def test_models_are_never_mixed_with_people(tmp_path: Path) -> None:
    (tmp_path / "people").write_text("q 0 d 1\nq 0 e 0\n")
    (tmp_path / "model").write_text("q 0 d 0\nq 0 e 2\n")
    people, model = (
        '[[judgments]]\nfile = "people"\n',
        '[[judgments]]\nfile = "model"\nby = "model"\nname = "m"\n',
    )
    both = Collection(described(tmp_path, model + people))
    assert both.judgments.highest == 1
    assert both.predictions == {"m": str(tmp_path / "model")}
    assert both.notes == []
    alone = Collection(described(tmp_path, model), {"a": {"q": {"d": 1.0}}, "b": {"q": {"e": 1.0}}})
    assert (alone.judgments.highest, alone.predictions) == (2, {})
    said = "The judgments are by a model, m: there are none by people."
    assert said in evaluate(alone, measures="AP").notes
    assert said in compare(alone, measures="AP").notes
    with pytest.raises(InputError, match=r"toml:5: judgments are of several models and none by people"):
        Collection(described(tmp_path, model + model.replace('"m"', '"n"')))
    python = Collection({"q": {"d": 1}}, predictions={"q": {"d": 0.3}})
    assert python.predictions == {"predictions": {"q": {"d": 0.3}}}


def test_predictions_are_named(tmp_path: Path) -> None:
    people = {"q1": {"d1": 1, "d2": -1, "d3": 0}, "q2": {"d1": -1, "d2": 0, "d3": 1}}
    model = {q: {"d1": 0.9, "d2": 0.5, "d3": 0.1} for q in people}
    runs = {"a": model, "b": {q: {"d3": 1.0, "d2": 0.5} for q in people}}
    other = {q: {"d1": 0.1, "d2": 0.5, "d3": 0.9} for q in people}
    models = {"m": Run.read(model), "n": Run.read(other)}
    collection = Collection(people, runs, predictions=models, how="sample")
    named = compare(collection, measures="P@3", predictions="m")
    alone = Collection(people, runs, how="sample")
    assert str(named.rows) == str(compare(alone, measures="P@3", predictions=model).rows)
    assert str(named.rows) != str(compare(collection, measures="P@3").rows)


def test_pooled_runs_with_groups_are_a_calibration(tmp_path: Path) -> None:
    keys = 'depth = 20\npooled = ["boolean", "lexical", "dense", "fused"]\n'
    file = described(tmp_path, 'groups = "^(.)"\n' + PLAIN.replace("[runs]", f"{keys}[runs]"))
    pooled = {name: RUNS[name] for name in ("boolean", "lexical", "dense", "fused")}
    learnt = calibrate(file, measures="AP")
    assert learnt.scores == calibrate(sample.qrels, pooled, "^(.)", "AP", depth=20).scores
    assert evaluate(file, interval="calibrated").measures[-1] == "Judged@10"  # which has no bounds
    learnt.save(tmp_path / "learnt.json")
    saved = described(tmp_path, PLAIN.replace("[runs]", 'calibration = "learnt.json"\n[runs]'), "saved.toml")
    same = Collection(sample.qrels, RUNS, depth=20, calibration=learnt)
    given = report_page(same, None, "AP", alpha=0.4, command="x")
    page = report_page(file, measures="AP", alpha=0.4, command="x")
    assert page.html == given.html
    assert "alibrated" in said(report_page(saved, measures="AP", alpha=0.4).html)
    with pytest.raises(
        UsageError, match="groups are needed: a mapping of runs to groups, a file, or a pattern"
    ):
        calibrate(sample.qrels, RUNS)


def test_scores_in_place_of_judgments(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("query,a,b,c\nq1,0.1,0.2,0.3\nq2,0.2,0.1,0.4\nq3,0.1,0.3,0.2\n")
    file = described(tmp_path, '[scores]\nfile = "scores.csv"\nmeasures = "p50"\nlower = "p50"\n')
    assert repr(Collection(file)).startswith("Collection(scores of ")
    assert evaluate(file).runs == ["a", "b", "c"]
    assert evaluate(file, ["c", "a"]).runs == ["c", "a"]
    table = unjudged.Scores.read(str(tmp_path / "scores.csv"), "p50", lower="p50")
    assert compare(file).rows == compare(table).rows
    assert compare(file, ["c", "b"]).rows == compare(table, ["c", "b"]).rows
    assert gate(file, "a", "c").sentence() == gate(table, "a", "c").sentence()
    assert (
        compare_collections({"one": file, "two": table}).systems
        == compare_collections({"one": table, "two": table}).systems
    )
    assert report_page(file, command="x").html == report_page(table, command="x").html
    with pytest.raises(UsageError, match="there are no judgments, expected a file of grades"):
        _ = Collection(file).judgments
    with pytest.raises(UsageError, match="no system is called 'd'; there are a, b, c"):
        compare(file, ["a", "d"])


def test_code_is_run_only_from_a_description_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.py").write_text(
        "from unjudged import measure\n@measure()\ndef Own(rankings):\n    return rankings.retrieved * 0.0\n"
    )
    file = described(tmp_path, 'code = "own.py"\n' + PLAIN)
    monkeypatch.chdir(tmp_path)
    found = description_above()
    assert found is not None
    Collection(found)
    assert "Own" not in MEASURES
    try:
        assert list(map(str, evaluate(file, measures="Own").measures)) == ["Own"]
    finally:
        MEASURES.pop("Own", None)


def test_a_folder_of_beir(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n")
    run: dict[str, Any] = {"q1": {"d2": 2.0, "d1": 1.0}}
    assert evaluate(tmp_path, {"mine": run}, "RR").value("RR", run="mine") == 0.5
    with pytest.raises(UsageError, match="no run given, expected at least one"):
        evaluate(tmp_path)


def test_columns_and_patterns_of_runs(tmp_path: Path) -> None:
    (tmp_path / "qrels.csv").write_text("topic,url,stars\nq,d,1\nq,e,0\n")
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("topic,url,cosine\nq,d,0.3\nq,e,0.4\n")
    text = 'runs = ["[ab].csv"]\ncolumns = { query = "topic", document = "url", score = "cosine" }\n'
    text += (
        '[judgments]\nfile = "qrels.csv"\ncolumns = { query = "topic", document = "url", grade = "stars" }\n'
    )
    file = described(tmp_path, text)
    assert evaluate(file, measures="RR").means.tolist() == [[0.5], [0.5]]
    assert list(Collection(file).runs) == ["a", "b"]
    with pytest.raises(InputError, match="no file matches"):
        Collection(described(tmp_path, 'runs = ["none/*.run"]'))


def test_a_collection_is_read_once() -> None:
    read: list[str] = []
    collection = Collection(sample.qrels, RUNS, on_read=read.append)
    evaluate(collection, None, "AP")
    compare(collection)
    assert read == [*RUNS, *RUNS]  # streamed once for scores, and read once for one pool
    compare(collection)
    evaluate(collection, None, "P@10")
    assert len(read) == 2 * len(RUNS)
    assert isinstance(collection.judgments, Judgments)
