"""The measures as their definitions read, one ranking at a time, in exact fractions where they can be.

A ranking is a list of labels: a grade, -1 for pooled and not judged, None for not pooled. `known` are the
grades of the query's judgments, retrieved or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf, log2

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


def set_f(labels: Labels, known: Grades, rel: int = 1, beta: float = 1.0) -> Fraction:
    p, r, b = set_precision(labels, known, rel), recall(labels, known, rel), Fraction(beta) ** 2
    return (1 + b) * p * r / (b * p + r) if p else Fraction(0)
