"""statAP under samples of fixed size: its sum and its variance, simulated and on TREC-8: `make papers`."""

from __future__ import annotations

import numpy as np
import trec8
from pages import page, table

from unjudged import AP, statAP
from unjudged.judging.pooling import Pool
from unjudged.measures.weighted import relevant_total
from unjudged.studies import Experiment, simulate
from unjudged.studies.experimenting import experiment

SIZES = ((5, 50), (10, 200), (75, 1500))
PREVALENCE, QUERIES, DRAWS = 0.2, 20, 1000
FORMS = {"script": "", "joint": "(pairs='joint')"}
MEASURES = [f"{name}{form}" for form in FORMS.values() for name in ("statAP", "statAPVariance")]
SAMPLES = {"mixed": (1, 3, 5, 10), "stratified": (0.05, 0.1, 0.3)}
REPEATS = 60

PAGE = """\
# statAP: samples of fixed size

statAP (Aslam and Pavlu, 2007) weights each sampled relevant document by 1/pi, and each pair of them by
1/(pi_i pi_j), as if documents were drawn independently of each other. Most designs draw a fixed number of documents.
Then two documents of a stratum, of which n of N are drawn, are in the sample together with probability

    pi_i pi_j (n - 1) N / (n (N - 1))

which is less than the product, so the sum that statAP divides by R comes out too low. `statAP` is the published
script's form. `statAP(pairs='joint')` divides by the joint probability instead; it needs recorded strata,
or none at all for a uniform sample.

## The sum

Simulated: {queries} queries, {prevalence:.0%} of the documents relevant, one stratum, {draws} samples each. The sum, divided
by its value with all judgments:

{sums}

With the joint probabilities the sum is unbiased; the tests prove it over all samples of a small pool. The quotient
of the sum and the estimated R is not unbiased in either form.

## The quotient, and its standard deviation

TREC-8, 129 runs, {repeats} samples per level, mean over 50 topics. The bias is the mean over the runs. "deviation"
is the estimated standard deviation, the root of the mean of statAPVariance, divided by the standard deviation that
statAP really has over the samples: the median over the runs, and the range. "covered" is how often value ± 1.96
estimated deviations contains actual AP.

{deviations}

The script's variance is too low for some runs and much too high for others. `statAPVariance(pairs='joint')` is a
jackknife, and right for the median run at every level. Neither variance includes the bias of the quotient, so that the
intervals contain actual AP less often than the Normal distribution promises.
"""


def sums_of(drawn: int, documents: int) -> list[str]:
    made = simulate(1, QUERIES, documents, prevalence=PREVALENCE, best=0.1, worst=0.1, seed=trec8.SEED)
    pool = Pool.of(made.judgments, made.runs)
    truth = AP.compute(pool.rankings) * pool.rankings.known(1)
    found = {pairs: np.zeros(QUERIES) for pairs in ("independent", "joint")}
    for seed in range(DRAWS):
        rankings = pool.rankings.relabelled(pool.uniform(drawn / documents, seed=seed, redraw=False))
        for pairs in found:
            found[pairs] += statAP(pairs=pairs).compute(rankings) * relevant_total(rankings, 1) / DRAWS
    return [f"{drawn} of {documents}", *(f"{(total / truth).mean():.3f}" for total in found.values())]


def deviations_of(found: Experiment) -> list[list[str]]:
    topics = 50
    rows, made = [], found.source
    for li, level in enumerate(made.levels):
        row = [f"{made.design.name}, {made.design.level.show(level)}"]
        for k in (0, 2):
            reference = made.reference[:, k]
            values, variances = made.means[li, :, :, k], made.means[li, :, :, k + 1] / topics
            ratios = np.sqrt(variances.mean(axis=0)) / values.std(axis=0, ddof=1)
            covered = (np.abs(values - reference) <= 1.96 * np.sqrt(variances)).mean()
            bias = (values - reference).mean()
            spread = f"{np.median(ratios):.2f} ({ratios.min():.2f} to {ratios.max():.2f})"
            row += [f"{bias:+.4f}", spread, f"{covered:.2f}"]
        rows.append(row)
    return rows


def main() -> None:
    pool = trec8.pool(__doc__ or "")
    rows = []
    for design, levels in SAMPLES.items():
        found = experiment(
            pool,
            design=design,
            levels=levels,
            measures=MEASURES,
            repeats=REPEATS,
            against="AP",
            seed=trec8.SEED,
            workers=trec8.WORKERS,
        )
        rows += deviations_of(found)
    heads = [f"{name}: {what}" for name in FORMS for what in ("bias", "deviation", "covered")]
    text = PAGE.format(
        queries=QUERIES,
        prevalence=PREVALENCE,
        draws=DRAWS,
        repeats=REPEATS,
        sums=table(["drawn", "script", "joint"], [sums_of(*size) for size in SIZES]),
        deviations=table(["sample", *heads], rows),
    )
    page("statap", text)


if __name__ == "__main__":
    main()
