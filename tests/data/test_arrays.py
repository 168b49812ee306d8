"""Arrays: the same values, to the bit, as dicts of the same run and judgments; and what is refused."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from unjudged import InputError, Judgments, Run, UsageError, compare, evaluate
from unjudged.data import arrays
from unjudged.data.scan.plain import matcher as plain
from unjudged.data.scan.scanner import ids_of_numbers

MEASURES = ["AP", "nDCG@3", "Bpref", "RBP(p=0.8)", "Judged@2"]
NAMES = ["d10", "d9", "é", "a b", "z", "0", "00"]
NAN, INF = float("nan"), float("inf")


class OnlyDLPack:
    """A tensor of a library that has no `__array__`."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class OnlyArray:
    """A tensor that offers itself to NumPy."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.array, dtype)


class OnADevice:
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


GIVEN_AS = [np.asarray, OnlyDLPack, OnlyArray, np.ndarray.tolist, np.asfortranarray]


@st.composite
def top_k(draw: Any) -> tuple[Any, Any]:
    """Row numbers and scores, with ties, gaps and documents that were not retrieved."""
    queries, k = draw(st.integers(1, 4)), draw(st.integers(1, len(NAMES)))
    rows = [draw(st.permutations(range(len(NAMES))))[:k] for _ in range(queries)]
    documents = np.array(rows, draw(st.sampled_from([np.int64, np.int32])))
    documents[
        draw(st.lists(st.booleans(), min_size=queries, max_size=queries)), draw(st.integers(0, k - 1))
    ] = -1
    scores = st.sampled_from([0.0, -0.0, 0.5, 1.0, -INF, 0.1, 1e-300])
    values = draw(st.lists(scores, min_size=queries * k, max_size=queries * k))
    return documents, np.array(values, draw(st.sampled_from([np.float64, np.float32]))).reshape(queries, k)


def dict_of(documents: Any, scores: Any, names: list[str], queries: list[str]) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {query: {} for query in queries}
    for query, row, own in zip(queries, documents.tolist(), scores.tolist(), strict=True):
        kept = zip(row, own, strict=True)
        run[query] = {names[document]: score for document, score in kept if document >= 0 and score > -INF}
    return run


JUDGED = {q: {name: (len(name) + len(q)) % 3 - 1 for name in NAMES[: 4 + len(q)]} for q in ("0", "1", "two")}


@given(top_k(), st.sampled_from(GIVEN_AS), st.integers(1, 4))
def test_a_run_has_the_values_of_its_dict(top: tuple[Any, Any], given_as: Any, part: int) -> None:
    documents, scores = top
    queries = ["0", "two", "1", "more"][: len(documents)]
    expected = dict_of(documents, scores, NAMES, queries)
    before, arrays.BLOCK = arrays.BLOCK, part
    try:
        if not any(expected.values()):
            with pytest.raises(InputError, match="no rows"):
                Run.from_arrays(documents, scores)
            return
        run = Run.from_arrays(given_as(documents), given_as(scores), queries=queries, names=NAMES)
        found = evaluate(JUDGED, {"mine": run}, MEASURES)
    finally:
        arrays.BLOCK = before
    assert found.values.tobytes() == evaluate(JUDGED, {"mine": expected}, MEASURES).values.tobytes()
    of_dict = Run.read(expected)
    for other in (run, pickle.loads(pickle.dumps(run))):
        assert list(other.queries) == list(of_dict.queries)
        assert list(other.documents) == list(of_dict.documents)
        assert other.scores.tobytes() == of_dict.scores.tobytes()
        assert other.offsets.tolist() == of_dict.offsets.tolist()
    again = evaluate(JUDGED, {"mine": run}, MEASURES)
    assert again.values.tobytes() == found.values.tobytes()


@given(st.integers(1, 3), st.integers(1, len(NAMES)), st.data())
def test_matrices_have_the_values_of_their_dicts(queries: int, columns: int, data: Any) -> None:
    cells = queries * columns
    grades = data.draw(st.lists(st.sampled_from([NAN, -1, 0, 1, 3, 0.5]), min_size=cells, max_size=cells))
    scores = data.draw(st.lists(st.sampled_from([-INF, 0.0, 0.25, 2.0]), min_size=cells, max_size=cells))
    labels, values = (np.array(numbers).reshape(queries, columns) for numbers in (grades, scores))
    names, rows = NAMES[:columns], [str(row) for row in range(queries)]
    judged = {
        q: {d: g for d, g in zip(names, own, strict=True) if not np.isnan(g)}
        for q, own in zip(rows, labels.tolist(), strict=True)
    }
    everything = np.tile(np.arange(columns), (queries, 1))
    run = dict_of(everything, values, names, rows)
    if not any(judged.values()) or not any(run.values()):
        return
    measures = ["nDCG", "nDCG@2", "DCG@3", *(["AP(rel=0.5)", "R(rel=0.5)@3"] if 0.5 in grades else ["AP"])]
    qrels, mine = (
        Judgments.from_arrays(grades=labels, names=names),
        Run.from_arrays(scores=values, names=names),
    )
    found = evaluate(qrels, mine, measures)
    assert found.values.tobytes() == evaluate(judged, run, measures).values.tobytes()
    by_number = evaluate(
        Judgments.from_arrays(None, labels), Run.from_arrays(everything, values), measures[:1]
    )
    assert by_number.values.shape == found.values[:, :, :1].shape


def test_the_other_calls_take_arrays() -> None:
    rng = np.random.default_rng(3)
    runs = {name: np.argsort(rng.random((5, 30)))[:, :10] for name in ("a", "b")}
    qrels = Judgments.from_arrays(grades=rng.integers(-1, 2, (5, 30)))
    from_arrays = {name: Run.from_arrays(documents) for name, documents in runs.items()}
    dicts = {
        name: {str(q): [str(d) for d in row] for q, row in enumerate(documents.tolist())}
        for name, documents in runs.items()
    }
    assert str(compare(qrels, from_arrays, "AP")) == str(compare(qrels, dicts, "AP"))


def test_scikit_learns_ndcg() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(8)
    labels, values = rng.integers(0, 4, (20, 15)), rng.permutation(300).reshape(20, 15) / 300
    found = evaluate(Judgments.from_arrays(grades=labels), Run.from_arrays(scores=values), "nDCG@10")
    assert found.value("nDCG@10") == pytest.approx(metrics.ndcg_score(labels, values, k=10), abs=1e-12)


def test_documents_by_name_and_without_scores() -> None:
    run = Run.from_arrays([["b", "a", None], ["c", None, None]], queries=np.array(["x", "y"]))
    assert [run.ranking("x"), run.ranking("y")] == [["b", "a"], ["c"]]
    assert run.scores.tolist() == [-1, -2, -1]
    assert Run.from_arrays(np.array([[b"a", b"b"]]), queries=[7]).ranking("7") == ["a", "b"]
    assert Run.from_arrays(np.array([[5, 2**63 - 1]], np.uint64)).ranking("0") == ["5", str(2**63 - 1)]
    assert repr(Judgments.from_arrays([[3, 4], [5, -1]])).startswith("Judgments(2 queries, 3 judged")


def test_a_run_does_not_change_with_the_arrays() -> None:
    documents, scores = np.array([[0, 1]]), np.array([[2.0, 1.0]])
    run = Run.from_arrays(documents, scores)
    documents[:], scores[:] = 7, NAN
    assert run.ranking("0") == ["0", "1"]


def test_masked_arrays_are_refused() -> None:
    masked = np.ma.array([[2, 1]], mask=[[False, True]])
    calls: dict[str, Callable[[], Any]] = {
        "documents": lambda: Run.from_arrays(masked),
        "scores": lambda: Run.from_arrays([[0, 1]], masked),
        "grades": lambda: Judgments.from_arrays(grades=masked),
        "queries": lambda: Run.from_arrays([[0], [1]], queries=masked[0]),
    }
    for what, give in calls.items():
        with pytest.raises(UsageError, match=rf"{what}: some are masked, .*documents.filled\(-1\)"):
            give()


@pytest.mark.parametrize("kind", [np.uint32, np.uint64])
@pytest.mark.parametrize("names", [None, ["0", "1"]])
def test_minus_one_of_an_unsigned_type_is_padding(kind: Any, names: Any) -> None:
    assert Run.from_arrays(np.array([[1, -1]]).astype(kind), names=names).ranking("0") == ["1"]
    objects = np.array([[1, -1]], object)  # as pandas has numbers that may be missing
    assert Run.from_arrays(objects, names=names).ranking("0") == ["1"]
    for wrong in (np.array([[1, -2]]).astype(np.uint64), np.array([[1, -2]], object)):
        with pytest.raises(InputError, match="expected a row number from 0"):
            Run.from_arrays(wrong, names=names)


def test_the_highest_number_of_a_small_type_is_a_document() -> None:
    assert Run.from_arrays(np.array([[255]], np.uint8)).ranking("0") == ["255"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "expected documents, scores, or both"),
        ({"documents": [1, 2]}, "two dimensions, a row per query"),
        ({"documents": [[1, 2], [3]]}, "expected rows of one length"),
        ({"documents": OnADevice()}, "cuda:0.*detach"),
        ({"documents": [[0.5]], "scores": [[1]]}, "documents come before scores"),
        ({"documents": [[1]], "scores": [[1.0, 2.0]]}, r"shape \(1, 1\), the scores \(1, 2\)"),
        ({"documents": [[1]], "scores": [["x"]]}, "expected numbers"),
        ({"documents": [[1]], "scores": [[1]], "queries": ["a", "b"]}, "2 names, expected one for each of 1"),
        ({"documents": [["a"]], "names": ["a"]}, "have names already"),
        ({"scores": [[1.0, 2.0]], "names": ["a"]}, "one for each of 2 columns"),
        ({"documents": [[1]], "queries": [1.5]}, "the query is a float .*, expected text or a whole number"),
        ({"documents": [[1]], "queries": np.array([1.5])}, "expected a list of names or of whole numbers"),
        ({"documents": [[{}]]}, "the document is a dict"),
        (
            {"documents": [[0, -2]]},
            r"query '0', place 1 \(from 0\): document -2, expected a row number from 0",
        ),
        ({"documents": [[0, 2]], "names": ["a", "b"]}, "document 2, expected a row number from 0 to 1"),
        ({"documents": [[0]], "scores": [[NAN]], "queries": ["q"]}, "query 'q', place 0 .* the score is nan"),
        ({"scores": [[INF]]}, "the score is inf, expected a finite number"),
        ({"documents": [[1], [2]], "queries": ["q", "q"]}, "query 'q' appears twice"),
        ({"documents": [[-1]]}, "no rows"),
        ({"documents": [], "scores": []}, "two dimensions"),
        ({"scores": csr_matrix(np.eye(2))}, r"scores: a sparse csr_matrix, .*toarray\(\), with -inf"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises((UsageError, InputError), match=problem):
        list(Run.from_arrays(**arguments).documents)


def test_grades_that_are_refused() -> None:
    with pytest.raises(InputError, match=r"query '0', place 1 .* grade is -0.5, expected a whole number"):
        Judgments.from_arrays(grades=[[1, -0.5]])
    fractions = Judgments.from_arrays(grades=[[1, 0.5]])
    with pytest.raises(UsageError, match="with fractional grades, say which are relevant"):
        compare(fractions, {"a": {"0": ["1"]}, "b": {"0": ["0"]}}, "AP")


def test_a_document_twice_is_named() -> None:
    run = Run.from_arrays([[1, 2], [3, 3]], [[2, 1], [2, 1]], names=["a", "b", "c", "d"])
    for call in (lambda: evaluate({"0": {"a": 1}}, {"mine": run}, "AP"), lambda: run.documents):
        with pytest.raises(InputError, match="document 'd' of query '1' appears twice"):
            call()


@given(st.lists(st.integers(0, 2**63 - 1)))
def test_decimal_digits_of_both_twins(numbers: list[int]) -> None:
    array = np.array(numbers, np.int64)
    expected = [str(number).encode() for number in numbers]
    assert ids_of_numbers(array).tolist() == plain.ids_of_numbers(array).tolist() == expected


def test_no_library_of_tensors_is_imported() -> None:
    script = (
        "import sys, numpy; from unjudged import Run; Run.from_arrays(numpy.eye(2, dtype=int)).documents; "
        "print({'torch', 'pyarrow', 'jax', 'tensorflow'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
