"""Yilmaz and Aslam (2006), figures 1 to 3: `make papers`."""

from __future__ import annotations

import trec8
from pages import figure, page

from unjudged.report.experiment_figures import curves, scatter
from unjudged.studies.experimenting import experiment

MEASURES = ("infAP", "Bpref10", "Bpref")
LEVELS = (0.3, 0.1, 0.05)

PAGE = """\
# Yilmaz and Aslam (2006): inferred AP

"Inferred AP: Estimating Average Precision with Incomplete Judgments", 2006. TREC-8: 129 runs, 50
topics, the judged depth-100 pool. A random share of each topic's pool is judged, with ten samples per level; each
sample has at least one relevant document. Shown is every run's mean over topics against its mean AP with
all judgments. Figures 1 and 2 show one sample (seed {seed}), with its own statistics; figure 3 and the table
average over ten.

## Figure 1: bpref-10 against actual AP

![Mean bpref-10 with 30, 10 and 5 % judged against mean actual AP](figures/yilmaz-aslam-2006-1.svg)

## Figure 2: inferred AP against actual AP

![Mean inferred AP with 30, 10 and 5 % judged against mean actual AP](figures/yilmaz-aslam-2006-2.svg)

## Figure 3: tau, correlation and RMS error over the levels

![Kendall's tau, linear correlation and RMS error over the judged share](figures/yilmaz-aslam-2006-3.svg)

{statistics}

## What the paper says, and what we measure

| the paper | here |
|---|---|
| bpref-10 moves away from AP as judgments are removed | its bias is {bpref_bias_30:+.3f} at 30 % and {bpref_bias_5:+.3f} at 5 % |
| inferred AP stays close to AP in value even with very few judgments | RMS error {rms_5:.3f} at 5 %, {rms_1:.3f} at 1 % |
| inferred AP ranks systems almost always better than bpref-10 | its tau is higher at {better} of {levels} levels |

The paper plots bpref-10. Plain Bpref is nearer to AP in value than bpref-10, and at 10 % nearer than inferred AP: its
RMS error is {bpref_rms:.4f}, that of inferred AP {inf_rms:.4f}. Its tau is lower ({bpref_tau:.4f} and {inf_tau:.4f}).

The paper says that each plot reports RMS error, tau and rho. The text that we have lacks these numbers, so only
the claims of the text are compared. The axis of levels is logarithmic here. In the paper it is linear, and most of
the change is below 20 %.
"""


def main() -> None:
    pool = trec8.pool(__doc__ or "")
    found = experiment(
        pool, measures=MEASURES, against="AP", repeats=trec8.REPEATS, seed=trec8.SEED, workers=trec8.WORKERS
    )
    figure("yilmaz-aslam-2006-1", scatter(found, ["Bpref10"], LEVELS))
    figure("yilmaz-aslam-2006-2", scatter(found, ["infAP"], LEVELS))
    figure("yilmaz-aslam-2006-3", curves(found))
    partial = [level for level in found.source.levels if level < 1]
    taus = [[found.find("tau", name, level)["mean"] for level in partial] for name in ("infAP", "Bpref10")]
    text = PAGE.format(
        seed=trec8.SEED,
        statistics=trec8.statistics(found, MEASURES, LEVELS),
        bpref_bias_30=found.find("bias", "Bpref10", 0.3)["mean"],
        bpref_bias_5=found.find("bias", "Bpref10", 0.05)["mean"],
        rms_5=found.find("rms", "infAP", 0.05)["mean"],
        rms_1=found.find("rms", "infAP", 0.01)["mean"],
        bpref_rms=found.find("rms", "Bpref", 0.1)["mean"],
        inf_rms=found.find("rms", "infAP", 0.1)["mean"],
        bpref_tau=found.find("tau", "Bpref", 0.1)["mean"],
        inf_tau=found.find("tau", "infAP", 0.1)["mean"],
        better=sum(ours > theirs for ours, theirs in zip(*taus, strict=True)),
        levels=len(partial),
    )
    page("yilmaz-aslam-2006", text)


if __name__ == "__main__":
    main()
