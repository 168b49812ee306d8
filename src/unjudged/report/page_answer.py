"""The first screen of a page in words: who leads, what is open, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from unjudged.base.wording import counted, percent
from unjudged.inference.verdict import (
    BETTER,
    ENOUGH_QUERIES,
    FEW_QUERIES,
    NEEDS_BOTH,
    NEEDS_JUDGING,
    NEEDS_QUERIES,
    UNKNOWN,
)
from unjudged.measures.kernel.measure import Measure
from unjudged.results.comparison import Comparison
from unjudged.results.fields import LITTLE, Row
from unjudged.results.words import GAPS, headline_sentence, is_placed, some, unplaced, wide_ranges


def answer_of(result: Comparison, measure: Measure, judged: Mapping[str, float]) -> dict[str, Any]:
    """Return the headline, the sentences below it, the next step, and the systems that stand out.

    `judged` has the judged share of each system's first ten documents, if there are documents.
    """
    systems = [row for row in result.systems if row["measure"] == str(measure)]
    pairs = [row for row in result.pairs if row["measure"] == str(measure)]
    open_places = unplaced(systems)
    hot = list(dict.fromkeys([*open_places, *wide_ranges(systems)]))
    if len(systems) == 2 and pairs[0]["headline"] in (NEEDS_JUDGING, NEEDS_BOTH):  # none is wider than most
        ranged = [row["system"] for row in systems if row.get("low") is not None]
        hot = sorted((name for name in ranged if judged.get(name, 1) < LITTLE), key=lambda name: judged[name])
    sample = f"It estimates {measure.estimated} with the pool judged, from {result.source.origin}."
    said = [sample] if measure.traits.estimates and judged else []
    return {
        "headline": _headline(result, systems, pairs, open_places),
        "lede": [*said, *_lede(result, systems, pairs, hot, judged)],
        "next": list(_next(pairs, hot)),
        "hot": hot,
    }


def _headline(
    result: Comparison, systems: Sequence[Row], pairs: Sequence[Row], open_places: Sequence[str]
) -> str:
    if len(systems) == 1:
        return f"{systems[0]['system']} has mean {systems[0]['measure']} {systems[0]['mean']:.4f}."
    if len(systems) == 2:
        return headline_sentence(pairs[0])
    baseline = result.settings["baseline"]
    if baseline is not None:
        better = [row["a"] for row in pairs if row["better"] == row["a"]]
        return f"{some(better) if better else 'None'} {_is(better)} better than {baseline}."
    best, beaten = systems[0]["system"], len(systems[0]["better_than"])
    lead = f"{best} is better than all others." if beaten == len(systems) - 1 else f"{best} leads."
    return f"{lead} {some(open_places)} cannot be placed yet." if open_places else lead


def _lede(
    result: Comparison,
    systems: Sequence[Row],
    pairs: Sequence[Row],
    hot: Sequence[str],
    judged: Mapping[str, float],
) -> Iterator[str]:
    own = {row["system"]: row for row in systems}
    for name in hot[:1]:
        row = own[name]
        if name in judged:
            yield f"{percent(1 - judged[name], 0)} of what {name} put in its first ten was never judged."
        yield f"Judging could make its score anything from {row['low']:.2f} to {row['high']:.2f}."
        if is_placed(row, len(systems)):
            yield f"Its place is {row['place_low']} to {row['place_high']} all the same."
    if len(hot) > 1:
        yield f"{some(hot[1:])} could move much, too."
    spans = [
        row["high"] - row["low"]
        for row in systems
        if row.get("low") is not None and isfinite(row["high"] - row["low"]) and row["system"] not in hot
    ]
    if spans and len(systems) > 1:
        other = "other " if hot else ""
        most = f"by more than {max(spans):.2f}" if max(spans) else "at all"
        yield f"No {other}system's score can move {most}."
    elif spans and len(systems) == 1:
        low, high = systems[0]["low"], systems[0]["high"]
        yield f"Judging could make it {low:.4f} to {high:.4f}." if low < high else "Judging cannot change it."
    if len(systems) > 2 and result.settings["baseline"] is None:
        yield from _rivals(systems, pairs)


def _rivals(systems: Sequence[Row], pairs: Sequence[Row]) -> Iterator[str]:
    """Say what the best system is better than, and what it takes to tell it from the others."""
    best = systems[0]["system"]
    rivals = {
        row["b"] if row["a"] == best else row["a"]: row for row in pairs if best in (row["a"], row["b"])
    }
    beaten, others = len(systems[0]["better_than"]), len(systems) - 1
    if 0 < beaten < others:
        yield f"{best} is better than {beaten} of {others} other systems."
    order = [row["system"] for row in systems if row["system"] in rivals]
    for headline in (NEEDS_JUDGING, NEEDS_QUERIES, NEEDS_BOTH):
        if names := [name for name in order if rivals[name]["headline"] == headline]:
            yield f"Whether it is better than {some(names)} {headline}."
    if any(row["headline"] == FEW_QUERIES for row in pairs):
        yield f"With fewer than {ENOUGH_QUERIES} queries no system is called better."


def _next(pairs: Sequence[Row], hot: Sequence[str]) -> Iterator[str]:
    """Yield the next step, and the word of the command that takes it if there is one."""
    headlines = {row["headline"] for row in pairs}
    unknown = bool(pairs) and all(row["more_judging"] == UNKNOWN for row in pairs)
    if hot or headlines & {NEEDS_JUDGING, NEEDS_BOTH}:
        of = f" to {hot[0]}" if hot else ""
        if any(row["gaps"] for row in pairs):
            yield f"find the {GAPS} that matter most{of}."
        else:
            yield f"judge what matters most{of}."
            yield "next"
    elif headlines & {NEEDS_QUERIES, FEW_QUERIES}:
        many = sum(row["headline"] in (NEEDS_QUERIES, FEW_QUERIES) for row in pairs)
        judging = "" if unknown else " More judging would hardly change the order."
        yield f"use more queries: {counted(many, 'pair')} cannot be told apart on these.{judging}"
    elif headlines == {BETTER}:
        yield "nothing. Every pair is decided."


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) < 2 else "are"


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
