"""pytrec_eval's calls: its README's example, what it refuses, and what makes it crash."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unjudged import evaluate
from unjudged.base.errors import InputError, UnjudgedError, UsageError
from unjudged.compat import pytrec_eval
from unjudged.data.nested_dicts import WrongType

QRELS = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
RUN = {"q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5}, "q2": {"d1": 1.5, "d2": 0.2, "d3": 0.5}}


def test_the_example_of_its_readme() -> None:
    """With nothing changed but the import."""
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"map", "ndcg"})
    assert json.loads(json.dumps(evaluator.evaluate(RUN), indent=1)) == {
        "q1": {"ndcg": 0.5, "map": 0.3333333333333333},
        "q2": {"ndcg": 0.6934264036172708, "map": 0.5833333333333333},
    }


def test_the_same_names_as_pytrec_eval() -> None:
    theirs = pytest.importorskip("pytrec_eval")
    assert pytrec_eval.supported_measures == theirs.supported_measures
    assert pytrec_eval.supported_nicknames == theirs.supported_nicknames
    for wanted in ({"P_5", "P.10,3"}, ["ndcg_cut_10"], {"official"}, {"set_F.2"}, {"iprec_at_recall.0.5"}):
        ours = pytrec_eval.RelevanceEvaluator(QRELS, wanted).evaluate(RUN)
        assert ours == theirs.RelevanceEvaluator(QRELS, wanted).evaluate(RUN)
        assert list(ours["q1"]) == list(theirs.RelevanceEvaluator(QRELS, wanted).evaluate(RUN)["q1"])


def values(qrels: Any, run: Any, measures: Any = ("map",), **options: Any) -> Any:
    return pytrec_eval.RelevanceEvaluator(qrels, measures, **options).evaluate(run)


def test_a_topic_with_nothing_judged_and_a_level_above_every_grade() -> None:
    """pytrec_eval crashes on the first."""
    judged, run = {"q": {"d": -1}, "r": {"d": 1}}, {"q": {"d": 1.0}, "r": {"d": 1.0}}
    scores = values(judged, run, pytrec_eval.supported_measures)
    assert scores["q"]["map"] == scores["q"]["num_rel"] == 0.0
    assert scores["r"]["map"] == 1.0
    found = values({"q": {"d": 1}}, {"q": {"d": 1.0}}, {"bpref", "map"}, relevance_level=9)
    assert found == {"q": {"map": 0.0, "bpref": 0.0}}


def test_what_is_left_out() -> None:
    judged = {**QRELS, "empty": {}}
    assert values(judged, {}, {"num_ret"}) == {}
    run = {"q2": {"d": 1.0}, "other": {"d": 1.0}, "empty": {"d": 1.0}}
    assert values(judged, run, {"num_ret"}) == {"q2": {"num_ret": 1.0}}
    assert values({}, RUN) == {}


def test_scores_of_every_kind_of_number_tie_in_single_precision() -> None:
    for score in (2, True, np.float32(2.5), np.float64(2.5), np.int64(3), math.inf):
        assert values({"q": {"a": 1}}, {"q": {"a": score, "b": 0.5}}) == {"q": {"map": 1.0}}
    assert values({"q": {"a": 1}}, {"q": {"a": 16777217.0, "b": 16777216.0}}) == {"q": {"map": 0.5}}


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        ([], TypeError, "should be of type dictionary"),
        ({"q": 1.0}, TypeError, "query 'q' holds a float"),
        ({"q": {"a": "1.0"}}, TypeError, "document 'a': the score is '1.0', expected a number"),
        ({"q": {"b": None}}, TypeError, "document 'b': the score is 'None'"),
        ({"q": {"a": math.nan}}, InputError, "document 'a': the score is nan"),
        ({"q": {"b": math.nan}}, InputError, "document 'b': the score is nan"),
        ({"q": {7: 1.0}}, TypeError, "document '7' is an int, expected a string"),
        ({"q": {"a": [1.0]}}, TypeError, "document 'a': the score is a list, expected a number"),
        ({"q": {"a": 1, "b": [2]}}, TypeError, "document 'b': the score is a list, expected a number"),
        ({"q": ["a"]}, TypeError, "query 'q' holds a list, expected a dict"),
        ({"q": {"a": 10**400}}, InputError, "document 'a': the score is too large"),
        ({"q": {"b": 10**5000}}, InputError, "document 'b': the score is too large"),
        ({"q": {"\ud800": 1.0}}, InputError, r"document '\\ud800' has a lone surrogate"),
        ({"q": {"\ud800": 1.0, "a": 1.0}}, InputError, r"document '\\ud800' has a lone surrogate"),
        ({"q": {"é": 1.0, "\udcc3\udca9": 1.0}}, InputError, "appears twice"),
    ],
)
def test_wrong_runs(run: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        values({"q": {"a": 1}}, run)
    assert isinstance(raised.value, UnjudgedError)


@pytest.mark.parametrize("kind", [OrderedDict, Counter, UserDict, ChainMap, lambda d: defaultdict(dict, d)])
def test_every_kind_of_dict(kind: Callable[[Any], Any]) -> None:
    expected = pytrec_eval.RelevanceEvaluator(QRELS, {"map", "ndcg"}).evaluate(RUN)
    qrels = kind({query: kind(grades) for query, grades in QRELS.items()})
    run = kind({query: kind(scores) for query, scores in RUN.items()})
    assert pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg"}).evaluate(run) == expected


def test_the_entries_of_a_dict_count_whatever_its_methods_return() -> None:
    class Odd(dict):  # type: ignore[type-arg]
        def __len__(self) -> int:
            return 1 << 40

        def items(self) -> Any:
            return [("x", 9.0)]

        def __getitem__(self, key: str) -> float:
            return 0.0

    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"map"})
    odd = {query: Odd(scores) for query, scores in RUN.items()}
    assert evaluator.evaluate(odd) == evaluator.evaluate(RUN)
    stranger = {query: Odd({**scores, "é\udcff": np.float32(-9)}) for query, scores in RUN.items()}
    assert evaluator.evaluate(stranger) == evaluator.evaluate(RUN)


class Shown(dict[str, Any]):
    """A dict that names a key it does not hold."""

    def __iter__(self) -> Iterator[str]:
        return iter(["none"])

    def keys(self) -> Any:
        return ["none"]


class Claiming(UserDict[str, Any]):
    """A mapping with entries other than it says."""

    claimed: Any = None

    def __len__(self) -> int:
        return 7 if self.claimed is None else len(self.data)

    def items(self) -> Any:
        return self.data.items() if self.claimed is None else self.claimed


def test_mappings_that_lie() -> None:
    expected = pytrec_eval.RelevanceEvaluator(QRELS, {"map"}).evaluate(RUN)
    shown = Shown({query: Shown(grades) for query, grades in QRELS.items()})
    assert pytrec_eval.RelevanceEvaluator(shown, {"map"}).evaluate(Shown(RUN)) == expected
    lying: Any
    for lying in (Claiming(RUN), {"q1": Claiming(RUN["q1"])}, {"q1": Claiming()}):
        with pytest.raises(InputError, match="a Claiming changed while it was read, or its length is wrong"):
            pytrec_eval.RelevanceEvaluator(QRELS, {"map"}).evaluate(lying)
        with pytest.raises(InputError, match="a Claiming changed while it was read, or its length is wrong"):
            pytrec_eval.RelevanceEvaluator(lying, {"map"})
    odd: Any = Claiming(RUN)
    for odd.claimed, message in (
        (["q1", "q2"], "its length is wrong"),
        ([("q1", {"d1": 1}), ("q1", {"d1": 0})], "has a key twice"),
        ([([], {"d1": 1}), ("q1", {"d1": 0})], "has a key that cannot be hashed"),
    ):
        with pytest.raises(InputError, match=message):
            pytrec_eval.RelevanceEvaluator(odd, {"map"})


BIG = "99999999999999999999999"
WRONG: list[tuple[Any, Any, Any, type[Exception], str]] = [
    *((QRELS, {"map"}, level, WrongType, "relevance_level should be positive") for level in (0, -1, 10**400)),
    *(
        (QRELS, {"map"}, level, WrongType, "relevance_level should be an integer")
        for level in (1.5, "1", None)
    ),
    *(
        (QRELS, {cutoffs}, 1, UsageError, "expected numbers up to 2147483647")
        for cutoffs in (f"P_{BIG}", "ndcg_cut.5,2147483648", "P_" + "9" * 5000)
    ),
    (QRELS, {"nothing"}, 1, UsageError, "unsupported measure 'nothing'"),
    (QRELS, {"P_٣"}, 1, UsageError, "unsupported measure 'P_٣'"),
    (QRELS, {"P_0"}, 1, UsageError, "Negative cutoff"),
    (QRELS, {5}, 1, WrongType, "a measure is of type int"),
    (QRELS, 5, 1, WrongType, "should be a collection of names"),
    ([], {"map"}, 1, WrongType, "query_relevance should be of type dictionary"),
    ({"q": ["d"]}, {"map"}, 1, WrongType, "query 'q' holds a list, expected a dict"),
    ({"q": 5}, {"map"}, 1, WrongType, "query 'q' holds an int, expected a dict"),
    ({"q": "d"}, {"map"}, 1, WrongType, "query 'q' holds a str, expected a dict"),
    *(({"q": {d: g}}, {"map"}, 1, InputError, ".") for d, g in (("d", 10**400), ("\ud800", 1), (3, 1))),
    ({"q": {"d": 0.5}}, {"map"}, 1, InputError, r"the grade of document 'd' of query 'q' is '0\.5'"),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_wrong_evaluators(case: int) -> None:
    qrels, measures, level, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=level)


LINES = ["q1 Q0 d1 1 2.5 tag\n", "q2 Q0 é 1 1 tag\n", "q1 Q0 d2 2 -1e3 tag\n"]
PARSED = {"q1": {"d1": 2.5, "d2": -1000.0}, "q2": {"é": 1.0}}


def test_runs_from_lines_and_files(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("".join(LINES), encoding="utf-8")
    assert pytrec_eval.parse_run(LINES) == pytrec_eval.parse_run(line.strip() for line in LINES) == PARSED
    assert pytrec_eval.parse_run(io.StringIO("".join(LINES))) == PARSED
    with path.open(encoding="utf-8") as file:
        assert pytrec_eval.parse_run(file) == PARSED
    with path.open(encoding="utf-8") as file:
        next(file)
        assert pytrec_eval.parse_run(file) == {"q1": {"d2": -1000.0}, "q2": {"é": 1.0}}
    with path.open(encoding="latin-1") as file:
        assert pytrec_eval.parse_run(file)["q2"] == {"Ã©": 1.0}
    assert pytrec_eval.parse_run(LINES)["nothing"] == {}


def test_judgments_from_lines() -> None:
    judged = pytrec_eval.parse_qrel(["q1 0 d1 2", "q1 0 d2 -1"])
    assert judged == {"q1": {"d1": 2, "d2": -1}}
    assert type(judged["q1"]["d1"]) is int


def test_lines_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"line 2: expected 6 columns .*, found 3"):
        pytrec_eval.parse_run(["q Q0 d 1 1 tag", "q Q0 d"])
    with pytest.raises(AssertionError, match="document 'd' of query 'q' is already on line 1"):
        pytrec_eval.parse_qrel(["q 0 d 1", "q 0 d 0"])


def test_where_nothing_was_compiled() -> None:
    code = (
        "import sys; sys.modules['unjudged.data.scan.compiled.native'] = None\n"
        "from unjudged.compat import pytrec_eval\n"
        "from unjudged.data.scan.scanner import KIND_OF_SCANNER\n"
        "run = pytrec_eval.parse_run(['q Q0 a 1 2 t', 'q Q0 b 2 1 t'])\n"
        "qrels = pytrec_eval.parse_qrel(['q 0 b 1'])\n"
        "print(KIND_OF_SCANNER, pytrec_eval.RelevanceEvaluator(qrels, {'map'}).evaluate(run))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "plain Python {'q': {'map': 0.5}}\n"


def test_aggregated() -> None:
    assert pytrec_eval.compute_aggregated_measure("map", [0.5, 0.25]) == 0.375
    assert pytrec_eval.compute_aggregated_measure("num_ret", [2, 3]) == 5
    assert pytrec_eval.compute_aggregated_measure(
        "gm_map", [math.log(0.5), math.log(0.125)]
    ) == pytest.approx(0.25)
    together = pytrec_eval.evaluate_measures(QRELS, RUN, ["map", "num_q"])
    assert together == {"num_q": 2.0, "map": pytest.approx((1 / 3 + 7 / 12) / 2)}
    assert pytrec_eval.evaluate_measures(QRELS, {}, ["map"]) == {}


def test_aggregated_to_the_bit() -> None:
    theirs = pytest.importorskip("pytrec_eval")
    values = [0.1 * i for i in range(1, 40)]
    for name in ("map", "num_ret", "gm_map"):
        assert pytrec_eval.compute_aggregated_measure(name, values) == theirs.compute_aggregated_measure(
            name, values
        )


class Changing(UserDict[str, Any]):
    """A mapping to which another thread adds an entry while it is read."""

    def __iter__(self) -> Iterator[str]:
        for name in self.data:
            self.data[f"{name}x"] = self.data[name]
            yield name


def test_mappings_that_change_meanwhile_are_input_errors() -> None:
    grades, scores = {"q": {"d": 1}}, {"q": {"d": 1.0}}
    changed = "changed while it was read"
    for qrels, run in ((grades, Changing(scores)), (grades, {"q": Changing(d=1.0)})):
        with pytest.raises(UnjudgedError, match=changed):
            pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
        with pytest.raises(UnjudgedError, match=changed):
            evaluate(qrels, {"mine": run}, "AP")
    for judged in (Changing(grades), {"q": Changing(d=1)}):
        with pytest.raises(UnjudgedError, match=changed):
            pytrec_eval.RelevanceEvaluator(judged, {"map"})
        with pytest.raises(UnjudgedError, match=changed):
            evaluate(judged, {"mine": scores}, "AP")
