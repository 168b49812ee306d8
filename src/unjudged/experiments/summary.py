"""Results of an experiment: how well estimates agree with actual values, and the mean of every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from unjudged.agreement.orders import rho, tau, tau_ap
from unjudged.base.choices import Choices
from unjudged.base.errors import UsageError
from unjudged.judging.designs import DESIGNS
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.results.grid import Grid, Shown
from unjudged.results.views import VIEWS, grid_of_view


def rms(estimate: Floats, actual: Floats) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((estimate - actual) ** 2)))


def bias(estimate: Floats, actual: Floats) -> float:
    """Return the mean error: above 0 where the estimates are too high."""
    return float(np.mean(estimate - actual))


class Statistic(NamedTuple):
    """A statistic of agreement, and its title in tables and figures."""

    title: str
    function: Callable[[Floats, Floats], float]


STATISTICS: Choices[Statistic] = Choices(
    "statistic",
    tau=Statistic("tau", tau),
    tau_ap=Statistic("tau_AP", tau_ap),
    rho=Statistic("rho", rho),
    rms=Statistic("RMS error", rms),
    bias=Statistic("bias", bias),
)
ITSELF = "itself"
REDRAWN = "Samples without a relevant document were drawn again, which real judging cannot (--no-redraw)."
KEPT = "Samples without a relevant document were kept, as in real judging."


class Agreement(NamedTuple):
    """One statistic of one measure at one level, over the repeats."""

    design: str
    level: float
    judged: float
    measure: str
    against: str
    statistic: str
    mean: float
    deviation: float
    repeats: int


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Shown):
    """Every run's mean by each measure, at each level and repeat of a design, and with all judgments.

    `means[l, s, i, k]` is run i's mean by measure k at level l in repeat s; `actual[i, k]` is its mean with
    all judgments, and `reference[i]` the same by the measure `against`. `judged[l, s]` is the number of
    judged documents per query, `complete` the number with all judgments. `redrawn` says whether samples
    without a relevant document were drawn again; None if the design has no such rule.
    """

    design: str
    levels: Sequence[float]
    runs: Sequence[str]
    measures: Sequence[Measure]
    against: Measure
    means: Floats
    actual: Floats
    reference: Floats
    judged: Floats
    complete: float
    redrawn: bool | None = None

    @cached_property
    def agreement(self) -> list[Agreement]:
        """How well each measure agrees with the actual values of `against`, and with its own.

        Statistics of each repeat, then their mean and standard deviation (not a number for one repeat).
        """
        rows = []
        for (li, level), (k, measure) in product(enumerate(self.levels), enumerate(self.measures)):
            for against, actual in ((str(self.against), self.reference), (ITSELF, self.actual[:, k])):
                for name, (_, statistic) in STATISTICS.items():
                    values = np.array([statistic(means, actual) for means in self.means[li, :, :, k]])
                    spread = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
                    judged = float(self.judged[li].mean())
                    place = self.design, float(level), judged, str(measure), against, name
                    rows.append(Agreement(*place, float(values.mean()), spread, len(values)))
        return rows

    def grid(self) -> Grid:
        """Return a row per measure and level: how well its means agree with the actual values of `against`.

        The long form also has the agreement of each measure with its own actual values.
        """
        rows = [{**row._asdict(), "level_name": level_name(self.design, row.level)} for row in self.agreement]
        notes = [] if self.redrawn is None else [REDRAWN if self.redrawn else KEPT]
        title = f"{self.design} design, {len(self.runs)} runs against {self.against} with all judgments"
        own = [row for row in rows if row["against"] == str(self.against)]
        shown = [row for measure in self.measures for row in own if row["measure"] == str(measure)]
        return grid_of_view(shown, VIEWS["experiment"], title=title, notes=notes, written=rows)

    def find(
        self, statistic: str, measure: MeasureLike, level: float, against: str | None = None
    ) -> Agreement:
        """Return one row of `agreement`."""
        wanted = str(parse_measures(measure)[0]), level, against or str(self.against)
        STATISTICS.find(statistic)
        for row in self.agreement:
            if (row.measure, row.level, row.against) == wanted and row.statistic == statistic:
                return row
        raise UsageError(f"the experiment has no {statistic} of {measure} at level {level:g}")


def level_name(design: str, level: float) -> str:
    """Return `5 %` of a share, `depth 5` of a pool."""
    return DESIGNS.find(design).level.show(level)
