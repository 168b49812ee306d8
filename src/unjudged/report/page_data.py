"""Everything that a page shows: rows of the result, rounded, and what is known of its sources."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import unjudged
from unjudged.base.segments import Floats
from unjudged.base.wording import percent, plain, shortened
from unjudged.data.sources import FILE, kind_of_source
from unjudged.evidence.contrast import ALONE
from unjudged.inference.verdict import HEADLINES, MORE_JUDGING, OTHER_QUERIES
from unjudged.measures.kernel.measure import Measure
from unjudged.report.page_answer import answer_of, conclusions_of
from unjudged.report.page_documents import NONE
from unjudged.results.comparison import Comparison
from unjudged.results.fields import Row, known
from unjudged.results.methods_paragraph import facts_of, methods_of
from unjudged.results.words import (
    CORRECTED,
    MEANS,
    MEANS_WITHOUT,
    NEEDED,
    NOT_EVEN,
    OF_JUDGED,
    segment_sentences,
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
        "source": None if given.source is None else plain(given.source),
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
        "measures": [_measure(result, k, judged) for k in range(len(result.source.evidence))],
        "tables": [_segments(result)] if given.segments else [],
    }


def _name(name: str) -> str:
    return shortened(plain(name), LONGEST_NAME)


def packed(facts: Mapping[str, Any]) -> str:
    """Return the data as text that a page's script can unpack: JSON, gzip, base64."""
    import gzip

    text = json.dumps(facts, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    data = text.encode("utf-8", "backslashreplace")
    return base64.b64encode(gzip.compress(data, 6, mtime=0)).decode("ascii")


def scores_of(evidence: Any) -> Floats:
    """Return systems x queries in the direction of the measure: what is averaged."""
    alone = np.arange(len(evidence.systems))
    contrast = evidence.contrast(alone, np.full(len(alone), ALONE))
    scores = np.full((len(alone), len(evidence.queries)), np.nan)
    seen = slice(None) if contrast.seen is None else contrast.seen
    scores[:, seen] = evidence.measure.sign * contrast.scores
    return scores


def _measure(result: Comparison, k: int, judged: Mapping[str, float]) -> dict[str, Any]:
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
        **_plain(answer_of(result, measure, judged)),
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
