"""Park (2016), figures 1 to 3, remade: `make papers`."""

from __future__ import annotations

import numpy as np
import urn
from pages import figure, page
from uncertainty_figures import cells, densities, side_by_side

from unjudged.base.segments import Floats
from unjudged.studies import Uncertain

P, DOCUMENTS, JUDGED, QUERIES, REPLICATES = 0.8, 100, 10, 50, 10_000
RANKS = np.arange(1, DOCUMENTS + 1)
WEIGHT: Floats = np.asarray((1 - P) * P ** (RANKS - 1.0) * (RANKS > JUDGED), np.float64)
W, Q = (0.05, 0.1, 0.2, 0.5, 0.7, 1.0), (0.05, 0.1, 0.2, 0.3, 0.5)

PAGE = """\
# How unjudged documents leave RBP open

Park (2016) asks what RBP may be when some documents are unjudged. If each is relevant with probability q,
what they add is a random variable v with mean q times the sum of their weights and variance q(1 - q) times
the sum of the squares; the mean over queries is close to Normal from thirty queries on.
`unjudged evaluate --interval "model(prevalence=0.2)"` gives that interval. Below thirty queries it uses the exact
distribution where it has at most 32,768 values, and a lattice where it has more.

## Figures 1 and 2

p = 0.8, ranks 11 to 100 unjudged, for one query and for the mean of fifty. Not simulated: the distribution of
the sum by Fourier transform, with the weights rounded to a lattice of 16,384 points.

![Distribution of v for one query](figures/park-2016-1.svg)
![Distribution of the mean over fifty queries](figures/park-2016-2.svg)

## Figure 3, where the paper's text disagrees with its model

Rankings are drawn from an urn of N = 100 documents, M of them relevant with M ~ Binomial(N, q). A nonrelevant
document is w times as likely to be drawn as a relevant one, so w = 1 is a random ranking and a small w is a good
system. The top ten are judged. A recursion over ranks and numbers of relevant documents gives the mean and the standard
deviation of the mean over fifty queries exactly; the paper simulated 10,000 replicates of each.

![Mean and standard deviation over w and q](figures/park-2016-3.svg)

The paper's text says that both fall as w falls. Its model gives the opposite: at q = 0.2 the mean goes from
{random:.7f} for w = 1 to {good:.7f} for w = 0.05, and the standard deviation from {random_sd:.7f} to
{good_sd:.7f}. A better system leaves *more* relevant documents just below the judged depth whenever there
are more than ten of them. With few relevant documents the mean falls again once the top ten hold nearly all
of them: at q = 0.05 the means for w = {ws} are {means}.

Simulated with {replicates:,} replicates (seed 2016), the {count} means for these w and q = 0.05 to 0.5 are at most
{z:.2f} standard errors of the simulation away from the exact ones.
"""


def main() -> None:
    names = {q: f"{q:g}" for q in (0.05, 0.2, 0.35, 0.5)}
    open_weights = WEIGHT[JUDGED:]
    one = {n: Uncertain(open_weights, q).distribution for q, n in names.items()}
    figure("park-2016-1", densities(one, "what the unjudged add to RBP, v"))
    of_all = np.tile(open_weights / QUERIES, QUERIES)
    mean = {n: Uncertain(of_all, q).distribution for q, n in names.items()}
    figure("park-2016-2", densities(mean, "what the unjudged add to the mean RBP of 50 queries"))

    exact = {(w, q): urn.moments(WEIGHT, DOCUMENTS, w, q=q) for w in W for q in Q}
    spread = {cell: (m.variance / QUERIES) ** 0.5 for cell, m in exact.items()}
    left = cells([{"w": w, "q": q, "value": m.mean} for (w, q), m in exact.items()], "mean", ".4f")
    right = cells([{"w": w, "q": q, "value": s} for (w, q), s in spread.items()], "standard deviation", ".5f")
    figure("park-2016-3", side_by_side(left, right))
    rng = np.random.default_rng(2016)
    z = []
    for (w, q), moments in exact.items():
        drawn = urn.draw(DOCUMENTS, w, REPLICATES * QUERIES, DOCUMENTS, rng, q=q) @ WEIGHT
        means = drawn.reshape(REPLICATES, QUERIES).mean(axis=1)
        z.append(abs(means.mean() - moments.mean) / (spread[w, q] / REPLICATES**0.5))
    text = PAGE.format(
        random=exact[1.0, 0.2].mean,
        good=exact[0.05, 0.2].mean,
        random_sd=spread[1.0, 0.2],
        good_sd=spread[0.05, 0.2],
        ws=", ".join(f"{w:g}" for w in reversed(W)),
        means=", ".join(f"{exact[w, 0.05].mean:.5f}" for w in reversed(W)),
        replicates=REPLICATES,
        count=len(z),
        z=max(z),
    )
    page("park-2016", text)


if __name__ == "__main__":
    main()
