"""A test collection from start to end: pool, draw, judge, merge, evaluate, judge more, stop.

Then once more in two rounds, with runs that come late and people who disagree: the highest grade counts, and
what cannot be judged is kept apart. At the end runs are compared.

    python scripts/collection.py FOLDER                                  the sample collection
    python scripts/collection.py FOLDER --data ../shared/data/trec8      TREC-8, a pool of half of its groups

Complete judgments answer for the assessors. The files and the report are the same on every machine.
"""

from __future__ import annotations

import argparse
import csv
import sys
from hashlib import blake2b, sha256
from pathlib import Path

import numpy as np

from unjudged import Judgments, compare, evaluate, sample
from unjudged.formats.writing import judgments_text, qrels_text
from unjudged.judging import DESIGNS, Pool
from unjudged.judging.designs import level_for_budget
from unjudged.judging.drawn_sample import DrawnSample, draw
from unjudged.judging.merging import merge
from unjudged.judging.next_documents import next_documents
from unjudged.judging.sample_file import read_sample, sample_text
from unjudged.rankings.judgments import CANNOT_JUDGE

NORMAL, ALPHA = 1.96, 0.05
SHARE, TOP, TWICE, SEED = 0.2, 10, 0.05, 1
PEOPLE, UNABLE, DISAGREES = ("ann", "bob"), 0.005, 0.3
MEASURE, BEST, BATCH = "RBP(p=0.8)", 5, 50


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    if options.data is None:
        report = cycle(options.folder, Judgments.of(sample.qrels), dict(sample.runs), depth=20)
    else:
        truth = Judgments.read(options.data / "qrels.trec8.gz")
        report = cycle(options.folder, truth, half_of_the_groups(options.data), depth=100)
    sys.stdout.write("".join(f"{line}\n" for line in report))


def half_of_the_groups(data: Path) -> dict[str, Path]:
    """The pooled runs of every second group, by name."""
    with (data / "run-info.tsv").open() as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["pooled"] == "yes"]
    chosen = set(sorted({row["group"] for row in rows})[::2])
    files = {path.name.removeprefix("input.").removesuffix(".gz"): path for path in (data / "runs").iterdir()}
    rows.sort(key=lambda row: row["run"])
    return {row["run"]: files[row["run"]] for row in rows if row["group"] in chosen}


def cycle(folder: Path, truth: Judgments, runs: dict[str, Path], depth: int) -> list[str]:
    """Run the collection in a folder; what happened, in sentences."""
    folder.mkdir(parents=True, exist_ok=True)
    known = answers_of(truth)
    pool = Pool.of_runs(runs, depth)
    drawn = draw(pool, "stratified", SHARE, seed=SEED, top=TOP)
    write(folder / "design.txt", sample_text(drawn))
    report = [f"Pool of {len(runs)} runs: {len(drawn.drawn)} documents, {int(drawn.drawn.sum())} to judge."]

    write(folder / "to-judge.qrels", drawn.task())
    judged = [(query, document, known.get((query, document), 0)) for query, document in drawn.to_judge()]
    answers = write(folder / "judged.qrels", qrels_text(judged))
    merged = merge(read_sample(folder / "design.txt"), {"people": answers})
    for form in ("strata", "prels"):
        write(folder / f"merged.{form}", judgments_text(merged.judgments, form))
    report.append(f"Merged {len(merged.answers)} judgments.")

    report += estimates(folder, pool, known, runs)
    report += judge_more(folder, merged.judgments, known, runs)
    report += two_rounds(folder, known, runs, depth)
    report += within_budget(pool, budget=int(drawn.drawn.sum()))
    report += compared(folder, runs)
    files_now = sorted(path for path in folder.iterdir() if path.is_file())
    digest = sha256(b"".join(path.name.encode() + path.read_bytes() for path in files_now)).hexdigest()
    return [*report, f"{len(files_now)} files, SHA-256 {digest}"]


def estimates(
    folder: Path, pool: Pool, known: dict[tuple[str, str], int], runs: dict[str, Path]
) -> list[str]:
    """The estimates of AP and their intervals, against AP with the whole pool judged."""
    complete = pool.judgments.with_grades(
        np.array([known.get(name, 0) for name in names_of(pool.judgments)], np.int32)
    )
    actual = np.asarray(evaluate(complete, runs, "AP").means)[:, 0]
    found = evaluate(folder / "merged.strata", runs, ["xinfAP", "statAP(pairs='joint')"])
    spread = evaluate(folder / "merged.strata", runs, "statAPVariance(pairs='joint')").values[:, :, 0]
    half = NORMAL * np.sqrt(np.maximum(spread, 0).sum(axis=1)) / spread.shape[1]
    plain = np.asarray(evaluate(folder / "merged.prels", runs, "statAP").means)[:, 0]
    by_strata, by_pairs = np.asarray(found.means).T
    inside = [float((np.abs(one - actual) <= half).mean()) for one in (by_strata, by_pairs)]
    errors = [float(np.sqrt(((one - actual) ** 2).mean())) for one in (by_strata, by_pairs, plain)]
    return [
        f"xinfAP: RMS error {errors[0]:.4f}, {inside[0]:.0%} of the runs inside the interval of statAP.",
        f"statAP (joint): RMS error {errors[1]:.4f}, {inside[1]:.0%} inside; half width {half.mean():.4f}.",
        f"statAP (prels): RMS error {errors[2]:.4f}.",
    ]


def judge_more(
    folder: Path, judgments: Judgments, known: dict[tuple[str, str], int], runs: dict[str, Path]
) -> list[str]:
    """Judge what says most about the best runs until judging could hardly change what is known of them."""
    now = Judgments(judgments.pooled, judgments.grade)
    report, judged, batches = [], 0, 0
    while True:
        found = next_documents(
            now,
            runs,
            BATCH,
            MEASURE,
            settle=True,
            top=BEST,
            pooled=True,
            seed=SEED,
        )
        if not batches:
            report.append(found.sentence())
        if not found.wanted:
            break
        asked = [(row["query"], row["document"]) for row in found.wanted]
        rows = [(*one, known.get(one, 0)) for one in asked]
        batches += 1
        judged += len(rows)
        write(folder / f"next-{batches:03d}.qrels", qrels_text(rows, ["unjudged-chosen: by gains"]))
        now = merge(now, {"next": folder / f"next-{batches:03d}.qrels"}).judgments
    return [*report, f"{judged} more judgments in {batches} batches. {found.sentence()}"]


def within_budget(pool: Pool, budget: int) -> list[str]:
    """Draw what a budget pays for."""
    design = DESIGNS.find("stratified")
    level = level_for_budget(design, pool.blank, budget, seed=SEED, top=TOP)
    drawn = int(draw(pool, design, level, seed=SEED, top=TOP).drawn.sum())
    return [f"A stratified sample for {budget} draws {drawn}."]


def compared(folder: Path, runs: dict[str, Path]) -> list[str]:
    """Compare the runs."""
    judgments = Judgments.read(folder / "rounds-merged.strata")
    found = compare(judgments, runs, "xinfAP").pairs
    differ = sum(row["p_adjusted"] < ALPHA for row in found)
    return [f"{differ} of {len(found)} pairs differ by xinfAP over queries (corrected p < {ALPHA})."]


def two_rounds(
    folder: Path, known: dict[tuple[str, str], int], runs: dict[str, Path], depth: int
) -> list[str]:
    """Judge in two rounds, the second with the runs that came late, by people who disagree."""
    report: list[str] = []
    answers: dict[str, Path] = {}
    early = dict([*runs.items()][: -(-len(runs) // 2)])
    design: DrawnSample | None = None
    for number, present in enumerate((early, runs), 1):
        design = draw(Pool.of_runs(present, depth), "stratified", SHARE, seed=SEED, top=TOP, since=design)
        write(folder / f"round-{number}-design.txt", sample_text(design))
        asked = design.to_judge()
        for person in PEOPLE:
            own = [one for one in asked if person in judges_of(*one)]
            rows = [(*one, opinion(person, *one, known)) for one in own]
            name = f"round-{number}-{person}"
            answers[name] = write(folder / f"{name}.qrels", qrels_text(rows))
        report.append(f"Round {number}: {len(asked)} documents to judge, {len(present)} runs.")
    merged = merge(read_sample(folder / "round-2-design.txt"), answers, conflicts="highest")
    write(folder / "rounds-merged.strata", judgments_text(merged.judgments, "strata"))
    settled = f"{len(merged.conflicts)} conflicts settled, {len(merged.unable)} cannot be judged"
    twice = f"{len(merged.twice)} judged twice"
    return [*report, f"Both rounds: {len(merged.answers)} documents judged, {twice}, {settled}."]


def judges_of(query: str, document: str) -> tuple[str, ...]:
    """Return who judges a document: one of the people by topic, both of every twentieth document."""
    chance = blake2b(f"{query} {document}".encode(), digest_size=4).digest()
    both = int.from_bytes(chance) / 2**32 < TWICE
    return PEOPLE if both else (PEOPLE[blake2b(query.encode(), digest_size=1).digest()[0] % len(PEOPLE)],)


def opinion(person: str, query: str, document: str, known: dict[tuple[str, str], int]) -> int:
    """Return the answer of a person: mostly the true grade, at times another one or "cannot judge"."""
    grade = known.get((query, document), 0)
    chance = blake2b(f"{person} {query} {document}".encode(), digest_size=4).digest()
    number = int.from_bytes(chance) / 2**32
    if number < UNABLE:
        return CANNOT_JUDGE
    return max(grade - 1, 0) if number < UNABLE + DISAGREES and grade else grade


def answers_of(truth: Judgments) -> dict[tuple[str, str], int]:
    """The grade of each document; unjudged ones are left out."""
    rows = zip(names_of(truth), truth.grade.tolist(), strict=True)
    return {name: grade for name, grade in rows if grade >= 0}


def names_of(judgments: Judgments) -> list[tuple[str, str]]:
    queries = list(judgments.queries)
    return [(queries[q], d) for q, d in zip(judgments.query.tolist(), judgments.documents, strict=True)]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
