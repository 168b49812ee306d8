"""A measure added from outside the package: decorated, loaded from a file, refused for a wrong trait."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unjudged
from tests.cli.in_process import printed
from unjudged import MEASURES, JudgedRankings, Measure, UsageError, compare, evaluate, measure, sample
from unjudged.base.errors import InputError
from unjudged.base.segments import Floats
from unjudged.diagnosis.explaining import page
from unjudged.evidence.value_bounds import bounds
from unjudged.measures.kernel.measure import SOURCES
from unjudged.measures.kernel.names import parse
from unjudged.measures.kernel.registry import load_measures


def _weight(rank: Floats, cutoff: float = inf, **_: Any) -> Floats:
    return 0.5**rank * (rank <= cutoff)


@pytest.fixture
def halving() -> Iterator[Measure]:
    @measure(pointwise=True, weight=_weight, trec_eval="halving", aliases=("Halves",))
    def Halving(r: JudgedRankings, *, rel: int = 1, cutoff: float = inf) -> Floats:
        """Half for a relevant document at rank 1, a quarter at rank 2, and so on; unjudged ones add 0."""
        hits = r.relevant(rel, cutoff)
        return hits.total(0.5**hits.rank)

    yield Halving
    del MEASURES["Halving"]


def test_it_is_written_like_any_other(halving: Measure) -> None:
    assert parse("Halving(rel=2)@10") == [halving(rel=2) @ 10]
    assert parse("halving") == parse("Halves") == [halving]
    assert "Halving" in dir(unjudged)
    assert getattr(unjudged, "Halving") is halving  # noqa: B009 (defined when the test runs)
    assert page(halving).startswith("Halving(rel=1)[@cutoff]\n\nHalf for a relevant document")


def test_names_are_parsed_again_when_the_registry_changes() -> None:
    def registered(factor: float) -> Measure:
        @measure()
        def Constant(r: JudgedRankings) -> Floats:
            """The same for every ranking."""
            return np.full(len(r), factor)

        return Constant

    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    for factor in (0.25, 0.5):
        registered(factor)
        assert evaluate(qrels, run, ["AP", "Constant"]).values.tolist() == [[[1.0, factor]]]
    MEASURES.pop("Constant")
    with pytest.raises(UsageError, match="no measure is called 'Constant'"):
        evaluate(qrels, run, ["AP", "Constant"])


def test_it_evaluates_with_every_policy(halving: Measure) -> None:
    ranking = JudgedRankings.spelled("1 U 0 2")
    assert halving.compute(ranking) == [0.5 + 0.0625]
    assert (halving(rel=2) @ 3).compute(ranking) == [0.0]
    assert halving(unjudged="condensed").compute(ranking) == [0.5 + 0.125]
    scores = evaluate(sample.qrels, sample.runs, ["AP", "Halving@10"])
    assert scores.cube.measures[1] == halving @ 10
    assert 0 < scores.value("Halving@10", run="fused") < 1


def test_bounds_and_comparisons_follow_from_its_traits(halving: Measure) -> None:
    limits = bounds(halving, JudgedRankings.spelled("1 U 0 2"))
    assert (limits.low.tolist(), limits.high.tolist(), limits.exact) == ([0.5625], [0.8125], True)
    found = compare(sample.qrels, {name: sample.runs[name] for name in ("reranked", "fused")}, "Halving")
    assert found["low"] <= found["difference"] <= found["high"]


def test_a_baseline_needs_gains_or_binary_judgments() -> None:
    @measure(chance=lambda documents, relevant: relevant / documents)
    def Share(r: JudgedRankings) -> Floats:
        return r.where(r.labels > 0).counts / np.maximum(r.retrieved, 1)

    try:
        assert Share(chance=4).compute(JudgedRankings.spelled("1 0 0 0")) == [0.0]
        with pytest.raises(UsageError, match="for judgments of 0 and 1, these are graded"):
            Share(chance=4).compute(JudgedRankings.spelled("2 0 0 0"))
    finally:
        del MEASURES["Share"]


FILES = [str(sample.qrels), str(sample.runs["fused"])]
HEAD = "import numpy as np\nfrom unjudged import measure\n\n@measure({traits})\ndef Own(r, *, rel=1):\n"
LAST = "hits.total((hits.place == hits.counts[hits.ranking]) / hits.rank)"
BODIES = {
    "first": "    hits = r.relevant(rel)\n    return hits.total((hits.place == 1) / hits.rank)\n",
    "last": f"    hits = r.relevant(rel)\n    return {LAST}\n",
    "judged": "    return r.where(r.labels >= 0).counts / np.maximum(r.retrieved, 1)\n",
    "large": "    return r.retrieved.astype(float)\n",
    "late": "    hits = r.relevant(rel)\n    return hits.total(hits.rank) / 100\n",
    "many": "    return np.zeros(3)\n",
}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    known = dict(MEASURES), dict(SOURCES)
    yield
    MEASURES.clear()
    MEASURES.update(known[0])
    SOURCES.clear()
    SOURCES.update(known[1])


def own(folder: Path, body: str, traits: str = "", name: str = "own.py") -> str:
    path = folder / name
    path.write_text(HEAD.format(traits=traits) + BODIES[body])
    return str(path)


def test_a_file_is_loaded_and_its_measure_is_like_any_other(tmp_path: Path) -> None:
    file = own(tmp_path, "first", "pointwise=True")
    expected = evaluate(FILES[0], FILES[1], "RR").means[0, 0]
    assert f"{expected:.4f}" in printed("evaluate", *FILES, "--set", f"code={file}", "-m", "Own", "AP")
    assert load_measures(file) == ["Own"]
    assert "Own" in printed(
        "evaluate", "--set", f"code={file}", *FILES, "-m", "Own(rel=2)", "--interval", "bounds"
    )


@pytest.mark.parametrize(
    ("body", "traits", "trait"),
    [
        ("last", "pointwise=True", "pointwise"),
        ("late", "monotone=True", "monotone"),
        ("first", "ungraded=True", "ungraded"),
        ("judged", "diluted=True", "skips_unjudged=False"),
        ("large", "skips_unjudged=True", "range"),
        ("first", "weight=lambda rank, **_: 1 / rank", "weight"),
    ],
)
def test_a_wrong_trait_is_an_error_that_shows_the_ranking(
    tmp_path: Path, body: str, traits: str, trait: str
) -> None:
    load_measures(own(tmp_path, body, traits))
    with pytest.raises(UsageError, match=f'Own: its trait {trait} is not true: .*for "'):
        MEASURES["Own"].try_traits()


def test_what_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("x = 1\ny = x / 0\n")
    with pytest.raises(InputError, match=r"bad\.py:2: ZeroDivisionError"):
        load_measures(str(tmp_path / "bad.py"))
    (tmp_path / "half.py").write_text("def f(:\n")
    with pytest.raises(InputError, match=r"half\.py:1: "):
        load_measures(str(tmp_path / "half.py"))
    (tmp_path / "none.py").write_text("x = 1\n")
    with pytest.raises(UsageError, match="registers no measure"):
        load_measures(str(tmp_path / "none.py"))
    (tmp_path / "ap.py").write_text(
        "from unjudged import measure\n\n@measure()\ndef AP(r):\n    return r.counts\n"
    )
    before = MEASURES["AP"]
    with pytest.raises(UsageError, match="'AP' already"):
        load_measures(str(tmp_path / "ap.py"))
    assert MEASURES["AP"] is before
    with pytest.raises(InputError, match="no such file, expected a file of Python"):
        load_measures("nothing-of-this-name")
    load_measures(own(tmp_path, "many"))
    with pytest.raises(UsageError, match="shape"):
        MEASURES["Own"].try_traits()
    with pytest.raises(UsageError, match=r"shape \(3,\) for 30 rankings, expected one number per ranking"):
        evaluate(FILES[0], FILES[1], "Own")


def test_another_process_loads_the_file_itself(tmp_path: Path) -> None:
    file = own(tmp_path, "first")
    load_measures(file)
    (tmp_path / "measure.pickle").write_bytes(pickle.dumps(MEASURES["Own"](rel=2)))
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb')))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "measure.pickle")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "Own(rel=2)\n"
