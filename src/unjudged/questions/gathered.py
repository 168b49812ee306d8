"""Evidence that was gathered for a question, with what a reader must know of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unjudged.base.errors import UnjudgedWarning
from unjudged.base.notes import Note, note
from unjudged.collection.scores import Scores
from unjudged.evidence.contrast import ByCluster, Evidence
from unjudged.measures.kernel.measure import Measure
from unjudged.questions.fitting_measures import why_not_uniform
from unjudged.rankings.coverage import missing_queries
from unjudged.rankings.judged import JudgedRankings

if TYPE_CHECKING:
    from unjudged.evidence.shared import SharedRankings

Notes = Iterable[Note] | Callable[[], Iterable[Note]]
"""Notes, or what makes them when they are asked for."""


@dataclass(eq=False)
class Gathered:
    """Evidence by each measure of systems on queries, with what a reader must know of it."""

    measures: Sequence[Measure]
    systems: Sequence[str]
    queries: Sequence[str]
    find: Callable[[bool], Sequence[Evidence]]
    """Finds the evidence: with ranges of the systems by every measure, or by the first one alone."""
    said: Notes = ()
    library: str = ""
    scores: Scores | None = None
    """Values by query; None for estimates with predictions, and for runs that are compared."""
    rankings: JudgedRankings | None = None
    """The judged documents of runs; None for scores of a table."""
    shared: SharedRankings | None = None
    """The runs over one pool, if they are compared."""
    interval: str = ""
    """The interval of systems that it allows, beside bounds."""
    warnings: Sequence[UnjudgedWarning] = ()
    """Warnings that were given."""
    name: str = ""
    """The name of the collection, if it is described."""
    made_of: tuple[str, object] = ("judgments", None)
    """What it rests on: a word, and a value that is the same for the same."""

    @property
    def evidence(self) -> Sequence[Evidence]:
        """Evidence by each measure, with ranges by all of them."""
        return self.find(True)

    @property
    def origin(self) -> str:
        """How its judgments were made, in words; nothing for scores of a table."""
        if self.rankings is None:
            return ""
        why, origin = why_not_uniform(self.rankings), self.rankings.judgments.origin
        if why is not None:
            return f"part of the pool was judged; {why}"
        return origin.words if origin.depth is None else str(origin)

    @property
    def notes(self) -> list[Note]:
        """What must be known of it."""
        return list(self.said() if callable(self.said) else self.said)

    def described(self, name: str, source: Any) -> Gathered:
        """Return the same with a name, whose queries are in the clusters that a file or a mapping says."""
        self.name = name
        if source is None:
            return self
        from unjudged.collection.query_segments import labels_of
        from unjudged.evidence.clusters import Clusters

        queries = list(self.queries)
        clusters = Clusters.of(labels_of(source, queries, "cluster"))
        if clusters is None:
            return self
        count = note("clusters", queries=len(queries), clusters=len(clusters), worth=clusters.worth)

        def find(every: bool) -> Sequence[Evidence]:
            return [ByCluster(one, clusters) for one in self.find(every)]

        return replace(self, find=find, said=lambda: [*self.notes, count])

    def missing(self) -> Mapping[str, Sequence[str]]:
        """Return for each run that lacks some the queries that it has no ranking for."""
        return {} if self.rankings is None else missing_queries(self.systems, self.queries, self.rankings)


def known_evidence(evidence: Sequence[Evidence], every: bool) -> Sequence[Evidence]:  # noqa: ARG001 (it has ranges anyway)
    """Return evidence that is there already."""
    return evidence
