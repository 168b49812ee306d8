"""Many threads read, match and evaluate at once over one index, for ThreadSanitizer: `make fuzz-threads`."""

from __future__ import annotations

import faulthandler
import random
from concurrent.futures import ThreadPoolExecutor

from fuzz.doors import GRADES, folder, scores_of
from fuzz.oracle import COMPILED, cores_are, outcome, same, scanner_is
from unjudged import Judgments
from unjudged.compat import pytrec_eval

THREADS, ROUNDS, LINES = 4, 10, 40_000


def text(rng: random.Random, together: bool) -> bytes:
    """A run whose queries stand together, or not; half of them judged."""
    rows = []
    for query in (*GRADES, "not judged"):
        documents = [*{d for ids in GRADES.values() for d in ids}, *(f"d{i}" for i in range(LINES // 4))]
        rng.shuffle(documents)
        rows += [f"{query.replace(' ', '-')} Q0 {d} 1 {rng.randrange(50)} t\n" for d in documents]
    if not together:
        rng.shuffle(rows)
    return "".join(rows).encode()


def main() -> None:
    faulthandler.enable()
    rng = random.Random(1)
    paths = [folder() / f"{i}.run" for i in range(THREADS)]
    for i, path in enumerate(paths):
        path.write_bytes(text(rng, together=i % 2 == 0))
    judged = Judgments.read(GRADES)
    evaluator = pytrec_eval.RelevanceEvaluator(GRADES, {"map", "ndcg"})
    parsed = [pytrec_eval.parse_run(path.read_text().splitlines()) for path in paths]

    def read(i: int) -> list[object]:
        return [
            outcome(lambda: scores_of(judged, {"run": paths[i % THREADS]})),
            outcome(lambda: scores_of(judged, {str(path): path for path in paths})),
            outcome(lambda: evaluator.evaluate(parsed[i % THREADS])),
        ]

    with scanner_is(COMPILED), cores_are(THREADS), ThreadPoolExecutor(THREADS) as pool:
        expected = [read(i) for i in range(THREADS)]
        for i, found in enumerate(pool.map(read, range(ROUNDS * THREADS))):
            for before, now in zip(expected[i % THREADS], found, strict=True):
                same(f"round {i}", ("", before), ("", now))
    print(
        f"{ROUNDS * THREADS} rounds in {THREADS} threads, each with {THREADS} readers: no race, no difference"
    )


if __name__ == "__main__":
    main()
