"""Judgments with strata or inclusion probabilities: read from their files, and scored by definition."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from tests.oracles.definitions import stat_ap, stratified_ap
from unjudged import InputError, Judgments, evaluate

POOL = st.lists(st.tuples(st.integers(1, 3), st.integers(-1, 2)), min_size=1, max_size=9)


@examples(200)
@given(POOL, st.data())
def test_stratified_definition(
    tmp_path_factory: pytest.TempPathFactory, pool: list[tuple[int, int]], data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "strata.qrels"
    path.write_text("".join(f"q 0 d{i} {stratum} {grade}\n" for i, (stratum, grade) in enumerate(pool)))
    order = data.draw(st.permutations([*range(len(pool)), 100, 101]))[: data.draw(st.integers(1, 11))]
    run = {"q": {f"d{i}": -float(k) for k, i in enumerate(order)}}
    ranking = [pool[i] if i < len(pool) else None for i in order]
    names = {f"xinfAP(rel={rel}, dialect='{way}')": rel for rel in (1, 2) for way in ("trec", "trecvid")}
    found = evaluate(path, run, list(names))
    for name, rel in names.items():
        wanted = float(stratified_ap(ranking, pool, rel))
        assert found.value(name) == pytest.approx(wanted, rel=1e-12, abs=1e-12)


PROBABILITIES = st.sampled_from([0.1, 0.25, 0.5, 1.0])


@examples(200)
@given(st.lists(st.tuples(PROBABILITIES, st.integers(0, 2)), min_size=1, max_size=9), st.data())
def test_stat_ap_definition(
    tmp_path_factory: pytest.TempPathFactory, pool: list[tuple[float, int]], data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "a.prels"
    lines = [f"q d{i} {grade} 1 {pi}\n" for i, (pi, grade) in enumerate(pool)]
    path.write_text("".join([*lines, "q d98 1 1 NA\n", "q d99 -999 1 0.5\n"]))
    order = data.draw(st.permutations([*range(len(pool)), 98, 99, 100]))
    run = {"q": {f"d{i}": -float(k) for k, i in enumerate(order)}}
    labels = [pool[i][1] if i < len(pool) else None for i in order]
    probability = [Fraction(pool[i][0]) if i < len(pool) else Fraction(1) for i in order]
    total = sum((1 / Fraction(pi) for pi, grade in pool if grade >= 1), Fraction(0))
    value = evaluate(path, run, "statAP").value("statAP")
    assert value == pytest.approx(float(stat_ap(labels, probability, total)), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("value", ["0", "-0.5", "1.5", "x"])
def test_a_wrong_probability(value: str, tmp_path: Path) -> None:
    path = tmp_path / "a.prels"
    path.write_text(f"1 a 1 1 0.5\n1 b 0 1 {value}\n")
    expected = f":2: the probability is '{value}', expected a number from 1e-50 to 1, or NA"
    with pytest.raises(InputError, match=expected):
        evaluate(path, {"1": {"a": 1.0}}, "statAP")


def test_new_grades_keep_strata_and_probabilities(tmp_path: Path) -> None:
    path = tmp_path / "a.prels"
    path.write_text("1 a 1 1 0.5\n1 b 0 1 0.25\n")
    changed = Judgments.read(path).with_grades(np.array([1, 1], np.int32))
    run = {"1": {"a": 2.0, "b": 1.0}}
    assert evaluate(changed, run, "statAP").value("statAP") == pytest.approx((2 + 4 * 3 / 2) / 6)
