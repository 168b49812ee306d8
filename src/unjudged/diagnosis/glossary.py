"""Words of the output and of the papers, and what they mean."""

from __future__ import annotations

import re

_GLOSSARY = """
query, queries, topic: What a user asked; also called a topic.
run, system, runs, systems: A system returns one ranking per query. A run is all of its rankings, in one file.
grade, grades, relevant: A number from 0 (not relevant) upwards that a person gave a document for a query. A
    document is relevant if its grade is at least `rel`, which is 1 unless the collection says otherwise.
judgments, qrels: The grades of one collection.
known, drawn, unknown: The three states of a document. Known: somebody judged it. Drawn: it could have been
    judged, with a recorded chance. Unknown: nobody could have judged it.
judged, unjudged: Whether somebody graded the document for the query. An unjudged one may be pooled (a line
    with -1), looked at and impossible to judge (-2), or in no line at all.
pool, pooled, depth pool: The documents that were candidates for judging, usually the first ones of several
    runs.
sample, stratum: Judgments of documents that were drawn at random from the pool. The file records with what
    probability, or in which stratum (a part of the pool with a rate of its own).
hole, holes: An unjudged document of a run that counts for the measure. `unjudged next --design "holes(50)"`
    draws fifty of them.
chosen: Judgments of documents that were selected for what they would show, as `unjudged next` does. They are
    not a random sample.
range, could be, low, high, bounds of a score: The lowest and the highest value that judging could make of a
    score or of a difference. It is not a probability.
interval for other queries, for other queries: What another random sample of queries could have given, with
    these judgments.
estimate, estimated: What the score would be with every document judged that could be drawn, from those that
    were; *estimated* in tables is its 95 % interval.
effective number of labels, labels: How many labels of equal bearing on this measure and these systems the
    drawn documents are worth. Below 3 there is no estimate.
calibrated interval: As wide as the errors of the pooled groups when each of them was left out.
group, groups: The runs of one team, or of one family of systems.
other queries, hold, may differ: The first answer of a comparison: "hold" if a test over queries finds the
    difference, else "may differ".
more judging, cannot change it, is unlikely to change it, could blur it, could flip it: The second answer of a
    comparison. Judging cannot change the result, is unlikely to change it, could blur it (the order stays,
    the test does not hold), could flip the order, or nobody knows.
headline, better, needs judging, needs queries, needs both, few queries: What follows from both answers.
    "better": other queries would say the same, and more judging cannot or is unlikely to change it. "needs
    judging": judging could blur or flip it. "needs queries": other queries could say the opposite. "needs
    both": either could. "few queries": fewer than ten, so nothing follows.
share seen, seen: The share of relevant documents among the judged ones that favour the system behind. It is
    what to expect of the unjudged ones.
flip share, flip: How many of the unjudged documents that favour the system behind must be relevant for it to
    catch up.
loss share, loss: How many of them must be relevant for the test to fail.
careful p: The larger of Student's p and of Hall's, which allows for skewed differences.
place: From 1 + the number of systems that are better than this one, to all but those that it is better than.
tau, tau_AP, rho, RMS error, RBO: How well two orders of systems agree. tau (Kendall) and tau_AP, with more
    weight on the top, are from -1 to 1; rho is the linear correlation of the means, RMS error their distance;
    RBO, rank-biased overlap, is from 0 to 1.
"""
_PAPERS = """
inferred AP = infAP; induced AP = indAP; subcollection AP = subAP; bpref-10 = Bpref10;
normalised cumulative precision = NCP; rank-biased precision = RBP; stopping population = NCP;
residual: What RBP would gain if every unjudged document were relevant: the width of its range. `RBPResidual`
    has it, `RBPUpper` the upper bound.
margin: The loss that does not matter to a gate.
design: A rule that decides which documents of a pool are judged.
epsilon, epsilon of infAP, infAP epsilon, smoothing, smoothing constant: infAP estimates the precision above a
    relevant document from the judged ones above it. With none it would be 0/0, so both counts get a little
    more: (r + eps) / (r + n + c eps). `infAP(eps=0.00001)` is the epsilon of Yilmaz and Aslam (2006),
    `infAP(c=1.5)` the smoothing constant that they vary in 2008.
AP as a random experiment, random experiment, expected AP of a user: Pick a relevant document at random, then
    a rank at random from the first one to its own: AP is the probability that a relevant document stands
    there (Yilmaz and Aslam, 2006). Robertson (2008) has users who each stop at one relevant document: see
    NCP.
user model, AP as a user model, stopping, stopping populations: What a measure assumes of users. RBP: a user
    goes on to the next rank with probability p. AP: users stop at each relevant document equally often; NCP
    takes any other population (Robertson, 2008), as in `NCP(stop=(0.5, 0.3, 0.2))`.
sampling rate, sampling rates, judged share: `unjudged experiment QRELS RUN... --design "uniform(5%, 30%)"`
    judges a share of the documents and measures tau, rho and RMS error; `--plot` draws them. `--against AP`
    compares with AP; by default a measure is compared with its own target.
against itself, itself: A measure from few judgments compared with the same measure from all of them. An
    experiment written to a file has both: against the target, and against itself.
depth pools, shallow pool: Judge the first documents of every run: `--design "pool(5, 10)"`.
mixed pool, mixed pools: A depth pool and as many documents drawn from the rest: `--design "mixed(5)"`.
upper bound of RBP = RBPUpper; upper bound = RBPUpper; RBP upper bound = RBPUpper; RBP residual = RBPResidual;
uncertainty of RBP, quantile, density, distribution of the uncertainty, distribution of RBP, mean of RBP,
    variance of RBP, quantiles of RBP, density of RBP, uncertainty of the mean: What
    unjudged documents may add to RBP is a random variable if each is relevant with some probability (Park,
    2016).
    `unjudged.studies.uncertainty_of_rbp(qrels, run, prevalence)` has its mean, variance, quantiles and
    density, by query and of the mean; `--interval "model(prevalence=0.2)"` the interval of each run.
urn, urn model, unequal probabilities, unequal probabilities of relevance: Rankings drawn from an urn in which
    a nonrelevant document is w times as likely to come next as a relevant one: `unjudged.studies.simulate`. A
    prevalence per rank, `model(prevalence=(0.5, 0.3, 0.1))`, is for probabilities that differ.
expected AP, exact expected AP, approximate expected AP, random ranking, expected AP of a random ranking,
    random baseline: What AP is on average if documents are in random order (Bestgen, 2015):
    `unjudged.studies.expected("AP", documents=1000, relevant=20)`, exactly; R/N is its usual approximation,
    and too low.
nAP, normalised AP, normalized AP, AP corrected for chance, corrected for chance, chance: `AP(chance=N)` is
    (AP - E) / (1 - E), with E the expected AP of a random ranking of N documents: 0 by chance, 1 at best.
p of a random ranking, p value of a random ranking, p value of a ranking, probability of a random ranking,
    probability that a random ranking does as well, Bestgen's p: The probability that random rankings
    do as well: `unjudged.studies.p_of_random_ranking(values, documents, relevant)`.
kappa, Cohen's kappa, weighted kappa: Agreement of two judges beyond chance: 1 - observed / expected distance
    of their grades. Weighted kappas count how far grades differ, linearly or by the square.
alpha, Krippendorff's alpha: Agreement of judges beyond chance, who are taken as interchangeable.
exit code, exit codes: A gate: 0 pass, 1 fail, 2 undecided, 3 nothing could be asked. Other commands: 0 done,
    1 the input cannot be used, 2 the command line is wrong, 130 interrupted.
"""


def plainly(word: str) -> str:
    """Return a word without what people write differently: case, hyphens, quotes and other marks."""
    return " ".join(re.sub(r"['\"]s?\b|[^\w@]", " ", word.casefold().replace("_", " ")).split())


def _entries(text: str) -> list[tuple[list[str], str]]:
    """Return names and meaning of each entry; a name may stand for a measure, `name = measure`."""
    found = []
    for part in re.findall(r"^(\S.*(?:\n    .*)*)", text, re.MULTILINE):
        whole = " ".join(part.split())
        if " = " in whole.partition(": ")[0]:
            pairs = (one.partition(" = ") for one in whole.strip(";").split("; "))
            found += [([name.strip()], f"={measure.strip(' ;')}") for name, _, measure in pairs]
        else:
            names, _, means = whole.partition(": ")
            found.append((names.split(", "), means))
    return found


GLOSSARY = {tuple(names): means for names, means in _entries(_GLOSSARY)}
"""What words of the output mean, by all their names."""
MEANINGS = {plainly(name): means for names, means in _entries(_GLOSSARY + _PAPERS) for name in names}
"""What each word means; an equals sign and a measure stands for the page of the measure."""
