"""Judged documents that are not in the corpus any more: counted, named, and dropped or kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unjudged.base.errors import InputError
from unjudged.base.notes import Note, note
from unjudged.base.segments import Mask, ends
from unjudged.base.wording import counted, shortlist
from unjudged.data.nested_dicts import DATASET
from unjudged.data.text_tables import known_names
from unjudged.rankings.extension import chosen_rows
from unjudged.rankings.judgments import Judgments

MOST_NAMED = 1000
"""Most stale documents whose names a note has as data."""


def without_stale(judgments: Judgments, documents: Any) -> tuple[Judgments, list[Note]]:
    """Return the judgments of documents that exist, as if the others had no line, and what to say of it.

    A dataset of ir_datasets has the documents that it was made of, and they are not read.

    >>> kept, said = without_stale(Judgments.read({"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}), ["d1", "d2"])
    >>> kept
    Judgments(1 query, 2 judged documents, 1 relevant, 0 pooled but not judged)
    >>> said[1]
    '1 query has no document left and is left out: q2.'
    """
    if documents is None or str(documents).startswith(DATASET):
        return judgments, []
    found = StaleJudgments.look_up(judgments, documents)
    return (found.kept, found.notes) if found.gone.any() else (judgments, [])


@dataclass(frozen=True, eq=False)
class StaleJudgments:
    """Judgments, some of documents that do not exist any more: `gone` are their rows."""

    judgments: Judgments
    gone: Mask
    documents: Any = None
    """The file, or the names."""

    @property
    def file(self) -> str:
        """What messages call the documents."""
        named = isinstance(self.documents, str | os.PathLike)
        return os.path.basename(self.documents) if named else "documents"

    @classmethod
    def look_up(cls, judgments: Judgments, documents: Any, known: set[bytes] | None = None) -> StaleJudgments:
        """Look up which documents are stale, unless it is `known` which exist; an error if none does."""
        source = os.fspath(documents) if isinstance(documents, os.PathLike) else documents
        names = judgments.documents.tolist()
        known = known_names(source, {*names}) if known is None else known.intersection(names)
        made = cls(judgments, np.array([name not in known for name in names], bool), source)
        if names and not known:
            problem = f"none of the {counted(len({*names}), 'judged document')} is in it"
            example = f"such as {judgments.documents[0]!r}"
            raise InputError(f"{problem}, {example}: does it name documents as they do?", source=made.file)
        return made

    @property
    def kept(self) -> Judgments:
        """The judgments of documents that exist; a query that has none is left out."""
        made, drawn = chosen_rows(self.judgments, ~self.gone), self.judgments.drawn
        made = replace(made, drawn=None if drawn is None else drawn[~self.gone])
        some = np.diff(made.offsets) > 0
        return made if some.all() else made.of_queries(some)

    @property
    def queries(self) -> list[dict[str, Any]]:
        """Counts of each query that has stale documents, the most first."""
        relevant = self.judgments.grade >= 1
        masks = {
            "listed": np.ones(len(relevant), bool),
            "stale": self.gone,
            "relevant": relevant,
            "stale_relevant": relevant & self.gone,
        }
        columns = {name: np.diff(ends(rows)[self.judgments.offsets]) for name, rows in masks.items()}
        names = list(self.judgments.queries)
        order = np.argsort(-columns["stale"], kind="stable")
        return [
            {"query": names[q], **{name: int(column[q]) for name, column in columns.items()}}
            for q in order.tolist()
            if columns["stale"][q]
        ]

    @property
    def lost(self) -> tuple[list[str], list[str]]:
        """Queries that have no document any more, and others that have no relevant one but had."""
        rows = self.queries
        empty = [row["query"] for row in rows if row["stale"] == row["listed"]]
        without = [row["query"] for row in rows if 0 < row["relevant"] == row["stale_relevant"]]
        return empty, [query for query in without if query not in {*empty}]

    def sentences(self) -> Iterator[str]:
        """Say how many are stale, of which queries, and what they lost."""
        rows, (empty, without) = self.queries, self.lost
        gone, relevant = (sum(row[name] for row in rows) for name in ("stale", "stale_relevant"))
        yield (
            f"{gone:,} of {len(self.gone):,} documents of the judgments are not in {self.file}, "
            f"{relevant:,} of them relevant: {shortlist(self.names)}"
        )
        most = [f"{row['query']} {row['stale']} of {row['listed']}" for row in rows]
        yield f"by query: {shortlist(most, 10)}"
        if empty:
            yield f"without any document left: {shortlist(empty, 10)}"
        if without:
            yield f"without a relevant document left: {shortlist(without, 10)}"

    @property
    def names(self) -> list[str]:
        """Names of the stale documents, each once."""
        return list(dict.fromkeys(self.judgments.documents.take(np.flatnonzero(self.gone))))

    @property
    def notes(self) -> list[Note]:
        """What a reader must know of what was dropped."""
        gone, (empty, without) = int(self.gone.sum()), self.lost
        said = [note("stale", self.names[:MOST_NAMED], gone=gone, listed=len(self.gone), file=self.file)]
        said += [note("stale-queries", empty)] if empty else []
        return said + ([note("stale-relevant", without)] if without else [])

    @property
    def best(self) -> Mapping[str, Mapping[str, float]]:
        """The rankings that no system can beat: what exists, the highest grade first."""
        kept = self.kept
        names, grade, offsets = list(kept.documents), kept.grade.astype(float), kept.offsets.tolist()
        return {
            query: dict(zip(names[start:stop], grade[start:stop].tolist(), strict=True))
            for query, start, stop in zip(kept.queries, offsets, offsets[1:], strict=False)
        }
