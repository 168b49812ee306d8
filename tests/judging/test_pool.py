"""Designs over small pools, against their definitions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import Judgments, UsageError, evaluate, experiment, sample
from unjudged.judging import next as next_documents
from unjudged.judging import pooling as sampling
from unjudged.judging.designs import DESIGNS, design
from unjudged.judging.pooling import REST, Pool
from unjudged.rankings.extension import chosen_rows

RUNS = {
    "a": {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"e1": 2.0, "e2": 1.0}},
    "b": {"q1": {"d2": 3.0, "d4": 2.0, "d1": 1.0}, "q2": {"e2": 1.0}},
}
QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 1, "d4": 0, "d5": 1}, "q2": {"e1": 0, "e2": 2, "e3": -1}}


def grades(judgments: Judgments) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for q, document, grade in zip(judgments.query, judgments.documents, judgments.grade, strict=True):
        found.setdefault(judgments.queries[int(q)], {})[document] = int(grade)
    return found


def test_depth_pool_of_judgments() -> None:
    pool = Pool.of(QRELS, RUNS)
    assert grades(pool.depth(1)) == {
        "q1": {"d1": 1, "d2": 0, "d3": -1, "d4": -1, "d5": -1},
        "q2": {"e1": 0, "e2": 2, "e3": -1},
    }
    assert grades(pool.depth(2))["q1"] == {"d1": 1, "d2": 0, "d3": -1, "d4": 0, "d5": -1}
    assert grades(pool.depth(100))["q1"] == {"d1": 1, "d2": 0, "d3": 1, "d4": 0, "d5": -1}


def test_depth_pool_of_runs() -> None:
    pool = Pool.of_runs(RUNS, depth=1)
    assert grades(pool.judgments) == {"q1": {"d1": -1, "d2": -1}, "q2": {"e1": -1, "e2": -1}}


@given(
    st.dictionaries(
        st.sampled_from("abc"),
        st.dictionaries(
            st.sampled_from(["q1", "q2"]),
            st.dictionaries(st.sampled_from([f"d{i}" for i in range(8)]), st.floats(-2, 2), min_size=1),
            min_size=1,
        ),
        min_size=1,
    ),
    st.integers(1, 8),
)
def test_pools_nest_and_hold_the_top_of_every_run(
    runs: dict[str, dict[str, dict[str, float]]], depth: int
) -> None:
    whole = Pool.of_runs(runs, depth=8)
    shallow, deeper = (grades(Pool.of_runs(runs, depth=k).judgments) for k in (depth, depth + 1))
    for query, documents in shallow.items():
        assert documents.keys() <= deeper[query].keys()
    complete = Pool(whole.judgments.with_grades(whole.judgments.grade + 1), whole.rankings, whole.runs)
    cut, more = complete.depth(depth), complete.depth(depth + 1)
    assert ((cut.grade < 0) | (more.grade >= 0)).all()
    kept = {q: {d for d, grade in ds.items() if grade >= 0} for q, ds in grades(cut).items()}
    assert kept == {q: set(documents) for q, documents in shallow.items()}
    expected: dict[str, set[str]] = {}
    for run in runs.values():
        for query, scores in run.items():
            ranked = sorted(scores, key=lambda d: (scores[d], d), reverse=True)
            expected.setdefault(query, set()).update(ranked[:depth])
    assert kept == expected


def test_random_samples_are_of_what_was_judged() -> None:
    drawn = Pool.of(QRELS).uniform(0.4, seed=3)
    assert drawn.count(0).tolist() == [2, 1]
    assert grades(drawn)["q2"]["e3"] == -1
    assert drawn.count(1).tolist() == [c for c in drawn.count(1).tolist() if c > 0]
    assert drawn.probability is None  # it depends on the grades: what has no relevant document is drawn again
    plain = Pool.of(QRELS).uniform(0.4, seed=3, redraw=False)
    assert plain.probability is not None
    assert plain.probability.tolist() == pytest.approx([0.4] * 5 + [1 / 3] * 3)


def test_a_larger_sample_with_the_same_seed_holds_the_smaller_one() -> None:
    pool = Pool.of(sample.qrels)
    samples = [pool.uniform(share, seed=5, redraw=False).grade >= 0 for share in (0.05, 0.1, 0.5, 1.0)]
    for small, large in zip(samples, samples[1:], strict=False):
        assert (large | ~small).all()
    assert (samples[-1] == (pool.judgments.grade >= 0)).all()


def test_a_sample_does_not_depend_on_the_order_of_the_judgments() -> None:
    pool = Pool.of(QRELS)
    turned = {q: dict(reversed(documents.items())) for q, documents in reversed(QRELS.items())}
    for seed in range(20):
        assert grades(pool.uniform(0.4, seed=seed)) == grades(Pool.of(turned).uniform(0.4, seed=seed))


def test_a_sample_does_not_depend_on_what_was_drawn_before() -> None:
    pool = Pool.of(sample.qrels, sample.runs)
    for share, seed in ((0.01, 1), (0.5, 1), (0.5, 2), (0.01, 1), (1.0, 2)):
        alone = Pool.of(sample.qrels).uniform(share, seed=seed)
        assert pool.uniform(share, seed=seed).grade.tolist() == alone.grade.tolist()


def test_a_random_sample_is_a_stratified_one_of_one_stratum() -> None:
    everything = Pool.of(sample.qrels, sample.runs)
    for pool in (everything, replace(everything, judgments=everything.depth(5))):
        for share in (0.02, 0.3, 1.0):
            drawn, strata = pool.uniform(share, seed=4, redraw=False), pool.stratified({REST: share}, seed=4)
            assert drawn.grade.tolist() == strata.grade.tolist()
            assert drawn.probability is not None
            assert strata.probability is not None
            assert drawn.probability.tolist() == strata.probability.tolist()


def test_redraw_rule_on_real_sizes() -> None:
    pool = Pool.of(sample.qrels)
    relevant = pool.judgments.count(1) > 0
    for seed in range(10):
        drawn = pool.uniform(0.02, seed=seed)
        assert (drawn.count(1)[relevant] > 0).all()
        assert (drawn.count(0) == pool.uniform(0.02, seed=seed, redraw=False).count(0)).all()


def test_mixed_draws_as_many_again() -> None:
    pool = Pool.of(sample.qrels, sample.runs)
    drawn, top = pool.mixed(3, seed=1), pool.depth(3)
    assert ((drawn.grade >= 0) | (top.grade < 0)).all()
    size, all_judged = top.count(0), pool.judgments.count(0)
    assert drawn.count(0).tolist() == np.minimum(2 * size, all_judged).tolist()


def test_mixed_records_strata_and_probabilities() -> None:
    pool = Pool.of(sample.qrels, sample.runs)
    drawn = pool.mixed(2, seed=1)
    assert drawn.stratum is not None
    assert drawn.probability is not None
    assert ((drawn.stratum == 1) == (pool.best <= 2)).all()
    for q in range(len(drawn.queries)):
        for stratum in (1, 2):
            pooled = (drawn.query == q) & (drawn.stratum == stratum)
            judged = int((drawn.grade[pooled] >= 0).sum())
            assert set(drawn.probability[pooled].tolist()) <= {judged / max(int(pooled.sum()), 1)}


def test_strata_and_their_sizes() -> None:
    pool = Pool.of(sample.qrels, sample.runs)
    drawn = pool.stratified({5: 1.0, 20: 0.3, REST: 0.1}, seed=2)
    assert drawn.stratum is not None
    assert drawn.probability is not None
    expected = np.where(pool.best <= 5, 1, np.where(pool.best <= 20, 2, 3))
    assert drawn.stratum.tolist() == expected.tolist()
    for stratum, share in ((1, 1.0), (2, 0.3), (3, 0.1)):
        for q in range(len(drawn.queries)):
            cell = (drawn.query == q) & (drawn.stratum == stratum) & (pool.judgments.grade >= 0)
            judged = int((drawn.grade[cell] >= 0).sum())
            assert judged == int(sampling.rounded_sizes(share, np.array([cell.sum()]))[0])
            pooled = (drawn.query == q) & (drawn.stratum == stratum)
            if cell.any():
                assert set(drawn.probability[pooled].tolist()) == {judged / int(pooled.sum())}


def test_what_is_below_the_last_stratum_is_not_judged() -> None:
    drawn = Pool.of(sample.qrels, sample.runs).stratified({5: 1.0}, seed=2)
    assert (drawn.grade == Pool.of(sample.qrels, sample.runs).depth(5).grade).all()


def test_inclusion_probabilities_by_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every order of the random numbers of six documents: each is drawn as often as its probability says."""
    qrels = {"q": {f"d{i}": i % 2 for i in range(6)}}
    runs = {"a": {"q": {f"d{i}": 6.0 - i for i in range(6)}}}
    pool = Pool.of(qrels, runs)
    orders = [np.array(order, np.uint64) << np.uint64(40) for order in permutations(range(6))]
    designs: list[dict[float, float]] = [{2: 1.0, REST: 0.5}, {3: 0.34, REST: 0.67}, {6: 0.5}]
    for strata in designs:
        found = np.zeros(6)
        for order in orders:
            monkeypatch.setattr(sampling, "numbers", lambda *_, order=order: order)
            drawn = pool.stratified(strata)
            found += drawn.grade >= 0
        assert drawn.probability is not None
        assert (found / len(orders)).tolist() == pytest.approx(drawn.probability.tolist(), abs=1e-15)


def test_what_cannot_be_asked() -> None:
    pool = Pool.of(QRELS)
    with pytest.raises(UsageError, match="give the runs of the pool"):
        pool.depth(3)
    for share in (0.0, -0.1, 1.5, float("nan")):
        with pytest.raises(UsageError, match="share is"):
            pool.uniform(share)
    with pytest.raises(UsageError, match="depth is 0"):
        Pool.of_runs(RUNS, depth=0)
    nonsense: list[dict[int, float]] = [{}, {0: 1.0}, {5: 2.0}]
    for strata in nonsense:
        with pytest.raises(UsageError):
            Pool.of(QRELS, RUNS).stratified(strata)
    whole = Pool.of(QRELS, RUNS)
    value: Any
    for value in (10**400, 10**5000, float("nan"), float("-inf"), "x", None):
        with pytest.raises(UsageError, match="share is"):
            pool.uniform(value)
        with pytest.raises(UsageError, match="share is"):
            whole.stratified({5: value})
    for value in (float("inf"), float("nan"), 2.5, -1, "x", None):
        with pytest.raises(UsageError, match="depth is"):
            whole.mixed(value)
        with pytest.raises(UsageError, match="seed is"):
            pool.uniform(0.5, seed=value)
        if value != float("inf") and value != 2.5:
            with pytest.raises(UsageError, match="a stratum ends at depth"):
                whole.stratified({value: 0.5})
    assert (whole.depth(10**400).grade == whole.depth(3).grade).all()
    assert (pool.uniform(0.5, seed=cast("Any", 2.0)).grade == pool.uniform(0.5, seed=2).grade).all()


SAMPLE_QRELS, SAMPLE_RUNS = str(sample.qrels), [str(path) for path in sample.runs.values()]


@pytest.fixture
def every_second() -> Iterator[str]:
    """A design as user code would write it: every n-th judged document of the pool, from a random start."""

    @design(level="depth", levels=(2, 5), axis="one document in", name="every")
    def every(pool: Pool, level: int, seed: int, *, offset: int = 0) -> Judgments:
        rows = np.arange(len(pool.judgments.grade))
        return pool.only((rows + seed + offset) % level == 0)

    yield "every"
    del DESIGNS["every"]


def test_from_python(every_second: str) -> None:
    found = experiment(sample.qrels, sample.runs, every_second, measures=["AP", "infAP"], repeats=2, seed=3)
    assert list(found.source.levels) == [2, 5]
    whole = Judgments.read(sample.qrels)
    pool = Pool.of(chosen_rows(whole, whole.grade >= 0), sample.runs)  # what could be judged
    rows = np.arange(len(pool.judgments.grade))
    for li, level in enumerate((2, 5)):
        for repeat in range(2):
            judgments = pool.only((rows + 3000 + repeat) % level == 0)
            expected = evaluate(judgments, sample.runs, ["AP", "infAP"]).means
            assert found.source.means[li, repeat].tolist() == expected.tolist()
    moved = experiment(pool, design=every_second, levels=[5], measures="AP", repeats=1, offset=1)
    assert moved.source.means[0, 0, :, 0].tolist() == evaluate(
        pool.only((rows + 1) % 5 == 0), sample.runs, "AP"
    ).means[:, 0].tolist()  # fmt: skip
    assert "depth 5" in str(moved)


def test_what_it_lists_and_draws(every_second: str) -> None:
    """A design of user code is one of `next`, too."""
    pool = Pool.of(sample.qrels, sample.runs)
    found = next_documents(sample.qrels, sample.runs, design=f"{every_second}(4, offset=1)", seed=1).sample
    assert found is not None
    assert found.drawn is not None
    assert found.drawn.tolist() == ((np.arange(len(pool.judgments.grade)) + 2) % 4 == 0).tolist()


def test_in_figures(every_second: str) -> None:
    from unjudged.report.experiment_figures import curves, scatter

    found = experiment(sample.qrels, sample.runs, every_second, measures="AP", repeats=1)
    assert "one document in" in curves(found).svg()
    assert "depth 5" in scatter(found).svg()


@pytest.mark.thorough
def test_in_other_processes(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\n"
        "from unjudged import sample\n"
        "from unjudged import experiment\n"
        "from unjudged.judging.designs import design\n"
        "@design(level='share', levels=(0.5,), axis='share')\n"
        "def half(pool, level, seed):\n"
        "    return pool.only(np.random.default_rng(seed).random(len(pool.judgments.grade)) < level)\n"
        "if __name__ == '__main__':\n"
        "    results = [experiment(sample.qrels, sample.runs, 'half', measures='AP', repeats=4, workers=w)\n"
        "               for w in (1, 2)]\n"
        "    assert results[0].source.means.tobytes() == results[1].source.means.tobytes()\n"
        "    print('same')\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "same\n", done.stderr


def test_what_cannot_be_registered_or_drawn(every_second: str) -> None:
    pool = Pool.of(sample.qrels, sample.runs)
    whatever: dict[str, Any] = {"axis": "", "levels": (1,)}
    with pytest.raises(UsageError, match="level is 'size', expected one of share, depth"):
        design(level="size", **whatever)
    with pytest.raises(UsageError, match="share is 2"):
        design(level="share", axis="", levels=(2,))
    with pytest.raises(UsageError, match="at least one default level"):
        design(level="share", axis="", levels=())
    with pytest.raises(UsageError, match="design is 'none', expected one of uniform, pool"):
        DESIGNS.find("none")
    with pytest.raises(UsageError, match="design 'every': no parameter is called 'top'; it has offset"):
        DESIGNS.find(every_second).draw(pool, 2, top=3)
    with pytest.raises(UsageError, match=r"depth is 2\.5"):
        DESIGNS.find(every_second).draw(pool, 2.5)
    with pytest.raises(UsageError, match=r"one truth value for each of \d+ rows"):
        pool.only(np.ones(3, bool))

    @design(level="share", levels=(1,), axis="", name="broken")
    def broken(pool: Pool, level: float, seed: int) -> Any:
        return pool.judgments.grade

    with pytest.raises(UsageError, match="design 'broken' returned ndarray, expected Judgments"):
        DESIGNS.find("broken").draw(pool, 1)
    del DESIGNS["broken"]
