"""Yilmaz and Aslam (2008), figures 1 to 24 as far as TREC-8 goes, and table 1: `make papers`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import comb

import trec8
from pages import figure, page, table

from unjudged import infAP
from unjudged.judging.pooling import Pool
from unjudged.report.experiment_figures import curves, lines_over_levels, scatter
from unjudged.report.figure import Figure
from unjudged.studies import Experiment
from unjudged.studies.experimenting import ITSELF, experiment

SMOOTHING = ("infAP(c=1.0)", "infAP(c=1.5)", "infAP", "infAP(c=2.5)")
THREE = ("infAP", "indAP", "subAP")
ESTIMATES = (*THREE, "Bpref10")
MEASURES = ("AP", "indAP", "subAP", "Bpref", "Bpref10", *SMOOTHING)
JOINT = "statAP(pairs='joint')"
STRATIFIED = ("xinfAP", "statAP", JOINT, "infAP")
RANDOM, DEPTH = (0.3, 0.1, 0.05), (30, 8, 4)
SHARES = [p / 100 for p in (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)]
DEPTHS = [1, 2, 3, 4, 5, 8, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
MIXED = [1, 2, 3, 4, 5, 10, 20, 30, 40, 50]
BPREF: list[tuple[str, str]] = [("Bpref10", "AP"), ("Bpref10", ITSELF)]
PRINTED = {"indAP": 0.8992, "infAP": 0.9002}
"""Kendall's tau with actual AP on the depth-4 pool: the two numbers in the paper's text."""

PAGE = """\
# Yilmaz and Aslam (2008): three estimates of AP

"Estimating average precision when judgments are incomplete", Knowledge and Information Systems 16. TREC-8: 129
runs, 50 topics, the judged depth-100 pool. Judgments are made incomplete in two ways: a random share of each
topic's pool, with ten samples per level, each with at least one relevant document; or a shallower pool of all 129
submitted runs. Shown is every run's mean over topics against its actual mean, with all judgments. Panels of random
samples show one of them (seed {seed}) with its own statistics; curves and tables average over ten.

The parts of table 1 and of figures 20, 21, 23 and 24 on other years of TREC need data that is not used here.

## What the paper prints, and what we measure

{printed}

indAP {ind_verdict}, infAP {inf_verdict}; the cause is unknown. The paper states its smoothing, the eps = 0.00001 of
trec_eval, which is our default. The constant c does not explain it: tau is {tau_low:.4f} for c = 1.5 and
{tau_high:.4f} for c = 4. The difference of {apart:.4f} is {pairs} of the {all_pairs} pairs of runs.

The order of the two is reversed: the paper prints a higher tau for infAP, and we measure a higher one for indAP. So
it is our measurement, not the paper's, that indAP ranks systems best of the three estimates on shallow pools.

## Table 1: depth of the pool and judgments per topic

{table_1}

## Average precision as judgments are removed

![Figure 1. Mean AP with 30, 10 and 5 % of the judgments against actual AP](figures/yilmaz-aslam-2008-01.svg)

![Figure 2. The same with pools of depth 30, 8 and 4](figures/yilmaz-aslam-2008-02.svg)

With random shares AP falls as judgments are removed (its bias at 5 % is {ap_bias:+.4f}), and the order of the
systems suffers too: tau is {ap_tau:.3f} at 5 %. With depth pools AP rises, because the relevant documents that are
lost are at low ranks: its bias is {ap_pool_bias:+.4f} at depth 4.

## bpref

![Figure 3. Mean bpref-10 at random shares against actual bpref-10](figures/yilmaz-aslam-2008-03.svg)

![Figure 4. The same with pools of depth 30, 8 and 4](figures/yilmaz-aslam-2008-04.svg)

![Figure 5. Mean bpref-10 at random shares against actual AP](figures/yilmaz-aslam-2008-05.svg)

![Figure 6. The same with pools of depth 30, 8 and 4](figures/yilmaz-aslam-2008-06.svg)

## Induced AP

![Figure 7. Mean indAP at random shares against actual AP](figures/yilmaz-aslam-2008-07.svg)

![Figure 8. Its agreement with AP over the judged share, with that of bpref-10 with AP and with itself](figures/yilmaz-aslam-2008-08.svg)

![Figure 9. Mean indAP with pools of depth 30, 8 and 4](figures/yilmaz-aslam-2008-09.svg)

![Figure 10. Its agreement over the depth of the pool](figures/yilmaz-aslam-2008-10.svg)

## Subcollection AP

![Figure 11. Mean subAP at random shares against actual AP](figures/yilmaz-aslam-2008-11.svg)

![Figure 12. Its agreement over the judged share](figures/yilmaz-aslam-2008-12.svg)

![Figure 13. Mean subAP with pools of depth 30, 8 and 4](figures/yilmaz-aslam-2008-13.svg)

![Figure 14. Its agreement over the depth of the pool](figures/yilmaz-aslam-2008-14.svg)

## Inferred AP

![Figure 15. Mean infAP at random shares against actual AP](figures/yilmaz-aslam-2008-15.svg)

![Figure 16. Its agreement over the judged share](figures/yilmaz-aslam-2008-16.svg)

![Figure 17. Mean infAP with pools of depth 30, 8 and 4](figures/yilmaz-aslam-2008-17.svg)

![Figure 18. Its agreement over the depth of the pool](figures/yilmaz-aslam-2008-18.svg)

## Smoothing

![Figure 19. infAP at 5 % with actual instead of estimated precisions, then c = 1, 1.5 and 2.5](figures/yilmaz-aslam-2008-19.svg)

![Figure 20, TREC-8. Kendall's tau by c (infAP is c = 2)](figures/yilmaz-aslam-2008-20.svg)

![Figure 21, TREC-8. RMS error by c](figures/yilmaz-aslam-2008-21.svg)

{smoothing}

The paper: c = 1 is too high, c = 2 and 2.5 are too low, c = 1.5 is nearest in value, and tau rises with c. Here, at
5 %, {nearest} has the smallest RMS error, and tau {rises} with c.

## Mixed pools

![Figure 22. infAP on a depth-k pool with as many documents drawn from the rest, on depth pools alone and on random samples, over the share of all judgments that each makes. xinfAP is not in the paper](figures/yilmaz-aslam-2008-22.svg)

The paper: with equal numbers of judgments, mixed pools rank systems better than random samples, depth pools rank them
best, and random samples are nearest in value. Here: with {mixed_share:.1%} of the judgments (k = 5), infAP's
tau is {mixed_tau:.4f} on the mixed pool; at 15 % it is {random_tau:.4f} on random samples. The RMS errors are
{mixed_rms:.4f} and {random_rms:.4f}. The paper ends by asking for an estimate that is good at both on such a mixture.
xinfAP, which was published later and uses which documents were drawn from which part, has a tau of
{xinf_tau:.4f} and an RMS error of {xinf_rms:.4f} on the same mixed samples.

## Beyond the paper: stratified samples

The depth-10 pool is judged completely, and a share of the documents below it; {strat_repeats} samples. The deviation is
that of one sample. xinfAP and statAP divide an estimated sum by an estimated number of relevant documents. On these
samples the quotient is too high, the more so the fewer documents are drawn. statAP's sum is too low in samples of
fixed size, which offsets a part of that; `statAP(pairs='joint')` corrects the sum, and the bias of the quotient shows
in full. infAP treats the sample as a uniform one.

{stratified}

## All measures

![Figure 23, TREC-8. Agreement with actual AP over the judged share](figures/yilmaz-aslam-2008-23.svg)

![Figure 24, TREC-8. Agreement with actual AP over the depth of the pool](figures/yilmaz-aslam-2008-24.svg)

Random shares:

{random}

Depth pools:

{depth}

| the paper | here |
|---|---|
| on random samples infAP "consistently has much less RMS error" than the others | not here: it is the smallest at {inf_least} of {levels} levels; indAP's is {ind_rms_30:.4f} at 30 % and {ind_rms_10:.4f} at 10 %, infAP's {inf_rms_30:.4f} and {inf_rms_10:.4f} |
| infAP's RMS error is at most 0.05 even at 1 % | {rms_1:.4f} at 1 %; the largest of all levels is {rms_most:.4f} |
| infAP has the best tau and rho of the three estimates | on random samples not by tau: it is the highest at {inf_tau_best} of {levels} levels, and subAP's is {sub_tau_5:.4f} at 5 % where infAP's is {inf_tau_5:.4f}; its rho is the highest at {inf_rho_best} of {levels}. On depth pools indAP is ahead: infAP's tau is the highest at {inf_pool_tau} of {depths} depths, its rho at {inf_pool_rho} |
| subAP ranks systems better than indAP from random samples | at {sub_better} of {levels} levels |
| indAP is nearer to AP in value than subAP | smaller RMS error at {ind_nearer} of {levels} levels |
| indAP and infAP rank better than bpref from depth pools | at {ind_pool} and {inf_pool} of {depths} depths (bpref-10) |
| infAP is biased upwards on shallow pools | {pool_bias:+.4f} at depth 4 |

The axes of levels are logarithmic here. In the paper they are linear, with insets for levels below 20 %.
"""


@dataclass(frozen=True)
class Study:
    """The experiments that the figures are made from."""

    pool: Pool
    random: Experiment
    depth: Experiment
    mixed: Experiment
    stratified: Experiment

    @classmethod
    def of(cls, pool: Pool) -> Study:
        made = partial(experiment, pool, against="AP", seed=trec8.SEED, workers=trec8.WORKERS)
        return cls(
            pool,
            made(design="uniform", levels=SHARES, measures=MEASURES, repeats=trec8.REPEATS),
            made(design="pool", levels=DEPTHS, measures=MEASURES),
            made(design="mixed", levels=MIXED, measures=["infAP", "xinfAP"], repeats=trec8.REPEATS),
            made(design="stratified", measures=STRATIFIED, levels=RANDOM, repeats=30),
        )

    def higher(self, design: str, statistic: str, measure: str, other: str) -> int:
        """At how many incomplete levels a measure's statistic is above another's."""
        found: Experiment = getattr(self, design)
        levels = [level for level in found.source.levels if level < (1 if design == "random" else 100)]
        return sum(
            found.find(statistic, measure, level)["mean"] > found.find(statistic, other, level)["mean"]
            for level in levels
        )

    def best(self, design: str, statistic: str, measure: str) -> int:
        """At how many incomplete levels a measure's statistic is the highest of the three estimates'."""
        found: Experiment = getattr(self, design)
        levels = [level for level in found.source.levels if level < (1 if design == "random" else 100)]
        means = [[found.find(statistic, name, level)["mean"] for name in THREE] for level in levels]
        return sum(max(row) == row[THREE.index(measure)] for row in means)


def across(
    series: Mapping[str, tuple[Experiment, str]], statistics: Sequence[str] = ("tau", "rho", "rms")
) -> Figure:
    """Draw measures under several designs over the share of all judgments that each design makes.

    `series` maps a name to an experiment and one of its measures.
    """
    rows = [
        (name, 100 * row["judged"] / result.source.complete, row)
        for name, (result, measure) in series.items()
        for row in result.rows["experiment"]
        if row["measure"] == measure and row["against"] != ITSELF
    ]
    show = next(iter(series.values()))[0].source.design.level.show
    return lines_over_levels(rows, list(series), "share of the judgments (%)", statistics, show)


def figures(study: Study) -> None:
    random, depth = study.random, study.depth
    plain = {1: ("AP", None), 3: ("Bpref10", ITSELF), 5: ("Bpref10", None)}
    for number, (measure, against) in plain.items():
        _figure(number, scatter(random, [measure], RANDOM, against=against))
        _figure(number + 1, scatter(depth, [measure], DEPTH, against=against))
    for number, measure in {7: "indAP", 11: "subAP", 15: "infAP"}.items():
        series = [(measure, "AP"), *BPREF]
        _figure(number, scatter(random, [measure], RANDOM))
        _figure(number + 1, curves(random, series))
        _figure(number + 2, scatter(depth, [measure], DEPTH))
        _figure(number + 3, curves(depth, series))
    _figure(19, smoothing_panels(study.pool))
    by_c = [(name, "AP") for name in SMOOTHING]
    _figure(20, curves(random, by_c, ["tau"]))
    _figure(21, curves(random, by_c, ["rms"]))
    designs = {"mixed": study.mixed, "depth": depth, "random": random}
    inferred = {f"infAP, {name}": (found, "infAP") for name, found in designs.items()}
    _figure(22, across({**inferred, "xinfAP, mixed": (study.mixed, "xinfAP")}))
    every = [(name, "AP") for name in ("AP", *ESTIMATES)]
    _figure(23, curves(random, every))
    _figure(24, curves(depth, every))


def smoothing_panels(pool: Pool) -> object:
    actual = infAP(actual=pool.judgments)
    names = ["infAP(c=1.0)", "infAP(c=1.5)", "infAP(c=2.5)"]
    found = experiment(pool, levels=[0.05], measures=[actual, *names], repeats=1, seed=trec8.SEED)
    titles = {str(actual): "infAP, actual precisions"}
    return scatter(found, [str(actual), *names], [0.05], titles=titles)


def text_of(study: Study) -> str:
    random, depth, mixed = study.random, study.depth, study.mixed
    taus = {name: depth.find("tau", name, 4)["mean"] for name in PRINTED}
    other = experiment(study.pool, design="pool", levels=[4], measures=["infAP(c=1.5)", "infAP(c=4.0)"])
    by_c = {name: [random.find(s, name, 0.05)["mean"] for s in ("bias", "rms", "tau")] for name in SMOOTHING}
    rms = [random.find("rms", "infAP", level)["mean"] for level in random.source.levels]
    all_pairs = comb(len(study.pool.runs), 2)
    c_taus = [tau for *_, tau in by_c.values()]
    return PAGE.format(
        seed=trec8.SEED,
        printed=table(
            ["depth-4 pool, Kendall's tau with actual AP", "paper", "here"],
            [[name, f"{paper:.4f}", f"{taus[name]:.4f}"] for name, paper in PRINTED.items()],
        ),
        tau_low=other.find("tau", "infAP(c=1.5)", 4)["mean"],
        tau_high=other.find("tau", "infAP(c=4.0)", 4)["mean"],
        apart=PRINTED["infAP"] - taus["infAP"],
        pairs=round((PRINTED["infAP"] - taus["infAP"]) * all_pairs / 2),
        all_pairs=all_pairs,
        ind_verdict=_verdict("indAP", taus),
        inf_verdict=_verdict("infAP", taus),
        table_1=table(
            ["depth", "judgments per topic", "share of the whole pool"],
            [
                [f"{level:.0f}", f"{size:.1f}", f"{size / random.source.complete:.1%}"]
                for level in depth.source.levels
                for size in [(study.pool.best <= level).sum() / len(study.pool.judgments.queries)]
            ],
        ),
        ap_bias=random.find("bias", "AP", 0.05)["mean"],
        ap_pool_bias=depth.find("bias", "AP", 4)["mean"],
        ap_tau=random.find("tau", "AP", 0.05)["mean"],
        smoothing=table(
            ["at 5 %", "bias", "RMS error", "tau"],
            [[name, f"{b:+.4f}", f"{r:.4f}", f"{t:.4f}"] for name, (b, r, t) in by_c.items()],
        ),
        nearest=min(by_c, key=lambda name: by_c[name][1]),
        rises="rises" if c_taus == sorted(c_taus) else "does not always rise",
        mixed_share=mixed.find("tau", "infAP", 5)["judged"] / mixed.source.complete,
        mixed_tau=mixed.find("tau", "infAP", 5)["mean"],
        mixed_rms=mixed.find("rms", "infAP", 5)["mean"],
        random_tau=random.find("tau", "infAP", 0.15)["mean"],
        random_rms=random.find("rms", "infAP", 0.15)["mean"],
        xinf_tau=mixed.find("tau", "xinfAP", 5)["mean"],
        xinf_rms=mixed.find("rms", "xinfAP", 5)["mean"],
        random=trec8.statistics(random, ["AP", *ESTIMATES], RANDOM),
        depth=trec8.statistics(depth, ["AP", *ESTIMATES], DEPTH),
        strat_repeats=study.stratified.source.means.shape[1],
        stratified=_biases(study.stratified),
        inf_least=sum(_nearest(random, level) == "infAP" for level in random.source.levels if level < 1),
        ind_rms_30=random.find("rms", "indAP", 0.3)["mean"],
        ind_rms_10=random.find("rms", "indAP", 0.1)["mean"],
        inf_rms_30=random.find("rms", "infAP", 0.3)["mean"],
        inf_rms_10=random.find("rms", "infAP", 0.1)["mean"],
        rms_1=rms[0],
        rms_most=max(rms),
        inf_tau_best=study.best("random", "tau", "infAP"),
        inf_rho_best=study.best("random", "rho", "infAP"),
        inf_pool_tau=study.best("depth", "tau", "infAP"),
        inf_pool_rho=study.best("depth", "rho", "infAP"),
        sub_tau_5=random.find("tau", "subAP", 0.05)["mean"],
        inf_tau_5=random.find("tau", "infAP", 0.05)["mean"],
        sub_better=study.higher("random", "tau", "subAP", "indAP"),
        ind_nearer=study.higher("random", "rms", "subAP", "indAP"),
        levels=len(random.source.levels) - 1,
        ind_pool=study.higher("depth", "tau", "indAP", "Bpref10"),
        inf_pool=study.higher("depth", "tau", "infAP", "Bpref10"),
        depths=len(depth.source.levels) - 1,
        pool_bias=depth.find("bias", "infAP", 4)["mean"],
    )


def _nearest(found: Experiment, level: float) -> str:
    """The measure with the smallest RMS error at a level."""
    return min(("AP", *ESTIMATES), key=lambda name: found.find("rms", name, level)["mean"])


def _verdict(name: str, taus: Mapping[str, float]) -> str:
    return "is met to the last digit" if round(taus[name], 4) == PRINTED[name] else "is not met"


def _biases(found: Experiment) -> str:
    rows = []
    for level in found.source.levels:
        biases = [found.find("bias", measure, level) for measure in STRATIFIED]
        rows.append([f"{level:.0%}", *(f"{b['mean']:+.4f} ±{b['deviation']:.4f}" for b in biases)])
    return table(["judged below depth 10", *(f"{name}: bias" for name in STRATIFIED)], rows)


def _figure(number: int, chart: object) -> None:
    figure(f"yilmaz-aslam-2008-{number:02}", chart)


if __name__ == "__main__":
    study = Study.of(trec8.pool(__doc__ or ""))
    figures(study)
    page("yilmaz-aslam-2008", text_of(study))
