"""Bestgen (2015), tables 1 and 2 and figure 1: `make papers`."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from pages import figure, page
from random_rankings import difference_from_prevalence, expected_ap, expected_ap_by_summation
from scipy.stats import hypergeom
from uncertainty_figures import baseline_difference

from unjudged.studies import variance_of_ap

SHARES = (0.02, 0.05, 0.1, 0.2, 0.4)

PAGE = """\
# The random baseline

What AP does a system have that ranks at random? R/N is often used. Bestgen (2015) shows that the true value is
higher and computes it as a sum of R (N - R + 1) hypergeometric terms, which takes 131 seconds for N = 10,000 and
R = 4,000. In closed form, with the N-th harmonic number H_N:

    E[AP] = (1/N) (H_N + (R - 1)/(N - 1) (N - H_N))

Proof: the document at rank i is relevant with probability R/N. If it is, each of the i - 1 documents above it is
relevant with probability (R - 1)/(N - 1), so the expected precision there is (1 + (i - 1)(R - 1)/(N - 1))/i. The sum
over i, divided by R, is the formula. `unjudged.studies` has it, with the variance and the baselines of other
measures. Any measure that has a baseline can be corrected for chance: `AP(chance=10000)` is (AP - E)/(1 - E).

```
>>> from unjudged.studies import expected, variance_of_ap
>>> round(expected("AP", documents=10, relevant=4), 12)
0.528597883598
>>> round(variance_of_ap(documents=5, relevant=2), 6)
{variance}

```

## Table 1: N = 5, R = 2

| relevant at | AP |
|---|---:|
{table_1}
| mean | {mean:.4f} |

## Table 2: the paper's procedure

The i-th relevant document is at rank n with the given probability; its contribution is that probability times i/n.
The sum of the contributions, divided by R, is {by_summation:.4f}.

| i | n | probability | precision | contribution |
|---:|---:|---:|---:|---:|
{table_2}

## Figure 1: the error of R/N

![Expected AP minus R/N](figures/bestgen-2015-1.svg)

At N = 600 the largest difference among these shares is {largest:.4f}; the paper says that it is below 0.01.
"""


def main() -> None:
    table_1 = [
        f"| {', '.join(map(str, places))} | {np.mean([i / k for i, k in enumerate(places, 1)]):.4f} |"
        for places in combinations(range(1, 6), 2)
    ]
    table_2 = []
    for i in (1, 2):
        for n in range(i, 4 + i):
            probability = hypergeom.pmf(i, 5, 2, n) * i / n
            table_2.append(f"| {i} | {n} | {probability:.4f} | {i / n:.4f} | {probability * i / n:.4f} |")
    text = PAGE.format(
        variance=round(variance_of_ap(5, 2), 6),
        table_1="\n".join(table_1),
        mean=expected_ap(5, 2),
        by_summation=expected_ap_by_summation(5, 2),
        table_2="\n".join(table_2),
        largest=max(difference_from_prevalence(600, round(share * 600)) for share in SHARES),
    )
    page("bestgen-2015", text)
    sizes = [50, 100, 150, 200, 300, 400, 500, 600, 800, 1000]
    figure("bestgen-2015-1", baseline_difference(sizes, SHARES))


if __name__ == "__main__":
    main()
