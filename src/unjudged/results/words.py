"""The words of results: what is said of two systems, of a table, and of how it was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, isfinite, isnan
from statistics import median
from typing import Any

from unjudged.base.notes import Note, note
from unjudged.base.segments import Mask
from unjudged.base.wording import counted, p_text, percent, shortlist
from unjudged.inference.corrections import separate
from unjudged.inference.pair_rows import MOST_PERMUTATIONS
from unjudged.inference.pair_tests import Settings
from unjudged.inference.system_rows import other_of
from unjudged.inference.verdict import (
    BETTER,
    BLUR,
    CANNOT,
    FEW_QUERIES,
    FLIP,
    NEEDS_BOTH,
    NEEDS_JUDGING,
    NEEDS_QUERIES,
    UNKNOWN,
    UNLIKELY,
)
from unjudged.results.fields import Row, is_estimated, share_text

NAMED = 3
"""Most systems that a sentence names."""
WIDE = 0.1
"""A range is wide if it is wider than this and than twice the median."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"

GAPS = "missing values"
NEEDED = "if {} of {}'s unjudged documents are relevant"
NOT_EVEN = "not even if all unjudged documents that favour {} are relevant"
OF_JUDGED = "; {} of the judged ones are"
CORRECTED = "after correction, if {} of {}'s unjudged documents are relevant, as of the judged ones"
ANSWERS = {
    BETTER: "{} is better than {}",
    NEEDS_JUDGING: "{} is ahead of {}, but {open} could {}: needs judging",
    NEEDS_QUERIES: "{} is ahead of {}, but other queries could say the opposite: needs queries",
    NEEDS_BOTH: "{} is ahead of {}, but {other} or queries could say the opposite: needs both",
    FEW_QUERIES: "{} is ahead of {}, but on so few queries that nothing follows",
}
"""What each headline says of the system ahead and the other one."""


MEANS = {
    BETTER: "better: other queries would say the same, and more judging cannot or is unlikely to change it",
    NEEDS_JUDGING: "needs judging: other queries would say the same, but more judging could blur or flip it",
    NEEDS_QUERIES: "needs queries: other queries could differ; more judging would hardly change the order",
    NEEDS_BOTH: "needs both: other queries could differ, and more judging could flip the order",
    FEW_QUERIES: "few queries: too few to call a system better",
}
"""What each headline means."""
MEANS_WITHOUT = {
    BETTER: "better: other queries would say the same",
    NEEDS_QUERIES: "needs queries: other queries could differ",
}
"""The same, if what judging could change is unknown."""

SKEWED = "the differences are skewed"
OPEN = "the differences are skewed, or predictions that nothing corrects could turn them"
UNTESTED = "Whether segments differ is not tested: that takes two segments of more than one query each."
MISLEADS = "the mean alone misleads"
SAME_SIGN = "the difference is not the same in all segments"
DETECTABLE = (
    "detectable: what so many queries would show with power .8 if they vary as these do (paired t test)."
)


def how_many(row: Row) -> str:
    """Return the number of queries, and of their clusters if they are in some."""
    clusters = row.get("clusters")
    of = "" if clusters is None else f" in {counted(clusters, 'cluster')}"
    return f"{counted(row['queries'], 'query')}{of}"


def letters(place: int) -> str:
    """Return a to z, then aa, ab, ...: as many marks as there are systems.

    >>> [letters(place) for place in (0, 25, 26, 702)]
    ['a', 'z', 'aa', 'aaa']
    """
    text = ""
    place += 1
    while place:
        place, digit = divmod(place - 1, 26)
        text = LETTERS[digit] + text
    return text


def method_of(settings: Mapping[str, Any], doubt: str = "", queries: str = "") -> Note:
    """Return queries, test, correction and level in one sentence, after what a mark of `doubt` means."""
    title = settings["test"]
    against = "" if settings.get("baseline") is None else f", against {settings['baseline']}"
    family = f" over {settings['family']}" if settings.get("family") else ""
    corrected = f", {settings['correction']}{family}" if family else ""
    test = f"{queries}, {title}" if queries else f"{title[0].upper()}{title[1:]}"
    return note("method", doubt=doubt, test=f"{test}{corrected}", alpha=settings["alpha"], against=against)


def notes_of_view(result: Any, view: str, *, marks: bool = True) -> list[str]:
    """Say what a table rests on, and what its columns and marks mean if it has them."""
    rows = result.rows[view]
    if view == "queries" and marks:
        return [f"difference: {rows[0]['a']} minus {rows[0]['b']}."]
    if view not in ("systems", "pairs", "segments", "collections") or "test" not in result.settings:
        return []
    if view == "segments":
        return [*segment_sentences(rows, result.settings["alpha"]), result.settings["segments"]]
    if view in ("systems", "collections") and "collections" in result.settings:
        return [*of_collections(result.settings), method_of(result.settings), *without_judging(result.pairs)]
    sought = marks and view == "pairs" and any(isfinite(row.get("flip", inf)) for row in rows)
    doubt = "? needs judging. " if marks and any(row.get("doubtful") for row in rows) else ""
    method = method_of(result.settings, doubt, how_many(rows[0]) if rows else "")
    placed = placings(rows, result.settings) if marks and view == "systems" else []
    unknown = [] if result.sentences() else without_judging(result.pairs)  # sentences have it
    return [*([note("shares")] if sought else []), method, *placed, *unknown]


def without_judging(pairs: Sequence[Row]) -> list[Note]:
    """Say by which measures it is unknown what more judging could change, and why."""
    why = dict.fromkeys((row["measure"] for row in pairs), "")
    why |= {row["measure"]: row["missing"] for row in pairs if row["more_judging"] == UNKNOWN}
    said = []
    for reason in dict.fromkeys(filter(None, why.values())):
        own = [measure for measure in why if why[measure] == reason]
        every = len(own) == len(why)
        code = "judging-unknown" if every else "judging-unknown-of"
        said.append(note(code, [] if every else own, why=reason))
    return said


def of_collections(settings: Mapping[str, Any]) -> list[Note]:
    """Say what a mean over collections is, and how many queries each has."""
    sizes = ", ".join(f"{name} {size}" for name, size in settings["collections"].items())
    return [note("collections", geometric="geometric, " if settings["geometric"] else "", sizes=sizes)]


def method_of_segments(
    settings: Settings, segments: Iterable[Mask], pairs: int, family: str, each: str
) -> str:
    """Return how differences within segments, between them, and over all queries were tested.

    `family` is what tests over all queries were corrected over, and `each` how many families there are.
    """
    tested = [int(own.sum()) > 1 for own in segments]
    tests, one = counted(sum(tested), "segment"), separate(settings.correction)
    if pairs > 1:
        tests = f"{sum(tested) * pairs} tests: {tests} of {pairs} pairs"
    said, left_out = f"{settings.test.heading}, {settings.correction.title}", ""
    if one.name != "none":
        said = f"{settings.test.heading}, {one.title} over {tests}{each}"
        all_queries = f"{settings.correction.title} over {family}"
        said += f"; between segments over {family}; all: {all_queries}" if family else ""
    if not all(tested):
        left_out = f" {counted(tested.count(False), 'segment')} of one query cannot be tested: not counted."
    if one.name != "none" and pairs / settings.alpha > MOST_PERMUTATIONS + 1:
        left_out += f" {MOST_PERMUTATIONS:,} draws cannot show that segments differ among so many tests."
    return f"{DETECTABLE} {said}, alpha = {settings.alpha:g}.{left_out}"


def segment_sentences(rows: Sequence[Row], alpha: float) -> list[str]:
    """Say for each pair and measure whether segments differ, and where the mean over all queries misleads."""
    by_pair: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        by_pair.setdefault((row["measure"], row["a"], row["b"]), []).append(row)
    said = []
    for (measure, a, b), (*parts, total) in by_pair.items():
        subject = f"{a} minus {b}, {measure}: " if len(by_pair) > 1 else ""
        p = total["interaction_p_adjusted"]
        signs = {row["difference"] > 0 for row in parts if row["queries"] > 1 and row["difference"]}
        if isnan(p):
            said.append(UNTESTED)
        elif p > alpha:
            said.append(f"{subject}No difference between segments is shown ({p_text(p)}).")
        else:
            so = MISLEADS if len(signs) > 1 else SAME_SIGN
            said.append(f"{subject}Segments differ from each other ({p_text(p)}): {so}.")
        turned = [row for row in parts if row["difference"] * total["difference"] < 0]
        if 2 * len(turned) > len(parts):
            sign = 1 if total["difference"] > 0 else -1
            largest = max(parts, key=lambda row: sign * row["queries"] * row["difference"])
            said.append(
                f"{subject}The mean over all queries says the opposite of most segments: {total['ahead']} is "
                f"ahead because of {largest['segment']} ({counted(largest['queries'], 'query')}), but behind "
                f"{other_of(total)} in {shortlist([row['segment'] for row in turned])}."
            )
        unclear = [row for row in parts if row["p"] is not None and row["p_adjusted"] > alpha]
        if least := [f"{r['segment']} {r['detectable']:.3g}" for r in unclear if isfinite(r["detectable"])]:
            said.append(f"{subject}Not significant. Detectable with power .8: {shortlist(least)}.")
    return list(dict.fromkeys(said))


def some(names: Sequence[str]) -> str:
    """Return the names, or the first of them and how many more there are.

    >>> some(["a", "b"]), some("abcdefg")
    ('a and b', 'a, b, c and 4 more')
    """
    more = len(names) - NAMED
    shown = [*names[:NAMED], *([f"{more} more"] if more > 0 else [])]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def wide_ranges(rows: Sequence[Row]) -> list[str]:
    """Return the systems of which judging could make much more or less than of most, the widest first."""
    known = [row for row in rows if row.get("low") is not None and isfinite(row["high"] - row["low"])]
    if len(known) < 2:
        return []
    spans = {row["system"]: row["high"] - row["low"] for row in known}
    least = max(WIDE, 2 * median(spans.values()))
    return sorted((name for name, span in spans.items() if span > least), key=lambda name: -spans[name])


def unplaced(rows: Sequence[Row]) -> list[str]:
    """Return the systems with wide ranges that judging could still move, and that have no place yet."""
    unsure = {name for row in rows if row["doubtful"] for name in (row["system"], *row["doubtful"])}
    placed = {row["system"] for row in rows if is_placed(row, len(rows))}
    return [name for name in wide_ranges(rows) if name in unsure - placed]


def is_placed(row: Row, systems: int) -> bool:
    """Whether a system has a place: at most half of all places are left to it."""
    low, high = row.get("place_low"), row.get("place_high")
    return low is not None and high is not None and 2 * (high - low + 1) <= systems


def placings(rows: Sequence[Row], settings: Mapping[str, Any]) -> Iterator[Note]:
    """Yield what the places of three and more systems say, by each measure."""
    by_measure: dict[str, list[Row]] = {}
    for row in rows:
        by_measure.setdefault(row["measure"], []).append(row)
    for measure, own in by_measure.items():
        if len(own) > 2 and settings.get("baseline") is None and (said := placing(own)):
            yield note("placing", of="" if len(by_measure) == 1 else f"{measure}: ", said=said)


def placing(rows: Sequence[Row]) -> str:
    """Say which systems cannot be told from the best, and which cannot be placed at all."""
    best, hot = rows[0], unplaced(rows)
    known = {best["system"], *best["better_than"], *best["doubtful"], *hot}
    level = [row["system"] for row in rows if row["system"] not in known]
    said = []
    if best["system"] not in hot:
        if level:
            said.append(f"{some([best['system'], *level])} cannot be told apart.")
        elif len(best["better_than"]) == len(rows) - 1:
            said.append(f"{best['system']} is better than all others.")
    if hot:
        said.append(f"{some(hot)} cannot be placed: judge some of {'it' if len(hot) == 1 else 'them'}.")
    return " ".join(said)


def headline_sentence(row: Row) -> str:
    """Return the headline of a pair as a sentence."""
    if row["ahead"] is None:
        more = {NEEDS_QUERIES: " whatever is judged"}.get(row["headline"], "")
        return f"{row['a']} and {row['b']} have the same mean{more}."
    turned = "reverse it" if row["more_judging"] == FLIP else "blur it"
    gaps = bool(row.get("gaps"))
    of_row = (
        {"open": GAPS, "other": GAPS} if gaps else {"open": "unjudged documents", "other": "other judgments"}
    )
    said = ANSWERS[row["headline"]].format(row["ahead"], other_of(row), turned, **of_row)
    if row["headline"] == BETTER and row.get("sure"):
        said += f", whatever {'the missing values are' if gaps else 'is judged'}"
    if row.get("in_other_orders"):
        said += f" ({row['in_other_orders']} if tied documents are ordered otherwise)"
    return f"{said}."


def sentences_of_pair(row: Row, settings: Mapping[str, Any]) -> list[str]:
    """Return the headline, the means, and the two answers with what they rest on."""
    of_logs = " of mean logarithms" if row.get("geometric") else ""
    means = f"{row['mean_b']:.4f} -> {row['mean_a']:.4f}"
    lines = [
        headline_sentence(row),
        "",
        f"{row['measure']}: {means}, difference{of_logs} {row['difference']:+.4f}",
    ]
    lines.append(f"other queries  {row['other_queries']}: {_queries(row, settings)}")
    lines.append(
        f"{GAPS if row.get('gaps') else 'more judging':14} {row['more_judging']}{_judging(row, settings)}"
    )
    return lines


def _queries(row: Row, settings: Mapping[str, Any]) -> str:
    """Say the interval for other queries, the p values, and who won how many."""
    alpha = settings.get("alpha", 0.05)
    ends = "no interval"
    if row.get("query_low") is not None and isfinite(row["query_low"]):
        ends = f"{row['query_low']:+.4f} to {row['query_high']:+.4f} ({percent(1 - alpha)})"
    corrected = ""
    if row.get("p_adjusted") is not None and row["p_adjusted"] != row["p"]:
        corrected = f", {p_text(row['p_adjusted'])} after correction"
    if row.get("p_careful") is not None:
        corrected += (
            f" (careful {p_text(row['p_careful'])} because {SKEWED if 'estimate_low' not in row else OPEN})"
        )
    won = ""
    if row.get("wins") is not None and row["ahead"] is not None:
        won = f"; {row['ahead']} better on {max(row['wins'], row['losses'])} of {row['queries']}"
    if row.get("clusters") is not None:
        won += f"; {how_many(row)}"
    return f"{ends}, {p_text(row['p'])}{corrected}{won}"


def _judging(row: Row, settings: Mapping[str, Any]) -> str:
    """Say what judging could make of a difference, and which share of relevant documents that takes."""
    if row["more_judging"] == UNKNOWN:
        ends = ""
        if row.get("estimate_low") is not None:
            level = percent(1 - settings.get("alpha", 0.05))
            ends = f"{row['estimate_low']:+.4f} to {row['estimate_high']:+.4f} ({level}) for these queries; "
        return f": {ends}{row['missing']}" if row.get("missing") else ""
    between = ""
    if row.get("low") is not None and isfinite(row["low"]):
        between = f": between {row['low']:+.4f} and {row['high']:+.4f}"
    if row["more_judging"] == CANNOT or row["ahead"] is None:
        return between
    behind = other_of(row)
    needed, loss = row.get("flip"), row.get("loss")
    unlikely = row["more_judging"] == UNLIKELY
    if row["more_judging"] == BLUR or (unlikely and loss is not None and not isnan(loss)):
        needed = loss
    seen = row.get("seen")
    if needed is None or isnan(needed):
        return between
    known = OF_JUDGED.format(share_text(seen)) if seen is not None and not isnan(seen) else ""
    if row["more_judging"] == BLUR and known and needed > seen:  # a share is that without any correction
        return f": {CORRECTED.format(share_text(seen), behind)}"
    by_draw = row["more_judging"] == FLIP and is_estimated(row) and seen is not None and needed > seen
    if by_draw or not isfinite(needed):
        level = percent(1 - settings.get("alpha", 0.05))
        ends = "{estimate_low:+.4f} and {estimate_high:+.4f}".format(**row) if is_estimated(row) else ""
        drawn = f": on these queries it is estimated between {ends} ({level})"
        return drawn if ends else f"{between}, {NOT_EVEN.format(behind)}{known}"
    return f": {'only ' * unlikely}{NEEDED.format(share_text(needed), behind)}{known}"


def title_of(result: Any, view: str) -> str:
    """Return the title of a table: how many systems or pairs, and queries."""
    rows = result.rows[view]
    many = {"systems": "system", "pairs": "pair"}.get(view)
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    if view == "collections":
        two = list(dict.fromkeys((row["a"], row["b"]) for row in rows))
        which = " minus ".join(two[0]) if len(two) == 1 else f"{len(two)} pairs"
        return f"{which} in {counted(len(result.settings['collections']), 'collection')}; {measures[0]}"
    if many is None or not rows:
        by_query = f"{measures[0]} by query" if len(measures) == 1 else "By query"
        return {"segments": "By segment", "queries": by_query}.get(view, "")
    if "collections" in result.settings:
        collections = counted(len(result.settings["collections"]), "collection")
        return f"{counted(len(result.runs), 'system')} x {collections}; {measures[0]}"
    if view == "systems":  # its heading and the note below have both
        return ""
    what = counted(len(rows) // len(measures), many)
    of = f"; {measures[0]}" if len(measures) == 1 else ""
    return f"{what} x {counted(rows[0]['queries'], 'query')}{of}"


def caption_of(result: Any) -> str:
    """Say of a table for a paper what it has, what its marks mean, and how they were tested."""
    settings, baseline = result.settings, result.settings["baseline"]
    if "collections" in settings:
        several = counted(len(settings["collections"]), "collection")
        said = [f"{result.measures[0]} in {several}, and the mean over them."]
    else:
        said = [f"Means over {counted(len(settings['queries']), 'query')}."]
    marks = "Superscripts: better than these systems."
    said += ["Bold: the best mean.", marks if baseline is None else f"† better than {baseline}, ‡ worse."]
    loose = sum(row["headline"] == NEEDS_JUDGING for row in result.pairs)
    needing = [f"{counted(loose, 'more difference')} may change with judging."] if loose else []
    return " ".join([*said, method_of(settings), *needing])
