"""Writes the pages on Park (2016) and Bestgen (2015), figures and tables computed anew: `make docs`."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from unjudged.baselines import (
    difference_from_prevalence,
    expected_ap,
    expected_ap_by_summation,
    variance_of_ap,
)
from unjudged.rankings.judged import Floats
from unjudged.report import figures
from unjudged.uncertainty import urn
from unjudged.uncertainty.rank_biased import sum_of_independent

DOCS = Path(__file__).parent.parent / "docs"
P, DOCUMENTS, JUDGED, QUERIES, REPLICATES = 0.8, 100, 10, 50, 10_000
RANKS = np.arange(1, DOCUMENTS + 1)
WEIGHT: Floats = np.asarray((1 - P) * P ** (RANKS - 1.0) * (RANKS > JUDGED), np.float64)
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4)
W, Q = (0.05, 0.1, 0.2, 0.5, 0.7, 1.0), (0.05, 0.1, 0.2, 0.3, 0.5)

PARK = """\
# What the unjudged leave open of RBP

Park (2016) asks what RBP may be when some documents are unjudged. If each is relevant with probability q,
what they add is a random variable v with mean q times the sum of their weights and variance q(1 - q) times
the sum of the squares; the mean over queries is close to Normal from thirty queries on.
`Scores.estimate("model", q=0.2)` and `unjudged evaluate --interval model --q 0.2` give that interval, and
below thirty queries the exact distribution. q may be estimated from the judged documents: `all`, `query`,
`rank`, or with the w of the urn below, `urn`.

## Figures 1 and 2

p = 0.8, ranks 11 to 100 unjudged, for one query and for the mean of fifty. Not simulated: one document's two
values after another, on a lattice of 16,384 points.

![Distribution of v for one query](park-figure-1.svg)
![Distribution of the mean over fifty queries](park-figure-2.svg)

## Figure 3, and where the paper's text and its model part ways

Rankings drawn from an urn of N = 100 documents, M of them relevant with M ~ Binomial(N, q): a nonrelevant
document is drawn w times as readily as a relevant one, so w = 1 is a random ranking and a small w a good
system. The top ten are judged. The recursion over ranks and relevant documents drawn gives mean and standard
deviation of the mean over fifty queries exactly; the paper simulated 10,000 of each.

![Mean and standard deviation over w and q](park-figure-3.svg)

The paper's text says that both fall as w falls. Its own model says otherwise: at q = 0.2 the mean goes from
{random:.7f} for w = 1 to {good:.7f} for w = 0.05, and the standard deviation from {random_sd:.7f} to
{good_sd:.7f}. A better system leaves *more* relevant documents just below the judged depth whenever there
are more than ten of them. With few relevant documents it turns in the end, when the top ten hold nearly all
of them: at q = 0.05 the means for w = {ws} are {means}.

Exact beside simulated ({replicates:,} replicates, seed 2016); z is their distance in standard errors of the
simulation:

| w | q | exact mean | simulated | z | exact deviation | simulated |
|---:|---:|---:|---:|---:|---:|---:|
{rows}
"""

BESTGEN = """\
# The random baseline

What would AP be for a system that ranks at random? Often R/N is taken. Bestgen (2015) shows that it is more,
and sums R (N - R + 1) hypergeometric terms to get it: 131 seconds for N = 10,000, R = 4,000. The same in
closed form, H_N being the N-th harmonic number:

    E[AP] = (1/N) (H_N + (R - 1)/(N - 1) (N - H_N))

Why: a document at rank i is relevant with probability R/N, and then each of the i - 1 above it is with
probability (R - 1)/(N - 1), so the expected precision there is (1 + (i - 1)(R - 1)/(N - 1))/i; the sum over
i, divided by R, is the formula. `unjudged baseline --documents 10 --relevant 4` prints it, with the standard
deviation and the baselines of other measures; with `--qrels FILE` for every query. Any measure that has a
baseline can be corrected for chance: `AP(chance=10000)` is (AP - E)/(1 - E).

```
>>> from unjudged.baselines import expected_ap, variance_of_ap
>>> round(expected_ap(documents=10, relevant=4), 12)
0.528597883598
>>> expected_ap(documents=5, relevant=2, exact=True)
Fraction(237, 400)
>>> round(variance_of_ap(documents=5, relevant=2), 6)
{variance}

```

## Table 1: N = 5, R = 2

| relevant at | AP |
|---|---:|
{table_1}
| mean | {mean:.4f} |

## Table 2: the paper's procedure

The i-th relevant document is at rank n with the probability given; its contribution is that times i/n. Their
sum, divided by R, is {by_summation:.4f}.

| i | n | probability | precision | contribution |
|---:|---:|---:|---:|---:|
{table_2}

## Figure 1: how much R/N is wrong

![Expected AP minus R/N](bestgen-figure-1.svg)

At N = 600 the largest difference among these shares is {largest:.4f}; the paper says below 0.01.
"""


def park() -> None:
    names = {q: f"{q:g}" for q in (0.05, 0.2, 0.35, 0.5)}
    open_weights = WEIGHT[JUDGED:]
    one = {n: sum_of_independent(open_weights, np.full(len(open_weights), q)) for q, n in names.items()}
    figures.densities(one, "what the unjudged add to RBP, v").save(DOCS / "park-figure-1.svg")
    every: Floats = np.tile(open_weights / QUERIES, QUERIES)
    mean = {n: sum_of_independent(every, np.full(len(every), q)) for q, n in names.items()}
    figures.densities(mean, "what the unjudged add to the mean RBP of 50 queries").save(
        DOCS / "park-figure-2.svg"
    )

    exact = {(w, q): urn.moments(WEIGHT, DOCUMENTS, w, q=q) for w in W for q in Q}
    spread = {cell: (m.variance / QUERIES) ** 0.5 for cell, m in exact.items()}
    left = figures.cells([{"w": w, "q": q, "value": m.mean} for (w, q), m in exact.items()], "mean", ".4f")
    right = figures.cells(
        [{"w": w, "q": q, "value": s} for (w, q), s in spread.items()], "standard deviation", ".5f"
    )
    figures.side_by_side(left, right).save(DOCS / "park-figure-3.svg")
    rng = np.random.default_rng(2016)
    rows = []
    for (w, q), moments in exact.items():
        drawn = urn.draw(DOCUMENTS, w, REPLICATES * QUERIES, DOCUMENTS, rng, q=q) @ WEIGHT
        means = drawn.reshape(REPLICATES, QUERIES).mean(axis=1)
        z = (means.mean() - moments.mean) / (spread[w, q] / REPLICATES**0.5)
        cells = [f"{w:g}", f"{q:g}", f"{moments.mean:.6f}", f"{means.mean():.6f}", f"{z:+.2f}"]
        rows.append("| " + " | ".join([*cells, f"{spread[w, q]:.6f}", f"{means.std():.6f}"]) + " |")
    text = PARK.format(
        random=exact[1.0, 0.2].mean,
        good=exact[0.05, 0.2].mean,
        random_sd=spread[1.0, 0.2],
        good_sd=spread[0.05, 0.2],
        ws=", ".join(f"{w:g}" for w in reversed(W)),
        means=", ".join(f"{exact[w, 0.05].mean:.5f}" for w in reversed(W)),
        replicates=REPLICATES,
        rows="\n".join(rows),
    )
    (DOCS / "rbp-uncertainty.md").write_text(text)


def bestgen() -> None:
    from scipy.stats import hypergeom

    table_1 = [
        f"| {', '.join(map(str, places))} | {np.mean([i / k for i, k in enumerate(places, 1)]):.4f} |"
        for places in combinations(range(1, 6), 2)
    ]
    table_2 = []
    for i in (1, 2):
        for n in range(i, 4 + i):
            probability = hypergeom.pmf(i, 5, 2, n) * i / n
            table_2.append(f"| {i} | {n} | {probability:.4f} | {i / n:.4f} | {probability * i / n:.4f} |")
    text = BESTGEN.format(
        variance=round(variance_of_ap(5, 2), 6),
        table_1="\n".join(table_1),
        mean=expected_ap(5, 2),
        by_summation=expected_ap_by_summation(5, 2),
        table_2="\n".join(table_2),
        largest=max(difference_from_prevalence(600, round(share * 600)) for share in SHARES),
    )
    (DOCS / "random-baseline.md").write_text(text)
    sizes = [50, 100, 150, 200, 300, 400, 500, 600, 800, 1000]
    figures.baseline_difference(sizes, SHARES).save(DOCS / "bestgen-figure-1.svg")


if __name__ == "__main__":
    park()
    bestgen()
