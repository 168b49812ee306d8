"""Result of an experiment: how well estimates agree with actual values, and the mean of every run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.notes import Note
from unjudged.base.segments import Floats
from unjudged.judging.designs import Design
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.results.fields import Row
from unjudged.results.result import Result
from unjudged.results.views import View
from unjudged.studies.orders import STATISTICS

ITSELF = "itself"
OF_ESTIMATES = ("tau", "tau_ap", "rho", "rms", "bias")
REDRAWN = "Samples with no relevant document were redrawn. You cannot do that in practice: see redraw=False."
KEPT = "Samples with no relevant document were kept, as in real judging."


@dataclass(frozen=True, eq=False)
class Samples:
    """Every run's mean by each measure, at each level and repeat of a design, and with all judgments.

    `means[l, s, i, k]` is run i's mean by measure k at level l in repeat s; `actual[i, k]` is its mean with
    all judgments, and `reference[i, k]` that by the target of the measure. `judged[l, s]` is the number of
    judged documents per query, `complete` the number with all judgments.
    """

    design: Design
    levels: Sequence[float]
    runs: Sequence[str]
    measures: Sequence[Measure]
    targets: Sequence[Measure]
    means: Floats
    actual: Floats
    reference: Floats
    judged: Floats
    complete: float

    def rows(self) -> Iterator[Row]:
        """Yield how well each measure agrees with the actual values of its target, and with its own.

        Statistics of each repeat, then their mean and standard deviation (not a number for one repeat).
        """
        for (li, level), (k, measure) in product(enumerate(self.levels), enumerate(self.measures)):
            both = (str(self.targets[k]), self.reference[:, k]), (ITSELF, self.actual[:, k])
            for (against, actual), name in product(both, OF_ESTIMATES):
                function = STATISTICS[name].function
                values = np.array([function(means, actual) for means in self.means[li, :, :, k]])
                yield {
                    "design": self.design.name,
                    "level": float(level),
                    "level_name": self.design.level.show(level),
                    "judged": float(self.judged[li].mean()),
                    "measure": str(measure),
                    "against": against,
                    "statistic": name,
                    "mean": float(values.mean()),
                    "deviation": float(values.std(ddof=1)) if len(values) > 1 else float("nan"),
                    "repeats": len(values),
                }


class Experiment(Result):
    """A row for each statistic of each measure at each level; `source` has the means of all runs."""

    source: Samples

    @classmethod
    def of(cls, samples: Samples, *, redrawn: bool | None) -> Experiment:
        """Compare samples with the actual values; `redrawn` is None if the design has no such rule."""
        notes = [] if redrawn is None else [Note(REDRAWN if redrawn else KEPT)]
        targets = dict.fromkeys(map(str, samples.targets))
        against = f"against {next(iter(targets))}" if len(targets) == 1 else "each against its target"
        title = f"{samples.design.name} design, {len(samples.runs)} runs, {against} with all judgments"
        rows = {"experiment": [*samples.rows()]}
        return cls(rows, notes, {"titles": {"experiment": title}}, source=samples)

    def shown(self, view: str) -> tuple[Sequence[Row], View]:
        """Return the rows as people see them: by measure, against its target."""
        rows, view_of = super().shown(view)
        order = [str(measure) for measure in self.source.measures]
        own = [row for row in rows if row["against"] != ITSELF]
        return sorted(own, key=lambda row: order.index(row["measure"])), view_of

    def find(self, statistic: str, measure: MeasureLike, level: float, against: str | None = None) -> Row:
        """Return the row of a statistic; `against` is "itself" or the target, which is the default."""
        STATISTICS.find(statistic)
        name = str(parse_measures(measure)[0])
        for row in self.rows["experiment"]:
            found = row["measure"], row["level"], row["statistic"]
            told = row["against"] == against if against else row["against"] != ITSELF
            if found == (name, level, statistic) and told:
                return row
        raise UsageError(f"the experiment has no {statistic} of {measure} at level {level:g}")
