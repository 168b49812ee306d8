"""Estimates from documents that were drawn: when there are any, and by which estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unjudged.base.errors import UsageError
from unjudged.base.notes import Note, note
from unjudged.collection.collection import Collection
from unjudged.collection.description import STATED
from unjudged.evidence.contrast import Evidence
from unjudged.evidence.rankings_evidence import RankingsEvidence, StreamedRankings
from unjudged.measures.kernel.measure import Measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import UNIFORM

if TYPE_CHECKING:
    from unjudged.evidence.drawn.estimated import EstimatedEvidence
    from unjudged.evidence.drawn.judges import Judges
    from unjudged.evidence.drawn.strata import StrataEvidence

STATE_IT = (
    "nothing says that these documents were drawn at random: if they were, say so (--set "
    "judgments.how=sample, in Python how='sample' of a Collection)"
)


@dataclass(eq=False)
class Drawn:
    """Judgments some of whose documents were drawn, and what is predicted of others.

    One estimator is for documents that were drawn one by one, for what is predicted, and for sums. It needs
    all that runs retrieve. AP and nDCG from strata, of which a fixed number was drawn, have one of their own.
    """

    judgments: Judgments
    judges: Judges | None
    one_by_one: bool
    strata: bool

    @classmethod
    def of(cls, collection: Collection) -> Drawn:
        """Return what a collection says of it."""
        judgments = collection.judgments
        judges = None
        if collection.predictions:
            from unjudged.evidence.drawn.judges import Judges

            judges = Judges.of(collection.predictions)
        layered, weighted = judgments.stratum is not None, judgments.probability is not None
        alike = weighted and judgments.origin.kind == UNIFORM
        stated = judgments.origin.sampled and collection.described.labels.how in STATED
        strata = layered or alike or stated
        alone = weighted and not (layered or alike)
        one_by_one = judgments.frame is not None or alone or (strata and judges is not None)
        return cls(judgments, judges, one_by_one, strata)

    def needs_all(self, measures: Sequence[Measure]) -> bool:
        """Whether all that runs retrieve is needed to estimate by these measures."""
        return self.one_by_one or (self.strata and any(map(_adds_up, measures)))

    @property
    def unused(self) -> list[Note]:
        """Say of which models the labels are not used, because nothing was drawn."""
        if self.judges is None or self.one_by_one:
            return []
        return [note("only-judges", self.judges.names)]

    def estimated(self, plain: RankingsEvidence, rankings: JudgedRankings) -> tuple[Evidence, list[Note]]:
        """Return what is estimated by a measure, with notes; the plain evidence if it cannot be."""
        measure, why = plain.measure, ""
        none_drawn = not (self.one_by_one or self.strata)
        if none_drawn or not measure.traits.quality:
            return (replace(plain, unestimated=STATE_IT) if self.judgments.origin.sampled else plain), []
        if whole := measure.traits.estimates:
            return replace(plain, unestimated=f"{measure} is an estimate itself: ask for {whole}"), []
        for makes in (self._one_by_one, self._from_strata):
            try:
                made = makes(plain, rankings)
            except UsageError as error:
                why = why or str(error)
                continue
            if made is not None:
                return made, list(made.notes())
        if not why:
            return plain, []
        return replace(plain, unestimated=why), [note("not-estimated", [str(measure)], why=why)]

    def _one_by_one(self, plain: RankingsEvidence, rankings: JudgedRankings) -> EstimatedEvidence | None:
        """Return an estimate from documents that were drawn one by one, or of a sum."""
        from unjudged.evidence.drawn.estimated import EstimatedEvidence
        from unjudged.evidence.drawn.population import Population
        from unjudged.evidence.drawn.strata import check_sampled

        if not self.needs_all([plain.measure]) or isinstance(plain.shared, StreamedRankings):
            return None
        self._check(plain)
        if not self.one_by_one:
            check_sampled(plain.measure, rankings)
        population = Population.of(plain.shared)
        return None if population is None else EstimatedEvidence.of(plain, population, self.judges)

    def _from_strata(self, plain: RankingsEvidence, rankings: JudgedRankings) -> StrataEvidence | None:
        """Return an estimate of AP or nDCG from strata."""
        from unjudged.evidence.drawn.strata import StrataEvidence

        if not self.strata or _adds_up(plain.measure):
            return None
        self._check(plain)
        return StrataEvidence.of(plain, rankings)

    def _check(self, plain: RankingsEvidence) -> None:
        """Refuse scores and judgments of which nothing can be estimated."""
        if plain.expected:
            raise UsageError("values are expected ones over all orders of tied documents")
        if self.judgments.frame is None and (problem := self.judgments.unanswered):
            raise UsageError(problem)


def _adds_up(measure: Measure) -> bool:
    """Whether a measure is a sum over documents, which one estimator has."""
    from unjudged.measures.kernel.traits import adds_up

    return adds_up(measure) and not measure.traits.estimates and measure.traits.quality
