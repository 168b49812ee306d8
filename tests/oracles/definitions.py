"""The measures as their definitions read, one ranking at a time, in exact fractions where they can be.

A ranking is a list of labels: a grade, -1 for pooled and not judged, None for not pooled. `known` are the
grades of the query's judgments, retrieved or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, inf, log, log2

Labels = Sequence[int | None]
Grades = Sequence[int]


def relevant(label: int | None, rel: int) -> bool:
    return label is not None and label >= rel


def judged(label: int | None) -> bool:
    return label is not None and label >= 0


def hits(labels: Labels, rel: int, cutoff: float = inf) -> list[int]:
    return [k for k, label in enumerate(labels, 1) if relevant(label, rel) and k <= cutoff]


def known_relevant(known: Grades, rel: int) -> int:
    return sum(grade >= rel for grade in known)


def over(top: Fraction | int, bottom: int) -> Fraction:
    return Fraction(top) / bottom if bottom else Fraction(0)


def ap(labels: Labels, known: Grades, rel: int = 1, cutoff: float = inf) -> Fraction:
    precisions = [Fraction(i, k) for i, k in enumerate(hits(labels, rel, cutoff), 1)]
    return over(sum(precisions, Fraction(0)), known_relevant(known, rel))


def precision(labels: Labels, known: Grades, rel: int = 1, cutoff: int = 1) -> Fraction:
    return Fraction(len(hits(labels, rel, cutoff)), cutoff)


def recall(labels: Labels, known: Grades, rel: int = 1, cutoff: float = inf) -> Fraction:
    return over(len(hits(labels, rel, cutoff)), known_relevant(known, rel))


def rprec(labels: Labels, known: Grades, rel: int = 1) -> Fraction:
    total = known_relevant(known, rel)
    return over(len(hits(labels, rel, total)), total)


def rr(labels: Labels, known: Grades, rel: int = 1, cutoff: float = inf) -> Fraction:
    found = hits(labels, rel, cutoff)
    return Fraction(1, found[0]) if found else Fraction(0)


def success(labels: Labels, known: Grades, rel: int = 1, cutoff: float = inf) -> Fraction:
    return Fraction(bool(hits(labels, rel, cutoff)))


def iprec(labels: Labels, known: Grades, rel: int = 1, recall: float = 0.0) -> Fraction:
    total = known_relevant(known, rel)
    level = Fraction(str(recall))
    reached = [Fraction(i, k) for i, k in enumerate(hits(labels, rel), 1) if i >= level * total]
    return max(reached, default=Fraction(0))


def iprec_mean(labels: Labels, known: Grades, rel: int, recalls: Sequence[float]) -> Fraction:
    """The documents needed as trec_eval 9 rounds them: 0.9 is added in floating point, the rest cut off."""
    score = Fraction(0)
    for recall in recalls:
        needed = int(recall * known_relevant(known, rel) + 0.9)
        reached = (Fraction(i, k) for i, k in enumerate(hits(labels, rel), 1) if i >= needed)
        score += max(reached, default=Fraction(0))
    return score / len(recalls)


def rounded_iprec(labels: Labels, known: Grades, recall: float) -> Fraction:
    """trec_eval 10's: the documents needed are rounded to the nearest number, a half upwards."""
    needed = int(Fraction(str(recall)) * known_relevant(known, 1) + Fraction(1, 2))
    return max((Fraction(i, k) for i, k in enumerate(hits(labels, 1), 1) if i >= needed), default=Fraction(0))


def ya_ap(labels: Labels, known: Grades, rel: int = 1) -> float:
    total = known_relevant(known, rel)
    score = ap(labels, known, rel) * total
    return log((1 + score) / (1 + total - score))


def utility(labels: Labels, known: Grades, weights: Sequence[int], documents: int) -> int:
    found, total = len(hits(labels, 1)), known_relevant(known, 1)
    numbers = [found, len(labels) - found, total - found, documents - len(labels) - (total - found)]
    return sum(weight * number for weight, number in zip(weights, numbers, strict=True))


def bpref(labels: Labels, known: Grades, rel: int = 1) -> Fraction:
    total = known_relevant(known, rel)
    worst = min(total, sum(0 <= grade < rel for grade in known))
    score = Fraction(0)
    for k in hits(labels, rel):
        above = sum(judged(label) and not relevant(label, rel) for label in labels[: k - 1])
        score += 1 - (Fraction(min(above, total), worst) if above else 0)
    return over(score, total)


def inf_ap(labels: Labels, known: Grades, rel: int = 1, c: float = 2.0, eps: float = 0.00001) -> Fraction:
    score = Fraction(0)
    for k in hits(labels, rel):
        above = labels[: k - 1]
        r = sum(relevant(label, rel) for label in above)
        n = sum(judged(label) for label in above) - r
        d = sum(label is not None for label in above)
        share = (r + Fraction(eps)) / (r + n + Fraction(c) * Fraction(eps))
        score += 1 if k == 1 else Fraction(1, k) + Fraction(d, k) * share
    return over(score, known_relevant(known, rel))


def rbp(labels: Labels, known: Grades, p: float = 0.8, rel: int = 1, cutoff: float = inf) -> Fraction:
    q = Fraction(p)
    return (1 - q) * sum((q ** (k - 1) for k in hits(labels, rel, cutoff)), Fraction(0))


def rescaled_rbp(labels: Labels, known: Grades, gains: dict[int, Fraction], p: float) -> Fraction:
    """trec_eval 10's: gains from the query's lowest to its highest where one is outside 0 to 1."""
    scale = {grade: Fraction(grade) for grade in range(max(known, default=-1) + 1)} | gains
    low, high = min(scale.values(), default=Fraction(0)), max(scale.values(), default=Fraction(0))
    if low < 0 or high > 1:
        scale = {grade: (gain - low) / (high - low) for grade, gain in scale.items()}
    q, score = Fraction(p), Fraction(0)
    for k, label in enumerate(labels, 1):
        if label is not None and label >= 1:
            score += scale[label] * (1 - q) * q ** (k - 1)
    return score


def graded_rbp(labels: Labels, gains: dict[int, Fraction], max_grade: int, p: float = 0.8) -> Fraction:
    q, score = Fraction(p), Fraction(0)
    for k, label in enumerate(labels, 1):
        if label is not None and label > 0:
            score += gains.get(label, Fraction(label, max_grade)) * (1 - q) * q ** (k - 1)
    return score


def rbp_residual(labels: Labels, known: Grades, p: float = 0.8) -> Fraction:
    q = Fraction(p)
    weights = [(1 - q) * q ** (k - 1) for k, label in enumerate(labels, 1) if not judged(label)]
    return sum(weights, Fraction(0)) + q ** len(labels)


def dcg(gains: Sequence[float], cutoff: float) -> float:
    return sum(gain / log2(k + 1) for k, gain in enumerate(gains, 1) if k <= cutoff)


def ndcg(labels: Labels, known: Grades, cutoff: float = inf, gain: Callable[[int], float] = float) -> float:
    best = sorted((gain(grade) for grade in known if grade >= 0), reverse=True)
    ideal = dcg(best, cutoff)
    got = [gain(label) if label is not None and label >= 0 else 0.0 for label in labels]
    return dcg(got, cutoff) / ideal if ideal else 0.0


def err(labels: Labels, known: Grades, cutoff: float = inf, max_grade: int = 4) -> Fraction:
    score, goes_on = Fraction(0), Fraction(1)
    for k, label in enumerate(labels, 1):
        if k > cutoff:
            break
        satisfied = Fraction(2 ** max(label or 0, 0) - 1, 2**max_grade)
        score += goes_on * satisfied / k
        goes_on *= 1 - satisfied
    return score


def share_judged(labels: Labels, known: Grades, cutoff: float = inf) -> Fraction:
    top = labels[: int(min(cutoff, len(labels)))]
    return over(sum(judged(label) for label in top), len(top))


def share_unjudged(labels: Labels, known: Grades, cutoff: int = 1) -> Fraction:
    return Fraction(sum(not judged(label) for label in labels[:cutoff]), cutoff)


def set_precision(labels: Labels, known: Grades, rel: int = 1) -> Fraction:
    return over(len(hits(labels, rel)), len(labels))


def ind_ap(labels: Labels, known: Grades, rel: int = 1, unpooled: str = "nonrelevant") -> Fraction:
    kept = [label for label in labels if judged(label) or (label is None and unpooled == "nonrelevant")]
    return ap(kept, known, rel)


def sub_ap(labels: Labels, known: Grades, rel: int = 1, share: Fraction | None = None) -> Fraction:
    if share is None:
        share = over(sum(grade >= 0 for grade in known), len(known))
    score = Fraction(0)
    for k in hits(labels, rel):
        above = labels[: k - 1]
        r = sum(relevant(label, rel) for label in above) + 1
        n = sum(judged(label) for label in above) + 1 - r
        nd = sum(label is None for label in above)
        score += sum(
            comb(nd, i) * share**i * (1 - share) ** (nd - i) * Fraction(r, r + n + i) for i in range(nd + 1)
        )
    return over(score, known_relevant(known, rel))


def bpref_against(labels: Labels, known: Grades, extra: int, rel: int = 1) -> Fraction:
    """The papers' forms: R + extra both in the minimum and below."""
    most = known_relevant(known, rel) + extra
    score = Fraction(0)
    for k in hits(labels, rel):
        above = sum(judged(label) and not relevant(label, rel) for label in labels[: k - 1])
        score += 1 - Fraction(min(above, most), most)
    return over(score, known_relevant(known, rel))


def ncp(labels: Labels, known: Grades, weight: Callable[[int], Fraction], rel: int = 1) -> Fraction:
    total = sum((weight(i) for i in range(1, known_relevant(known, rel) + 1)), Fraction(0))
    found = [weight(i) * Fraction(i, k) for i, k in enumerate(hits(labels, rel), 1)]
    return sum(found, Fraction(0)) / total if total else Fraction(0)


def condensed(labels: Labels) -> Labels:
    return [label for label in labels if judged(label)]


def one_stratum_inf_ap(labels: Labels, known: Grades, rel: int = 1) -> Fraction:
    """xinfAP without recorded strata: infAP with three times the smoothing below."""
    return inf_ap(labels, known, rel, c=3.0) if known_relevant(known, rel) else Fraction(0)


def inf_ndcg(labels: Labels, known: Grades) -> float:
    stands_for = Fraction(len(known), max(sum(grade >= 0 for grade in known), 1))
    ideal: list[float] = []
    for grade in sorted({g for g in known if g > 0}, reverse=True):
        ideal += [float(grade)] * int(known.count(grade) * stands_for + Fraction(1, 2))
    pooled = sum(label is not None for label in labels)
    sampled = sum(judged(label) for label in labels)
    gain = dcg([max(label or 0, 0) for label in labels], inf)
    return pooled * gain / sampled / dcg(ideal, 1000) if sampled and ideal else 0.0


def inf_precision(labels: Labels, known: Grades, rel: int = 1, cutoff: int = 1) -> Fraction:
    top, eps = labels[:cutoff], Fraction(0.00001)
    d = sum(label is not None for label in top)
    m = sum(judged(label) for label in top)
    return d * (len(hits(top, rel)) + eps) / (m + 3 * eps) / cutoff


def stat_ap(labels: Labels, probability: Sequence[Fraction], total: Fraction, rel: int = 1) -> Fraction:
    """`probability` of each retrieved document; `total` is the estimated number of relevant ones."""
    above, score = Fraction(0), Fraction(0)
    for k in hits(labels, rel):
        stands_for = 1 / probability[k - 1]
        score += (1 + above) / k * stands_for
        above += stands_for
    return score / total if total else Fraction(0)


def uniform_stat_ap(labels: Labels, known: Grades, rel: int = 1) -> Fraction:
    share = Fraction(max(sum(grade >= 0 for grade in known), 1), len(known))
    return stat_ap(labels, [share] * len(labels), known_relevant(known, rel) / share, rel)


def uniform_stat_rprec(labels: Labels, known: Grades, rel: int = 1) -> Fraction:
    share = Fraction(max(sum(grade >= 0 for grade in known), 1), len(known))
    total = known_relevant(known, rel) / share
    depth = int(total + Fraction(1, 2))
    below = depth if len(labels) >= depth else total
    return len(hits(labels, rel, depth)) / share / below if total else Fraction(0)


def uniform_stat_precision(labels: Labels, known: Grades, rel: int = 1, cutoff: int = 1) -> Fraction:
    share = Fraction(max(sum(grade >= 0 for grade in known), 1), len(known))
    return len(hits(labels, rel, cutoff)) / share / cutoff


def uniform_stat_variance(labels: Labels, known: Grades, rel: int = 1) -> Fraction:
    n = sum(grade >= 0 for grade in known)
    pi = Fraction(max(n, 1), len(known))
    found, total = hits(labels, rel), known_relevant(known, rel) / pi
    if not total:
        return Fraction(0)
    value = uniform_stat_ap(labels, known, rel)
    precision = [(1 + i / pi) / k for i, k in enumerate(found)]
    precision += [Fraction(0)] * (known_relevant(known, rel) - len(found))
    y = [(p - value) / pi for p in precision]
    pairs = sum((a * b for a, b in combinations(y, 2)), Fraction(0))
    below = [sum((1 / (pi * k) for k in found[i + 1 :]), Fraction(0)) for i in range(len(found))]
    spread = sum((1 - pi) * v**2 for v in y) - (2 * pairs / (n - 1) if n > 1 else 0)
    spread += sum(b**2 * (1 - pi) / pi**2 for b in below)
    in_list = sum(judged(label) for label in labels)
    return min(max(spread / total**2 * n / (in_list + Fraction(1, 10)), Fraction(0)), Fraction(1))


def stratified_ap(
    ranking: Sequence[tuple[int, int] | None], pool: Sequence[tuple[int, int]], rel: int = 1
) -> Fraction:
    """xinfAP of documents that are (stratum, grade), or None where they were not pooled."""
    strata = {stratum for stratum, _ in pool}
    size = {s: sum(stratum == s for stratum, _ in pool) for s in strata}
    sampled = {s: sum(stratum == s and grade >= 0 for stratum, grade in pool) for s in strata}
    total = sum((Fraction(size[s], sampled[s]) for s, grade in pool if grade >= rel), Fraction(0))
    score, eps = Fraction(0), Fraction(0.00001)
    for k, document in enumerate(ranking, 1):
        if document is None or document[1] < rel:
            continue
        above = [other for other in ranking[: k - 1] if other is not None]
        precision = Fraction(1, k)
        for s in strata:
            grades = [grade for stratum, grade in above if stratum == s]
            found = sum(grade >= rel for grade in grades) + eps
            precision += Fraction(len(grades), k) * found / (sum(g >= 0 for g in grades) + 3 * eps)
        score += precision * Fraction(size[document[0]], sampled[document[0]])
    return score / total if total else Fraction(0)
