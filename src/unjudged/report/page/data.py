"""Everything that a page shows, as JSON facts and packed arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import unjudged
from unjudged.base.wording import plain
from unjudged.evaluation.measure_warnings import why_not_uniform
from unjudged.evidence.contrast import ALONE
from unjudged.formats.inputs import FILE, kind_of_source
from unjudged.inference.deciding_queries import deciding_queries
from unjudged.inference.verdict import HEADLINES, MORE_JUDGING, OTHER_QUERIES
from unjudged.measures.kernel.measure import Measure
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments
from unjudged.report.descriptions import (
    Description,
    differences_chart,
    interval_words,
    intervals_chart,
    judged_chart,
    matrix_chart,
)
from unjudged.report.measure_pages import signature
from unjudged.report.page.packed import (
    BY_RANK,
    TOP,
    Packed,
    add_holes,
    add_pairs,
    add_rankings,
    depth_kept,
)
from unjudged.report.page.page_words import words_for
from unjudged.results.comparison import Comparison
from unjudged.results.escapes import Labels
from unjudged.results.words import (
    CORRECTED,
    MEANS,
    MEANS_WITHOUT,
    NEEDED,
    NOT_EVEN,
    OF_JUDGED,
    without_judging,
)
from unjudged.uncertainty.shared import SharedRankings

LONGEST_NAME = 1000
COVERS = {"bounds": "what judging could make of it", "queries": "other queries"}
Ends = dict[str, list[tuple[float, float]]]
"""By measure, the ends of each system's interval, as systems were given."""


@dataclass(frozen=True, eq=False)
class PageInput:
    """What a page shows; a result of one run has no pairs, and one of a table no `judgments`.

    `calibrated` has the calibrated ends by measure with their confidence and method, if there are any.
    """

    result: Comparison
    sources: Sequence[tuple[str, Any]]
    """`judgments` and their source, then the name and source of each run."""
    command: str
    title: str
    judgments: Judgments | None = None
    calibrated: tuple[Ends, float, str] | None = None
    extras: Sequence[dict[str, Any]] = ()
    """Further sections, as `page_words` makes them."""
    notes: Sequence[str] = ()
    """Further notes beside those of the result."""

    @property
    def shared(self) -> SharedRankings | None:
        """The runs over one pool, if there are judgments."""
        found: SharedRankings | None = self.result.source.shared
        return found

    @property
    def measures(self) -> list[Measure]:
        """The measures."""
        return [one.measure for one in self.result.source.evidence]

    def rows(self, measure: Measure) -> list[Mapping[str, Any]]:
        """Return the rows of the systems by a measure, as they were given."""
        own = {row["system"]: row for row in self.result.systems if row["measure"] == str(measure)}
        return [own[name] for name in self.result.runs]

    def intervals(self, measure: Measure) -> dict[str, list[tuple[float, float]]]:
        """Return the ends of each kind of interval that a measure has."""
        rows = self.rows(measure)
        kinds = {"bounds": ("low", "high"), "queries": ("query_low", "query_high")}
        found = {
            kind: [(row.get(low, np.nan), row.get(high, np.nan)) for row in rows]
            for kind, (low, high) in kinds.items()
        }
        if self.calibrated is not None and str(measure) in self.calibrated[0]:
            found["calibrated"] = self.calibrated[0][str(measure)]
        return {kind: ends for kind, ends in found.items() if np.isfinite(ends).any()}


def page_data(given: PageInput) -> tuple[dict[str, Any], str]:
    """Return the facts, with the index of the arrays among them, and the arrays in base64."""
    result, shared = given.result, given.shared
    packed, labels = Packed(), Labels(LONGEST_NAME)
    kinds = _described(given)
    for k, one in enumerate(result.source.evidence):
        packed.add(f"values{k}", scores_of(one), "f8")
        packed.add(f"means{k}", [row["mean"] for row in given.rows(one.measure)], "f8")
        ends = given.intervals(one.measure)
        for kind in kinds:
            packed.add(f"{kind}{k}", ends.get(kind, np.full((len(result.runs), 2), np.nan)), "f8")
    if result.pairs:
        add_pairs(packed, result)
    depth = 0
    if shared is not None and given.judgments is not None:
        depth = depth_kept(shared)
        add_rankings(packed, shared, given.judgments, depth)
        add_holes(packed, shared)
    facts = {
        "version": unjudged.__version__,
        "title": plain(given.title),
        "command": plain(given.command),
        "files": _files(given.sources),
        "counts": _counts(given),
        "origin": _origin(given),
        "notes": [plain(str(note)) for note in [*without_judging(result.pairs), *result.notes, *given.notes]],
        "runs": [labels[run] for run in result.runs],
        "queries": [labels[query] for query in result.settings["queries"]],
        "measures": [_measure(given, k, measure) for k, measure in enumerate(given.measures)],
        "intervals": kinds,
        "tests": _tests(result, labels) if result.pairs else None,
        "extras": given.extras,
        "headlines": HEADLINES,
        "more": MORE_JUDGING,
        "other": OTHER_QUERIES,
        "shares": {"needed": NEEDED, "not_even": NOT_EVEN, "seen": OF_JUDGED, "corrected": CORRECTED},
        "judged": judged_chart(["A", "B"] if result.pairs else []),
        "ranked": shared is not None and given.judgments is not None,
        "depth": depth,
        "by_rank": BY_RANK,
        "top": TOP,
    }
    text = packed.text()
    return {**facts, "arrays": packed.index}, text


def scores_of(evidence: Any) -> Floats:
    """Return systems x queries in the direction of the measure: what is averaged."""
    alone = np.arange(len(evidence.systems))
    scores: Floats = evidence.measure.sign * evidence.contrast(alone, np.full(len(alone), ALONE)).scores
    return scores


def _level(given: PageInput, kind: str) -> float:
    """Return the confidence of a kind of interval."""
    if kind == "calibrated" and given.calibrated is not None:
        return given.calibrated[1]
    return 1.0 if kind == "bounds" else 1 - float(given.result.settings["alpha"])


def _described(given: PageInput) -> dict[str, dict[str, Any]]:
    """Return the confidence and the coverage in words of each kind of interval."""
    kinds = dict.fromkeys(kind for measure in given.measures for kind in given.intervals(measure))
    covers = COVERS | ({} if given.calibrated is None else {"calibrated": given.calibrated[2]})
    return {kind: {"confidence": _level(given, kind), "covers": covers[kind]} for kind in kinds}


MOST_DECIDED = 200
"""Pairs that a page says of which queries decide about them."""


def _measure(given: PageInput, k: int, measure: Measure) -> dict[str, Any]:
    origin = None if given.judgments is None else given.judgments.origin
    definition = measure.help.split("\n\n>>>")[0].strip()
    low, high = measure.range
    return {
        "name": str(measure),
        "signature": signature(measure),
        "definition": definition,
        "range": [low if np.isfinite(low) else None, high if np.isfinite(high) else None],
        "bounded": "bounds" in given.intervals(measure),
        "sign": measure.sign,
        "judged": _judged(given, measure),
        **_about_judging(given.result, str(measure)),
        "cutoff": measure.given.get("cutoff"),
        "words": [plain(line) for line in words_for(given.result, measure, origin)],
        "charts": _charts(given, measure),
        "deciding": _deciding(given.result, k),
    }


def _deciding(result: Comparison, k: int) -> dict[str, str]:
    """Say for each pair which queries decide about it, if there are not too many pairs for a page."""
    evidence = result.source.evidence[k]
    rows = [row for row in result.pairs if row["measure"] == str(evidence.measure)]
    if len(rows) > MOST_DECIDED:
        return {}
    values, place = scores_of(evidence), {name: i for i, name in enumerate(result.runs)}
    said = {}
    for row in rows:
        a, b = place[row["a"]], place[row["b"]]
        found = deciding_queries(values[a] - values[b], result.settings["queries"], result.level(row))
        said[f"{a},{b}"] = said[f"{b},{a}"] = plain(" ".join(found.sentences()))
    return said


def _judged(given: PageInput, measure: Measure) -> str:
    """With which judgments intervals for other queries are, if there are any."""
    return (
        "" if given.judgments is None else "other samples" if measure.traits.estimates else "these judgments"
    )


def _about_judging(result: Comparison, measure: str) -> dict[str, Any]:
    """Return why it is unknown what judging could change, and what each headline means then or else."""
    row = next((row for row in result.pairs if row["measure"] == measure), None)
    known = row is None or row["known"]
    means = MEANS if known else MEANS | MEANS_WITHOUT
    missing = "" if row is None else plain(row["missing"])
    return {"missing": missing, "means": [means[headline] for headline in HEADLINES]}


def _charts(given: PageInput, asked: Measure) -> dict[str, Description]:
    """Describe the charts of a measure; the page has their rows."""
    measure = str(asked)
    kinds = given.intervals(asked)
    words = {kind: interval_words(kind, _level(given, kind), _judged(given, asked)) for kind in kinds}
    charts = {"intervals": intervals_chart(measure, words)}
    if given.result.pairs:
        charts["matrix"] = matrix_chart(measure)
        charts["differences"] = differences_chart(measure, "A", "B", bounded="bounds" in kinds)
    return charts


def _tests(result: Comparison, labels: Labels) -> dict[str, Any]:
    settings = result.settings
    family = f" over {settings['family']}" if settings["family"] else ""
    return {
        "test": settings["test"],
        "correction": f"{settings['correction']}{family}",
        "alpha": settings["alpha"],
        "baseline": None if settings["baseline"] is None else labels[settings["baseline"]],
    }


def _counts(given: PageInput) -> dict[str, int] | None:
    if given.judgments is None or given.shared is None:
        return None
    grade, shared = given.judgments.grade, given.shared
    retrieved = np.zeros(len(shared.judgments.grade), bool)
    retrieved[shared.rankings.row] = True
    return {
        "judged": int((grade >= 0).sum()),
        "relevant": int((grade >= 1).sum()),
        "pooled_unjudged": int((grade < 0).sum()),
        "retrieved_unjudged": int((retrieved & (shared.judgments.grade < 0)).sum()),
    }


def _origin(given: PageInput) -> str | None:
    """Say how the judgments were made, and why they cannot be the sample that they are taken for."""
    if given.judgments is None or given.shared is None:
        return None
    why = why_not_uniform(given.shared.judged_rankings)
    return given.judgments.origin.words if why is None else f"part of the pool was judged; {why}"


def _files(sources: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Return name, size and SHA-256 of every source that is a file."""
    listed: list[dict[str, Any]] = []
    for name, source in sources:
        path = Path(source) if kind_of_source(source) == FILE else None
        shown: dict[str, Any] = {"name": plain(name), "file": None if path is None else plain(str(source))}
        if path is not None and path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            shown |= {"bytes": path.stat().st_size, "sha256": digest}
        listed.append(shown)
    return listed
