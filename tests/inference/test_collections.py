"""Several collections: means, corrected tests within them, and the mean over them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from unjudged import (
    Collection,
    Comparison,
    Scores,
    UnjudgedWarning,
    UsageError,
    compare,
    compare_collections,
    evaluate,
    sample,
)
from unjudged.inference.corrections import holm
from unjudged.inference.several_collections import macro_differences, macro_interval
from unjudged.inference.verdict import HEADLINES

RUNS = {name: sample.runs[name] for name in ("lexical", "fused", "reranked")}


def table(seed: int, queries: int, gain: float = 0.0) -> Scores:
    rng = np.random.default_rng(seed)
    base = rng.random(queries)
    values = np.clip(base + gain * np.arange(3)[:, None] + rng.normal(0, 0.05, (3, queries)), 0, 1)
    return Scores.read(values, "nDCG@10", runs=["a", "b", "c"])


def of(found: Comparison, collection: str) -> list[Any]:
    """Rows of pairs in a collection."""
    return [row for row in found.rows["collections"] if row["collection"] == collection]


def means(found: Comparison, collection: str = "mean") -> dict[str, float]:
    return {row["system"]: row["mean"] for row in found.systems if row["collection"] == collection}


def test_a_table_by_hand() -> None:
    parts = {"small": table(1, 8, 0.1), "large": table(2, 60)}
    found = compare_collections(parts)
    values = [one.values[:, :, 0] for one in parts.values()]
    for name, one in parts.items():
        assert means(found, name) == dict(zip("abc", one.means[:, 0].tolist(), strict=True))
    macro = np.mean([part.mean(axis=1) for part in values], axis=0)
    assert [means(found)[run] for run in "abc"] == pytest.approx(macro)
    p = [[stats.ttest_rel(v[a], v[b]).pvalue for a, b in ((0, 1), (0, 2), (1, 2))] for v in values]
    rows = [row for name in parts for row in of(found, name)]
    assert [(row["b"], row["a"]) for row in rows[:3]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [row["p"] for row in rows] == pytest.approx(np.ravel(p), abs=1e-12)
    assert [row["p_adjusted"] for row in rows] == pytest.approx(holm.function(np.ravel(p)), abs=1e-12)
    assert found.systems[0]["system"] == "c"
    for row, difference in zip(
        found.pairs, (macro[1] - macro[0], macro[2] - macro[0], macro[2] - macro[1]), strict=True
    ):
        assert row["difference"] == pytest.approx(difference)
        assert row["query_low"] < row["difference"] < row["query_high"]
    tested = macro_differences([part[[1, 2, 2]] - part[[0, 0, 1]] for part in values], 0.95)
    assert [row["p"] for row in found.pairs] == tested.p.tolist()
    assert [row["p_adjusted"] for row in found.pairs] == holm.function(tested.p).tolist()


def test_within_a_collection_it_is_compare() -> None:
    """Every field, so that collections have headlines, and their mean too."""
    one = Collection(sample.qrels, RUNS)
    found = compare_collections({"x": one, "y": (sample.qrels, RUNS)}, "AP", correction="none")
    alone = compare(one, None, "AP", correction="none")
    for row, other in zip(of(found, "x"), alone.pairs, strict=True):
        assert {name: value for name, value in row.items() if name != "collection"} == other
    assert means(found, "x") == {row["system"]: row["mean"] for row in alone.systems}
    for row in found.pairs:
        assert row["headline"] in HEADLINES
        assert row["low"] <= row["difference"] <= row["high"]


def test_places_are_tied_where_nothing_separates_systems() -> None:
    rng = np.random.default_rng(5)
    base = rng.random((2, 1, 40)) / 2
    noise = rng.normal(0, 0.02, (2, 3, 40))
    values = base + noise + np.array([0.0, 0.0, 0.3])[:, None]
    found = compare_collections(
        {str(c): Scores.read(v, "AP", runs=["a", "b", "c"]) for c, v in enumerate(values)}, "AP"
    )
    places = {
        row["system"]: (row["place_low"], row["place_high"]) for row in found.systems if "place_low" in row
    }
    assert places == {"a": (2, 3), "b": (2, 3), "c": (1, 1)}
    assert found.grid().rows[0][-1] == "b c"


def test_the_order_of_collections_and_systems_does_not_matter() -> None:
    parts = {"x": table(1, 8), "y": table(2, 30, 0.05)}
    one, other = compare_collections(parts), compare_collections(dict(reversed(parts.items())))
    assert means(one) == means(other)
    for row, same in zip(one.pairs, other.pairs, strict=True):
        assert row["p"] == pytest.approx(same["p"], abs=1e-12)
        assert row["headline"] == same["headline"]


@pytest.mark.parametrize(
    ("collections", "options", "problem"),
    [
        ({"x": table(1, 5)}, {}, "give two or more"),
        ({"x": table(1, 5), "y": 3}, {}, "'y' is of type int"),
        (
            {"x": table(1, 5), "y": Scores.read(np.ones((2, 5)), "nDCG@10", runs=["a", "b"])},
            {},
            "c is not among",
        ),
        ({"x": table(1, 5), "y": table(2, 1)}, {}, "'y' has one query"),
        ({"x": table(1, 5), "y": table(2, 5)}, {"correction": "tukey"}, "one collection at a time"),
        ({"x": table(1, 5), "y": table(2, 5)}, {"baseline": "z"}, "'z' is not among the runs"),
    ],
)
def test_what_is_refused(collections: dict[str, Any], options: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        compare_collections(collections, **options)


def spread(queries: int, by: float, seed: int = 5) -> Scores:
    """Two systems whose scores, and differences, have exactly this standard deviation times a constant."""
    values = np.random.default_rng(seed).normal(size=(2, queries))
    values = np.linalg.qr((values - values.mean(axis=1, keepdims=True)).T)[0].T * np.sqrt(queries - 1)
    return Scores.read(0.5 + by * values, ["AP"], runs=["a", "b"], queries=[f"q{q}" for q in range(queries)])


def test_a_note_names_the_few_queries_on_which_most_of_the_uncertainty_rests() -> None:
    few = compare_collections({"small": spread(5, 0.1), "large": spread(50, 0.1)}, "AP")
    assert [note for note in few.notes if note.startswith("small has 5 queries, on which up to 91 %")]
    for sizes in ((5, 5), (10, 500)):
        enough = compare_collections({str(i): spread(n, 0.1, i) for i, n in enumerate(sizes)}, "AP")
        assert enough.notes == []


def test_the_share_of_uncertainty_is_that_of_the_variances() -> None:
    """Five queries that hardly vary add little; by hand, with the median's quarter of a query."""
    varied = compare_collections({"small": spread(5, 0.01), "large": spread(50, 0.1)}, "AP")
    assert varied.notes == []
    found = compare_collections({"small": spread(5, 0.03), "large": spread(500, 0.1)}, "AP")
    own, other = 0.03**2, 0.1**2
    median = (own + other) / 2
    each = (0.25 * median + 4 * own) / 4.25 / 5, (0.25 * median + 499 * other) / 499.25 / 500
    assert [
        note for note in found.notes if f"up to {100 * each[0] / sum(each):.0f} % of the uncertainty" in note
    ]


def test_the_same_collection_twice_is_noted() -> None:
    judged = compare_collections({"x": (sample.qrels, RUNS), "y": (sample.qrels, RUNS)})
    assert [note for note in judged.notes if note.startswith("x, y have the same judgments")]
    scores = compare_collections({"x": table(1, 8), "y": table(1, 8), "z": table(2, 8)})
    assert [note for note in scores.notes if note.startswith("x, y have the same scores")]
    assert compare_collections({"x": table(1, 8), "y": table(2, 8)}).notes == []


def test_names_become_texts_and_none_is_that_of_the_mean() -> None:
    found = compare_collections({2019: table(1, 8), 2020: table(2, 8)})
    assert list(found.settings["collections"]) == ["2019", "2020"]
    assert "system & 2019 & 2020 & Mean &" in found.to_latex()
    with pytest.raises(UsageError, match="called 'mean', which names the mean over collections"):
        compare_collections({"mean": table(1, 8), "y": table(2, 8)})
    with pytest.raises(UsageError, match="same name"):
        compare_collections({1: table(1, 8), "1": table(2, 8)})


def test_tables_of_any_measure() -> None:
    frames = [
        pd.DataFrame({"query": ["1", "2", "3"], "a": [0.1, 0.2, k], "b": [0.3, 0.5, 0.6]}) for k in (0.3, 0.4)
    ]
    made = {str(k): Scores.read(frame, "cover") for k, frame in enumerate(frames)}
    for measure in (None, "cover"):
        assert compare_collections(made, measure).measures == ["cover"]
    direct = compare_collections(dict(zip("01", frames, strict=True)), "cover")
    assert str(direct) == str(compare_collections(made))
    unnamed = compare_collections(dict(zip("01", frames, strict=True)))
    assert [row["p"] for row in unnamed.pairs] == [row["p"] for row in direct.pairs]
    with pytest.raises(UsageError, match="depth needs judgments and runs"):
        compare_collections(made, depth=3)


def test_warnings_name_the_collection() -> None:
    fewer = {name: {"q01": {"d": 1.0}} for name in RUNS}
    with pytest.warns(UnjudgedWarning, match="^y: ") as recorded:
        compare_collections({"x": (sample.qrels, RUNS), "y": (sample.qrels, fewer)}, "AP")
    assert all(str(warning.message).startswith(("x: ", "y: ")) for warning in recorded)


def test_depth_keeps_the_first_documents() -> None:
    parts = {"x": (sample.qrels, RUNS), "y": (sample.qrels, RUNS)}
    found = compare_collections(parts, "AP", depth=3)
    plain = evaluate(sample.qrels, RUNS, "AP", depth=3).means[:, 0].tolist()
    assert [means(found, "x")[run] for run in RUNS] == plain


def test_notes_about_a_baseline_and_a_geometric_mean() -> None:
    found = compare_collections({"x": table(1, 8), "y": table(2, 9)}, baseline="b")
    assert "over 4 tests: 2 pairs in 2 collections; tests of the mean over 2 pairs" in " ".join(
        str(found).split()
    )
    assert "against b." in str(found)
    parts = {"x": (sample.qrels, RUNS), "y": (sample.qrels, RUNS)}
    assert "mean: geometric, over collections" in str(compare_collections(parts, "GMAP").grid())


def test_pairs_for_programs_have_the_names_of_compare() -> None:
    row = compare_collections({"x": table(1, 8), "y": table(2, 9)}).records("collections").as_columns()
    assert {"measure", "p", "p_adjusted"} <= row.keys()
    assert "adjusted" not in row


def test_latex_has_the_interval_and_the_place_of_the_mean() -> None:
    found = compare_collections({"x": table(1, 8), "y": table(2, 30)})
    (best,) = [
        r for r in found.systems if r["collection"] == "mean" and r["system"] == found.systems[0]["system"]
    ]
    interval = f"{{[}}{best['query_low']:.2f}, {best['query_high']:.2f}]"
    line = next(line for line in found.to_latex(2).splitlines() if line.startswith(f"a & {best['system']} &"))
    assert line.endswith(rf"& {interval} & {best['place_low']}--{best['place_high']} \\")


def test_equal_differences_have_no_interval() -> None:
    values = np.array([[0.5, 0.75, 0.5], [0.25, 0.5, 0.25]])
    found = compare_collections({"one": Scores.read(values), "two": Scores.read(values)})
    written = found.records("collections").as_columns()
    assert "query_low" not in written
    assert not np.isfinite([row["query_low"] for row in found.rows["collections"]]).any()


def test_two_collections_that_vary_alike_are_welchs_test() -> None:
    """With two parts, mean a = -mean b turned round: Welch's t test, its variance times 1 + 2/42."""
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.2, 1, (1, 12)), rng.normal(0.1, 2, (1, 30))
    b *= a.std(ddof=1) / b.std(ddof=1)  # then their median is the variance of each
    found = macro_differences([a, -b], 0.95)
    welch = stats.ttest_ind(a[0], b[0], equal_var=False)
    wider = np.sqrt(1 + 2 / 42)
    p = 2 * stats.t.sf(abs(welch.statistic) / wider, welch.df)
    assert found.p[0] == pytest.approx(p, abs=1e-12)
    low, high = welch.confidence_interval(0.95)
    ends = [(low + high) / 2 - wider * (high - low) / 2, (low + high) / 2 + wider * (high - low) / 2]
    assert [found.low[0] * 2, found.high[0] * 2] == pytest.approx(ends, abs=1e-12)


def test_the_median_variance_counts_as_a_quarter_of_a_query() -> None:
    """By hand: variances 10 and 4, so that 7 is their median, with four and two degrees of freedom."""
    first = np.array([[-4.0, -2.0, 0.0, 2.0, 4.0]])
    second = np.array([[-2.0, 0.0, 2.0]]) + 3
    found = macro_differences([first, second], 0.95)
    each = np.array([(0.25 * 7 + 4 * 10) / 4.25 / 5, (0.25 * 7 + 2 * 4) / 2.25 / 3]) / 4
    freedom = each.sum() ** 2 / (each[0] ** 2 / 4 + each[1] ** 2 / 2)
    assert found.value[0] == 1.5
    error = np.sqrt(each.sum() * (1 + 2 / 8))
    assert found.p[0] == pytest.approx(2 * stats.t.sf(1.5 / error, freedom), abs=1e-12)
    half = stats.t.ppf(0.975, freedom) * error
    assert [found.low[0], found.high[0]] == pytest.approx([1.5 - half, 1.5 + half], abs=1e-12)


def test_five_queries_of_one_collection_borrow_from_many_of_another() -> None:
    """Five zeros among scores near 0 do not have to allow for scores of 1, and hold the mean all the same."""
    rng = np.random.default_rng(6)
    few, many = np.zeros((1, 5)), rng.beta(0.5, 20, (1, 400))
    _, alone = macro_interval([few, few], (0.0, 1.0), 0.95)
    _, beside = macro_interval([few, many], (0.0, 1.0), 0.95)
    assert alone[0] > 0.1
    assert many.mean() / 2 + 0.001 < beside[0] < 0.05


def test_differences_that_do_not_vary() -> None:
    same, more = np.zeros((1, 4)), np.full((1, 4), 0.25)
    assert macro_differences([same, same], 0.95).p[0] == 1
    constant = macro_differences([more, more], 0.95)
    assert (constant.p[0], constant.low[0], constant.high[0]) == (2.0**-7, -np.inf, np.inf)


@pytest.mark.thorough
def test_size_and_coverage_in_a_small_simulation() -> None:
    """docs/evidence/collections.csv has the large one."""
    rng = np.random.default_rng(4)
    parts = [rng.beta(0.6, 0.9, (600, n)) for n in (5, 40, 300)]
    low, high = macro_interval(parts, (0.0, 1.0), 0.95)
    assert 0.93 <= ((low <= 0.4) & (high >= 0.4)).mean() <= 0.985
    nothing = [rng.normal(0, scale, (4000, n)) for n, scale in ((5, 1), (40, 0.5), (300, 2))]
    assert (macro_differences(nothing, 0.95).p <= 0.05).mean() == pytest.approx(0.05, abs=0.015)
