"""Texts of a page: who is better in words, and sections on the sample and on segments of the queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from unjudged.base.wording import plain
from unjudged.evaluation.scores import Scores
from unjudged.inference.verdict import ENOUGH_QUERIES, FEW_QUERIES, HEADLINES
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.origin import Origin
from unjudged.results.comparison import Comparison
from unjudged.results.fields import Row
from unjudged.results.grid import Cell, Grid
from unjudged.results.words import headline_sentence, method_of_segments, segment_sentences, sentences_of_pair

NAMED = 5
"""Most systems that a sentence names."""


def sample_section(estimated: Scores) -> dict[str, Any]:
    """Show the values that the sample estimates."""
    origin = estimated.judged.judgments.origin
    names = " and ".join(f"{measure} estimates {measure.estimated}" for measure in estimated.measures)
    words = [
        f"The judgments are {origin.words}.",
        f"From the sample {names} as it would be with the whole pool judged.",
    ]
    grid = replace(estimated.grid(), title="Estimates from the sample")
    return _section("sample", "Sample", words, grid)


def segments_section(result: Comparison) -> dict[str, Any]:
    """Show the differences by segment of the queries, and say whether segments differ."""
    words = segment_sentences(result.segments, result.settings["alpha"])
    names = {(row["a"], row["b"]) for row in result.segments}
    title = "Differences by segment" if len(names) > 1 else f"{' minus '.join(names.pop())}, by segment"
    notes = [method_of_segments(result.settings)]
    return _section("segments", "Segments", words, replace(result.grid("segments"), title=title, notes=notes))


def _section(place: str, title: str, words: Sequence[str], grid: Grid) -> dict[str, Any]:
    columns = [
        {
            "name": plain(column.name),
            "kind": "number" if column.numeric else "text" if column.kind == "text" else "name",
            "decimals": column.decimals if column.kind in ("number", "p value") else 0,
            "p": column.kind == "p value",
        }
        for column in grid.columns
    ]
    table = {
        "place": f"{place}-table",
        "caption": plain(grid.title),
        "notes": list(map(plain, grid.notes)),
        "columns": columns,
        "rows": [[_cell(cell) for cell in row] for row in grid.rows],
    }
    return {"place": place, "title": title, "words": list(map(plain, words)), "table": table}


def _cell(cell: Cell) -> Cell:
    if isinstance(cell, str):
        return plain(cell)
    return None if isinstance(cell, float) and not isfinite(cell) else cell


def words_for_sample(origin: Origin, fitting: Sequence[Measure], shown: Sequence[Measure]) -> str:
    """Say that the judgments are a sample, what that means for the measures shown, and what fits it."""
    names, fit = (", ".join(map(str, measures)) for measures in (shown, fitting))
    wide = f"{names} and their ranges know nothing of the documents that were not drawn"
    return f"The judgments are {origin}: {wide}. {fit}, which allows for them, is under Sample."


def words_for(result: Comparison, measure: Measure, origin: Origin | None) -> list[str]:
    """Say by one measure who is better than whom, or of one run what judging could make of its mean."""
    systems = [row for row in result.systems if row["measure"] == str(measure)]
    pairs = [row for row in result.pairs if row["measure"] == str(measure)]
    if len(systems) == 1:
        return _words_for_one(systems[0], measure, origin)
    if len(systems) == 2:
        return [line for row in pairs for line in sentences_of_pair(row, result.settings) if line]
    counts = Counter(row["headline"] for row in pairs)
    each = "; ".join(_counted(counts[headline], headline) for headline in HEADLINES if counts[headline])
    listed = f"{len(pairs):,} pairs: {each}."
    baseline = result.settings["baseline"]
    if baseline is not None:
        return [*_against_baseline(pairs, baseline, measure, systems), listed]
    best, others = systems[0], len(systems) - 1
    most = "lowest" if measure.traits.lower else "highest"
    lines = [f"{best['system']} has the {most} mean {measure}, {best['mean']:.4f}."]
    beaten = len(best["better_than"])
    if beaten == others:
        lines.append("It is better than all other systems.")
    elif beaten:
        lines.append(f"It is better than {beaten} of {others} other systems.")
    else:
        lines.append("It is not shown to be better than any other system.")
    return [*lines, *_rivals(pairs, best["system"], [row["system"] for row in systems]), listed]


def _counted(count: int, headline: str) -> str:
    """Return a number of pairs with their headline.

    >>> _counted(1, "needs both"), _counted(1200, "needs both"), _counted(3, "few queries")
    ('1 needs both', '1,200 need both', '3 have few queries')
    """
    headline = f"has {headline}" if headline == FEW_QUERIES else headline
    return f"{count:,} {headline if count == 1 else headline.replace('needs', 'need').replace('has', 'have')}"


def _rivals(pairs: Sequence[Row], best: str, order: Sequence[str]) -> Iterator[str]:
    """Say what it takes to tell the best system apart from those that it is not better than."""
    own = {row["b"] if row["a"] == best else row["a"]: row for row in pairs if best in (row["a"], row["b"])}
    for headline in HEADLINES[1:]:
        names = [name for name in order if name in own and own[name]["headline"] == headline]
        if names and headline == FEW_QUERIES:
            yield f"With fewer than {ENOUGH_QUERIES} queries no system is called better."
        elif names:
            yield f"Against {_some(names)} it {headline}."


def _words_for_one(row: Row, measure: Measure, origin: Origin | None) -> list[str]:
    first = f"{row['system']} has mean {measure} {row['mean']:.4f}."
    if measure.traits.estimates and origin is not None:
        return [first, f"It estimates {measure.estimated} with the pool judged, from {origin}."]
    if row.get("low") is None:
        return [first]
    if row["low"] == row["high"]:
        return [first, "Unjudged documents cannot change it."]
    return [first, f"Judging could make it {row['low']:.4f} to {row['high']:.4f}."]


def _against_baseline(
    pairs: Sequence[Row], baseline: str, measure: Measure, systems: Sequence[Row]
) -> list[str]:
    better = [row["a"] for row in pairs if row["better"] == row["a"]]
    worse = [row["a"] for row in pairs if row["better"] == row["b"]]
    mean = next(row["mean"] for row in systems if row["system"] == baseline)
    return [
        f"The baseline {baseline} has mean {measure} {mean:.4f}.",
        f"Better: {_some(better)}." if better else "No system is shown to be better.",
        f"Worse: {_some(worse)}." if worse else "No system is shown to be worse.",
    ]


def _some(names: Sequence[str], last: str = "and") -> str:
    """Return the names, or the first of them and how many more there are.

    >>> _some(["a", "b", "c"], "or"), _some("abcdefg")
    ('a, b or c', 'a, b, c, d, e and 2 more')
    """
    more = len(names) - NAMED
    shown = [*names[:NAMED], *([f"{more} more"] if more > 0 else [])]
    return f" {last} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


TOLD = ("headline", "more_judging", "sure", "in_other_orders")
"""Fields that the conclusion about a pair is made of, beside the names of its systems."""


def conclusions_of(rows: Sequence[Row], known: dict[tuple[Any, ...], str]) -> list[str]:
    """Return the conclusion about each pair, of {ahead} and {other}; `known` keeps those that were made."""
    said = []
    for row in rows:
        key = (row["ahead"] is None, *(row.get(name) for name in TOLD))
        if key not in known:
            names = {"a": "{ahead}", "b": "{other}", "ahead": None if key[0] else "{ahead}"}
            known[key] = headline_sentence({**row, **names})
        said.append(known[key])
    return said
