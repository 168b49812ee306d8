"""Everything that a page shows: its answer in words, rows of the result, and what is known of its sources."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

import unjudged
from unjudged.base.segments import Floats
from unjudged.base.wording import counted, percent, plain, shortened
from unjudged.data.sources import FILE, in_shell, kind_of_source
from unjudged.evidence.contrast import alone
from unjudged.inference.verdict import (
    BETTER,
    ENOUGH_QUERIES,
    FEW_QUERIES,
    HEADLINES,
    MORE_JUDGING,
    NEEDS_BOTH,
    NEEDS_JUDGING,
    NEEDS_QUERIES,
    OTHER_QUERIES,
    UNKNOWN,
)
from unjudged.measures.kernel.measure import Measure
from unjudged.measures.kernel.permitted import how_to_judge
from unjudged.report.page_documents import NONE
from unjudged.results.comparison import Comparison
from unjudged.results.fields import LITTLE, Row, known
from unjudged.results.methods_paragraph import facts_of, methods_of
from unjudged.results.words import (
    CORRECTED,
    GAPS,
    MEANS,
    MEANS_WITHOUT,
    NEEDED,
    NOT_EVEN,
    OF_JUDGED,
    headline_sentence,
    is_placed,
    segment_sentences,
    some,
    unplaced,
    wide_ranges,
    without_judging,
)

LONGEST_NAME = 1000
SYSTEM = (
    "mean",
    *(f"{kind}{end}" for kind in ("", "estimate_", "query_", "place_") for end in ("low", "high")),
)
PAIR = {
    **dict.fromkeys(("difference", "low", "high", "query_low", "query_high", "p", "p_adjusted"), 7),
    **dict.fromkeys(("flip", "loss", "seen"), 4),
}
"""Numbers of a pair on the page, and how many decimals of them; tables of the commands have all."""
WORDS = {"headline": HEADLINES, "more_judging": MORE_JUDGING, "other_queries": OTHER_QUERIES}
"""Fields of pairs that are one of some words."""
RANGED = 100
"""Most pairs whose range on every query stands on the page."""


@dataclass(frozen=True, eq=False)
class PageInput:
    """What a page shows; a result of one run has no pairs."""

    result: Comparison
    sources: Sequence[tuple[str, Any]]
    """`judgments` and their source, then the name and source of each run."""
    command: str
    source: str | None
    title: str
    segments: bool = False
    """Whether differences by segment are shown."""
    notes: Sequence[str] = ()
    """Notes beside the notes of the result."""
    documents: Mapping[str, Any] = field(default_factory=lambda: NONE)
    """What is shown of documents, and the judged share of each system's first ones."""


def page_data(given: PageInput) -> dict[str, Any]:
    """Return everything that a page shows."""
    result, judged = given.result, given.documents["judged"]
    notes = [*without_judging(result.pairs), *result.notes, *given.notes]
    settings = result.settings
    family = f" over {settings['family']}" if settings.get("family") else ""
    made = methods_of(facts_of(result))
    return {
        **given.documents,
        "version": unjudged.__version__,
        "title": plain(given.title),
        "command": plain(given.command),
        "files": [_file(name, source) for name, source in given.sources],
        "notes": [plain(str(note)) for note in notes],
        "methods": [plain(made.text), made.bibtex],
        "runs": list(map(_name, result.runs)),
        "queries": list(map(_name, settings["queries"])),
        "test": f"{settings['test']}, {settings['correction']}{family}" if result.pairs else "",
        "level": percent(1 - settings["alpha"]),
        "alpha": settings["alpha"],
        "baseline": settings["baseline"],
        "shares": {"needed": NEEDED, "not_even": NOT_EVEN, "seen": OF_JUDGED, "corrected": CORRECTED},
        "words": WORDS,
        "judged": [judged.get(run) for run in result.runs],
        "measures": [_measure(given, k) for k in range(len(result.source.evidence))],
        "tables": [_segments(result)] if given.segments else [],
    }


def _name(name: str) -> str:
    """Return a name of a system as the page shows it."""
    return shortened(plain(name), LONGEST_NAME)


def packed(facts: Mapping[str, Any]) -> str:
    """Return the data as text that a page's script can unpack: JSON, gzip, base64."""
    import gzip

    text = json.dumps(facts, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    data = text.encode("utf-8", "backslashreplace")
    return base64.b64encode(gzip.compress(data, 6, mtime=0)).decode("ascii")


def scores_of(evidence: Any) -> Floats:
    """Return systems x queries in the direction of the measure: what is averaged."""
    contrast = alone(evidence)
    scores = np.full((len(contrast), len(evidence.queries)), np.nan)
    seen = slice(None) if contrast.seen is None else contrast.seen
    scores[:, seen] = evidence.measure.sign * contrast.scores
    return scores


def _measure(given: PageInput, k: int) -> dict[str, Any]:
    """Return what the page shows of one measure: its systems, pairs and queries."""
    result = given.result
    evidence = result.source.evidence[k]
    measure: Measure = evidence.measure
    name = str(measure)
    rows = {row["system"]: row for row in result.systems if row["measure"] == name}
    systems = [rows[run] for run in result.runs]
    pairs = [row for row in result.pairs if row["measure"] == name]
    means = MEANS if not pairs or pairs[0]["known"] else MEANS | MEANS_WITHOUT
    facts = {
        "name": plain(name),
        "definition": measure.help.split("\n\n>>>")[0].strip(),
        "sign": measure.sign,
        "order": [list(result.runs).index(run) for run in rows],
        "values": rounded(scores_of(evidence), 6),
        "means": means,
        "missing": plain(pairs[0]["missing"]) if pairs else "",
        **_plain(answer_of(given, measure)),
        **{field: [known(row.get(field)) for row in systems] for field in SYSTEM},
    }
    if pairs:
        facts["pairs"] = _pairs(pairs, list(result.runs))
    if pairs and len(pairs) <= RANGED:
        facts["ranges"] = _ranges(evidence, facts["pairs"])
    return facts


def _pairs(rows: Sequence[Row], runs: Sequence[str]) -> dict[str, Any]:
    """Return fields of pairs, each as a list."""
    place = {name: k for k, name in enumerate(runs)}
    known_words: dict[tuple[Any, ...], str] = {}
    said = conclusions_of(rows, known_words)
    sentences = list(dict.fromkeys(known_words.values()))
    return {
        "a": [place[row["a"]] for row in rows],
        "b": [place[row["b"]] for row in rows],
        **{name: rounded([row.get(name) for row in rows], digits) for name, digits in PAIR.items()},
        **{name: [row.get(name) for row in rows] for name in ("wins", "ties")},
        **{name: [words.index(row[name]) for row in rows] for name, words in WORDS.items()},
        "said": [sentences.index(one) for one in said],
        "sentences": sentences,
    }


def _ranges(evidence: Any, pairs: Mapping[str, Any]) -> list[list[Any]] | None:
    """Return for each pair the lowest and the highest difference on each query, if they are known."""
    contrast = evidence.contrast(np.array(pairs["a"]), np.array(pairs["b"]), by_query=True)
    if contrast.ends_by_query is None:
        return None
    ends = [evidence.measure.sign * end for end in contrast.ends_by_query]
    both = np.stack([np.minimum(*ends), np.maximum(*ends)], axis=1)
    return rounded(both, 4)


def rounded(values: Any, digits: int) -> list[Any]:
    """Return numbers with few digits, None where one is not finite or there is none."""
    made = np.asarray(values, float).round(digits)
    found = made.astype(object)
    found[~np.isfinite(made)] = None
    listed: list[Any] = found.tolist()
    return listed


def _plain(value: Any) -> Any:
    """Return the same with plain texts."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return plain(value) if isinstance(value, str) else value


def _segments(result: Comparison) -> dict[str, Any]:
    """Return the differences by segment as texts, with a sentence on whether segments differ."""
    grid, said = result.grid("segments"), segment_sentences(result.segments, result.settings["alpha"])
    rows = [[c.text(known(v)) for c, v in zip(grid.columns, row, strict=True)] for row in grid.rows]
    columns = [[column.name, column.numeric] for column in grid.columns]
    texts = {"words": said, "notes": [result.settings["segments"]], "rows": rows}
    return {"title": "Differences by segment", "columns": columns, **_plain(texts)}


def _file(name: str, source: Any) -> list[Any]:
    """Return name, place, size and SHA-256 of a source, as far as it is a file."""
    path = Path(source) if kind_of_source(source) == FILE else None
    shown = [plain(name), "in memory" if path is None else plain(str(source))]
    if path is None or not path.is_file():
        return [*shown, "", ""]
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return [*shown, f"{path.stat().st_size:,}", digest]


def answer_of(given: PageInput, measure: Measure) -> dict[str, Any]:
    """Return the headline, the sentences below it, the next step, and the systems that stand out."""
    result, judged = given.result, given.documents["judged"]
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
        "next": list(_next(given, measure, pairs, hot)),
        "hot": hot,
    }


def _headline(
    result: Comparison, systems: Sequence[Row], pairs: Sequence[Row], open_places: Sequence[str]
) -> str:
    """Return the first sentence of the page: which system is best, and how sure that is."""
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
    """Yield the sentences after the headline."""
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


def _next(given: PageInput, measure: Measure, pairs: Sequence[Row], hot: Sequence[str]) -> Iterator[str]:
    """Yield the next step, and the command that takes it if there is one."""
    headlines = {row["headline"] for row in pairs}
    unknown = bool(pairs) and all(row["more_judging"] == UNKNOWN for row in pairs)
    if hot or headlines & {NEEDS_JUDGING, NEEDS_BOTH}:
        of = f" to {hot[0]}" if hot else ""
        if any(row["gaps"] for row in pairs):
            yield f"find the {GAPS} that matter most{of}."
        else:
            yield f"judge what matters most{of}."
            shared = given.result.source.shared
            how = [] if shared is None else how_to_judge(shared.original, len(given.result.runs))
            if how and given.source is not None:
                yield f"unjudged next {given.source} {in_shell(['-m', str(measure), *how])}"
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
