"""How well estimated values of systems agree with the actual ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from unjudged.agreement.orders import rho, tau, tau_ap, tau_ap_a, tau_ap_b
from unjudged.base.choices import Choices, as_list
from unjudged.base.errors import UsageError
from unjudged.rankings.judged import Floats


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
    tau_ap_a=Statistic("tau_AP,a", tau_ap_a),
    tau_ap_b=Statistic("tau_AP,b", tau_ap_b),
)
DEFAULT_STATISTICS = ("tau", "tau_ap", "rho", "rms", "bias")


def known_statistics(names: Iterable[str]) -> list[str]:
    """Return the names, each once; an unknown one is refused."""
    listed = as_list("statistics", names)
    for name in listed:
        STATISTICS.find(name)
    if not listed:
        raise UsageError(f"no statistic given, expected some of {', '.join(STATISTICS)}")
    return list(dict.fromkeys(map(str, listed)))
