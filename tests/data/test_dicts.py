"""Plain dicts are read and matched directly, with the same results as in the general way."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections import OrderedDict, UserDict, defaultdict
from typing import Any

import numpy as np
import pytest
from fuzz.oracle import outcome, simple
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from tests.data.test_scanner_twins import Text
from unjudged import evaluate
from unjudged.base.errors import InputError, MissingQueriesWarning
from unjudged.collection import collection
from unjudged.data import matching
from unjudged.data import nested_dicts as memory
from unjudged.data.scan import scanner
from unjudged.data.tables import Ids, Matched, Table, Texts
from unjudged.rankings.judgments import Judgments

names = st.one_of(
    st.text(alphabet="abé", max_size=2),
    st.text(alphabet="aé\udcc3\udca9\ud800", max_size=2),
    st.sampled_from([Text("a"), np.str_("b"), b"a", 3]),
)
scores = st.one_of(
    st.sampled_from([0.0, -0.0, 1, 2.0, True, 1e300, np.float32(1), np.float64(2), np.int64(3), 10**18]),
    st.sampled_from([math.inf, math.nan, None, "1", "x", 10**400, [1], 1 + 2j]),
    st.floats(allow_nan=False, allow_infinity=False),
)
plain_names = st.text(alphabet="abé", max_size=2)
plain_scores = st.integers(-2, 3) | st.sampled_from([0.5, 2.0])
kinds: Any = st.sampled_from([dict, dict, dict, OrderedDict, UserDict, lambda d: defaultdict(float, d)])


def dicts_of(documents: Any, numbers: Any) -> Any:
    def made(entries: Any) -> Any:
        return st.tuples(kinds, entries).map(lambda pair: pair[0](pair[1]))

    inner = made(st.dictionaries(documents, numbers, max_size=7))
    return made(st.dictionaries(st.sampled_from(["p", "q", "é", "\udcff", "\ud800"]), inner, max_size=4))


any_dicts = st.one_of(dicts_of(plain_names, plain_scores), dicts_of(names, scores))
grades = dicts_of(plain_names, st.integers(-1, 3))


def in_general(call: Any) -> Any:
    """What the call comes to if no dict is taken for a plain one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "match_dicts", lambda *_: None)
        patch.setattr(scanner, "table_of_dicts", lambda _: None)
        return outcome(call)


def columns(table: Table) -> list[Any]:
    return [simple(getattr(table, name)) for name in ("queries", "starts", "documents", "numbers", "lines")]


@examples(300)
@given(any_dicts, st.sampled_from(["score", "grade"]))
def test_a_table_of_dicts(data: Any, number: str) -> None:
    def read() -> Any:
        return tuple(columns(memory.table_of_mapping(data, number)))

    assert outcome(read) == in_general(read)


@examples(300)
@given(grades, any_dicts, st.booleans())
def test_a_run_of_dicts(judged: Any, run: Any, from_bytes: bool) -> None:
    def match() -> Any:
        judgments = Judgments.read(judged)
        if from_bytes and len(judgments.documents.data):
            judgments = pickle.loads(pickle.dumps(judgments))
        rankings = collection.judged_rankings(judgments, {"mine": run})
        return rankings.query, rankings.retrieved, rankings.offsets, rankings.rank, rankings.row

    assert outcome(match) == in_general(match)


@pytest.mark.skipif(scanner.KIND_OF_SCANNER != "compiled", reason="only compiled code matches dicts directly")
def test_plain_dicts_are_matched_directly() -> None:
    judged = {"q": {"a": 1, "é": 0, "c": 2}, "r": {"b": 1}, "none": {}}
    run = defaultdict(dict, {"q": {"c": 0.5, "a": 0.5, "x": 2, "é": True}, "other": {"b": 1.0}})
    judgments = Judgments.read(judged)
    assert "index" not in judgments.pooled.__dict__
    keys = judgments.pooled.keys(run)
    found = scanner.match_dicts(run, keys.queries, keys.documents, judgments.offsets, 5)
    assert isinstance(found, Matched)
    assert simple(found) == simple(matching.match(memory.table_of_mapping(run, "score"), judgments.index))
    assert found.rank.tolist() == [2, 3, 4]
    assert found.query.tolist() == [0, -1]
    assert scanner.match_dicts(run, keys.queries, keys.documents, judgments.offsets, 4) is None
    assert scanner.match_dicts({"q": {}}, keys.queries, keys.documents, judgments.offsets, 4) is None


@pytest.mark.skipif(scanner.KIND_OF_SCANNER != "compiled", reason="only compiled code reads dicts directly")
@pytest.mark.parametrize(
    ("number", "whole"),
    [
        *((number, True) for number in (0, -1, 2.0, True, -(2**31), 2**31 - 1)),
        *((number, False) for number in (0.5, 2**31, -(2**31) - 1, math.nan, math.inf)),
    ],
)
def test_the_reader_of_dicts_tells_whole_numbers_of_32_bits(number: float, whole: bool) -> None:
    table = scanner.table_of_dicts({"q": {"a": 1, "b": number}, "r": {"c": 0}})
    assert table is not None
    assert table.extent == ((min(0, number), max(1, number)) if whole else None)


def test_judgments_from_a_file_name_only_the_documents_they_need(tmp_path: Any) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(b"q 0 a 1\nq 0 \xff 1\nr 0 b 1\ns 0 c 0\n")
    judgments = Judgments.read(path)
    with pytest.warns(MissingQueriesWarning):
        scores = evaluate(judgments, {"q": {"a": 2.0, "\udcff": 1.0}, "s": {"c": 1.0}}, "P@2")
    assert scores.values.ravel().tolist() == [1.0, 0.0, 0.0]
    if scanner.KIND_OF_SCANNER == "compiled":
        assert judgments.pooled.keys([]).documents == ["a", "\udcff", None, "c"]


def test_limits_hold_for_dicts(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments = Judgments.read({"q": {"a": 1}})
    monkeypatch.setenv("UNJUDGED_MAX_ROWS", "2")
    assert evaluate(judgments, {"q": {"a": 1, "b": 2}}, "RR").value("RR") == 0.5
    for run in ({"q": {"a": 1, "b": 2, "c": 3}}, {"q": {"a": 1, "b": 2}, "other": {"a": 1}}):
        with pytest.raises(InputError, match="takes more than 2 rows"):
            evaluate(judgments, run, "RR")
    with pytest.raises(InputError, match="no rows"):
        evaluate(judgments, {"q": {}}, "RR")


CHANGED_BY_ANOTHER_THREAD = """
import sys, threading
from unjudged import evaluate
from unjudged.base.errors import UnjudgedError
from unjudged.compat import pytrec_eval
sys.setswitchinterval(1e-6)
documents = [f"d{i}" + sys.argv[1].encode().decode("unicode_escape") for i in range(400)]
ranking, judged, run, done = {"d": 1.0}, {"d": 1}, {}, False
grades, names = {"q": dict.fromkeys(documents[::4], 1)}, {"map", "num_ret", "num_rel_ret"}
evaluator = pytrec_eval.RelevanceEvaluator(grades, names)

def change():
    i = 0
    while not done:
        i += 1
        key = "".join(documents[i % 400])
        for changing, value in ((ranking, i % 9 / 2), (judged, i % 2), (run, ranking)):
            if i % 3:
                changing[key] = value
            else:
                changing.pop(key, None)
            if i % 5000 == 0:
                changing.clear()

def check_both():
    mine = {"q": ranking, **dict(run)}
    found = evaluate({"q": judged}, {"mine": mine}, ["P@5", "NumRet", "NumRelRet"])
    precision, retrieved, relevant = found.values.ravel().tolist()
    assert 0 <= precision <= 1 and relevant <= retrieved <= 401, found

def check_drop_in():
    found = evaluator.evaluate({"q": ranking})["q"]
    assert found["num_rel_ret"] <= found["num_ret"] <= 401 and 0 <= found["map"] <= 1, found

thread = threading.Thread(target=change)
thread.start()
finished = 0
try:
    for _ in range(200):
        for check in (check_both, lambda: evaluate({"q": judged}, {"mine": run}, "P@5"), check_drop_in):
            try:
                if check is check_drop_in or "udcff" not in sys.argv[1]:  # evaluate takes seconds for them
                    check()
            except UnjudgedError:
                pass
            finished += 1
finally:
    done = True
    thread.join()
print(finished)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("ending", ["", r"\xe9", r"\u0105", r"\udcff"])
def test_dicts_that_another_thread_changes(ending: str) -> None:
    command = [sys.executable, "-c", CHANGED_BY_ANOTHER_THREAD, ending]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "600\n"


def test_names_of_dicts_have_the_bytes_of_columns_when_asked_for() -> None:
    """Dicts keep their keys; whoever needs bytes gets those that a column of the same names has."""
    names = ["b", "", "é", "\U0001f600"]
    texts, ids = Texts(names), Ids.of(names)
    assert (len(texts), list(texts), texts[2], "é" in texts) == (4, names, "é", True)
    assert (texts.data.tolist(), texts.offsets.tolist()) == (ids.data.tolist(), ids.offsets.tolist())
    assert texts.tolist() == ids.tolist()
    assert list(texts.take(np.array([3, 0]))) == ["\U0001f600", "b"]
    assert pickle.dumps(Texts(names)) == pickle.dumps(texts) == pickle.dumps(ids)
    with pytest.raises(AttributeError, match="bytes"):
        _ = texts.bytes
