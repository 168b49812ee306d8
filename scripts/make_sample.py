"""Makes the sample collection inside the package: `make sample`, the same bytes every time.

Thirty queries, six systems. Five were pooled to depth 20. Their top 10 and 40 % of the rest of the pool were
judged; the other pooled documents are -1. The sixth, `dense`, came later and was not pooled, so much of what
it retrieves was never judged. answers.qrels has the grade of every document that any of them retrieves:
what people would answer. `expanded` has no ranking for one query, `boolean` has ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent.parent / "src" / "unjudged" / "sample"
QUERIES, DOCUMENTS, DEPTH = 30, 300, 40
ODDS = {"boolean": 0.35, "lexical": 0.16, "expanded": 0.12, "fused": 0.09, "reranked": 0.06, "dense": 0.07}
POOLED = [name for name in ODDS if name != "dense"]


def urn(relevant: np.ndarray, odds: float, taste: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Documents drawn one after another; a nonrelevant one is `odds` times as likely as a relevant one.

    `taste` makes systems prefer the same documents.
    """
    weight = np.where(relevant > 0, 1.0, odds) * taste
    return np.argsort(rng.exponential(size=len(weight)) / weight)[:DEPTH]


def scores(name: str, rng: np.random.Generator) -> np.ndarray:
    falling = np.sort(rng.gamma(6.0, 2.0, DEPTH))[::-1]
    return np.round(falling) if name == "boolean" else np.round(falling, 4)


@dataclass(frozen=True)
class Collection:
    """Lines of runs, of judgments and of answers, which have the grade of all that any run retrieves.

    `complete` has the true grade of every document of every query.
    """

    runs: dict[str, list[str]]
    qrels: list[str]
    answers: list[str]
    complete: dict[str, dict[str, int]]


def collection() -> Collection:
    """The sample, and the complete judgments that it leaves out."""
    rng = np.random.default_rng(2008)
    made = Collection({name: [] for name in ODDS}, [], [], {})
    for number in range(1, QUERIES + 1):
        query = f"q{number:02d}"
        relevant = rng.choice([0, 1, 2], DOCUMENTS, p=[0.93, 0.05, 0.02])
        made.complete[query] = {f"d{d:03d}": int(grade) for d, grade in enumerate(relevant)}
        taste = rng.gamma(0.7, 1.0, DOCUMENTS) + 0.05
        judged: set[int] = set()
        pool: set[int] = set()
        retrieved: set[int] = set()
        for name, odds in ODDS.items():
            own = taste if name in POOLED else rng.gamma(0.7, 1.0, DOCUMENTS) + 0.05
            ranking = urn(relevant, odds, own, rng)
            if not (name == "expanded" and query == "q17"):
                lines = zip(ranking, scores(name, rng), strict=True)
                made.runs[name] += [
                    f"{query} Q0 d{d:03d} {k} {s:g} {name}" for k, (d, s) in enumerate(lines, 1)
                ]
                retrieved.update(ranking.tolist())
            if name in POOLED:
                judged.update(ranking[:10].tolist())
                pool.update(ranking[:20].tolist())
        for document in sorted(pool):
            sampled = document in judged or rng.random() < 0.4
            made.qrels.append(f"{query} 0 d{document:03d} {relevant[document] if sampled else -1}")
        made.answers.extend(f"{query} 0 d{one:03d} {relevant[one]}" for one in sorted(retrieved))
    return made


def main() -> None:
    made = collection()
    FOLDER.mkdir(exist_ok=True)
    for name, lines in (("qrels.txt", made.qrels), ("answers.qrels", made.answers)):
        (FOLDER / name).write_text("\n".join(lines) + "\n")
    for name, written in made.runs.items():
        (FOLDER / f"{name}.run").write_text("\n".join(written) + "\n")


if __name__ == "__main__":
    main()
