"""Measures how often every answer holds and writes the tables of docs/evidence: `make coverage`."""

from __future__ import annotations

import argparse
import resource
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, product
from pathlib import Path
from typing import Any

import agreement_coverage
import calibrated_coverage
import cluster_samples
import drawn_coverage
import family_trials
import gate_trials
import looks
import macro_samples
import query_samples
import sample_tests
import sampling_coverage
import scattered_labels
import verdict_trials
import worlds
from coverage_page import write_pages
from held import cell, write_held, write_rows
from left_out_runs import MEASURES, Pooled, tracks

from unjudged.base.threads import cores

HEADLINES = ("collection", "setting", "measure", "rule", "pairs", "decided", "lost", "wrong", "size")
EACH = ("collection", "measure", "headline", "pairs", "share", "not_significant", "wrong_sign")
OUTCOMES = ("undecided", "false_passes", "false_fails", "boundary")
GATES = ("collection", "measure", "judging", "margin", "pairs", *OUTCOMES)
POWER = ("collection", "measure", "queries", "margin", "passed")
AGAIN = ("collection", "measure", "test", "difference", "trials", "passed", "queries")
MARGIN = 0.01


def calibrated(folder: Path, pool: ProcessPoolExecutor) -> None:
    jobs = {
        track: [
            pool.submit(calibrated_coverage.left_out_group, track, group, MEASURES)
            for group in range(Pooled.read(track).groups)
        ]
        for track in tracks(folder)
    }
    cases = {track: _all(own) for track, own in jobs.items()}
    write_held("calibrated", calibrated_coverage.by_measure(cases, ("runs",)))
    write_held("calibrated-parts", calibrated_coverage.by_part(cases))


def kinds(folder: Path, pool: ProcessPoolExecutor) -> None:
    jobs = {track: pool.submit(calibrated_coverage.new_kind, track, MEASURES) for track in tracks(folder)}
    found = []
    for track, job in jobs.items():
        rows = calibrated_coverage.by_measure({track: job.result()}, ("one group", "all of them"))
        found += [row._replace(setting=f"{track.unlike} runs, {row.setting}") for row in rows]
    write_held("new-kinds", found)


def simulated(folder: Path, pool: ProcessPoolExecutor) -> None:  # noqa: ARG001 (needs no data)
    asked = product(worlds.PREVALENCE, worlds.SIZES)
    write_held("simulated", _all(pool.submit(worlds.simulated_coverage, *one) for one in asked))


def queries(folder: Path, pool: ProcessPoolExecutor) -> None:
    write_held("queries", _all(pool.submit(query_samples.query_coverage, track) for track in tracks(folder)))


def tests(folder: Path, pool: ProcessPoolExecutor) -> None:
    made = (sample_tests.simulated_sizes, sample_tests.simulated_sums)
    jobs = [pool.submit(sizes, design) for sizes in made for design in sample_tests.DESIGNS]
    for track in tracks(folder):
        jobs += [pool.submit(sample_tests.sizes_of_tests, track, design) for design in sample_tests.DESIGNS]
    write_held("tests", _all(jobs))


def collections(folder: Path, pool: ProcessPoolExecutor) -> None:
    jobs = [pool.submit(macro_samples.simulated_coverage)]
    jobs += [pool.submit(macro_samples.macro_coverage, track) for track in tracks(folder)]
    write_held("collections", _all(jobs))


def clusters(folder: Path, pool: ProcessPoolExecutor) -> None:  # noqa: ARG001 (needs no data)
    write_rows("clusters", cluster_samples.COLUMNS, cluster_samples.cluster_samples())


def _all(jobs: Iterable[Future[list[Any]]]) -> list[Any]:
    return list(chain.from_iterable(job.result() for job in list(jobs)))


def agreement(folder: Path, pool: ProcessPoolExecutor) -> None:  # noqa: ARG001 (needs no data)
    asked = product(
        (agreement_coverage.of_documents, agreement_coverage.of_leaderboards), agreement_coverage.SIZES
    )
    write_held("agreement", _all(pool.submit(measured, 0, size) for measured, size in asked))


def gate(folder: Path, pool: ProcessPoolExecutor) -> None:
    asked = list(product(gate_trials.SOURCES, gate_trials.SIZES))
    jobs = [pool.submit(gate_trials.gate_trials, folder, *one) for one in asked]
    write_held("gate", chain.from_iterable(job.result()[0] for job in jobs))
    power = [
        [held[0].collection, held[0].measure, size, margin, f"{share:.4g}"]
        for (_, size), (held, shares) in zip(asked, (job.result() for job in jobs), strict=True)
        for margin, share in zip(gate_trials.MARGINS, shares, strict=True)
    ]
    write_rows("gate-power", POWER, power)
    again = _all(pool.submit(gate_trials.looks_again, folder, source) for source in gate_trials.SOURCES)
    write_rows("gate-again", AGAIN, map(_shown, again))


def segments(folder: Path, pool: ProcessPoolExecutor) -> None:
    sources = gate_trials.SEGMENT_SOURCES
    trials = product(sources, gate_trials.SEGMENTS)
    each = product(sources, gate_trials.SEGMENT_SIZES)
    jobs = [pool.submit(gate_trials.segment_trials, folder, *one) for one in trials]
    jobs += [pool.submit(gate_trials.interval_coverage, folder, *one) for one in each]
    write_held("segments", _all(jobs))


def headlines(folder: Path, pool: ProcessPoolExecutor) -> None:  # noqa: ARG001 (it makes its own)
    found = verdict_trials.everything(folder, cores())
    write_rows("headlines", HEADLINES, verdict_trials.rules(found))
    write_rows("headlines-each", EACH, verdict_trials.headlines(found))
    write_rows("headlines-gate", GATES, verdict_trials.gates(found, MARGIN))


def families(folder: Path, pool: ProcessPoolExecutor) -> None:  # noqa: ARG001 (needs no data, makes its own)
    write_held("families", family_trials.measured(cores()))


def sampling(folder: Path, pool: ProcessPoolExecutor) -> None:
    jobs = [
        pool.submit(sampling_coverage.sampling_coverage, folder, topics, design)
        for topics in sampling_coverage.POOLS
        for design in sampling_coverage.designs_of(topics)
    ]
    write_held("sampling", _all(jobs))


def drawn(folder: Path, pool: ProcessPoolExecutor) -> None:
    asked = [
        (collection, model, measure)
        for collection, models in drawn_coverage.MODELS.items()
        for measure in drawn_coverage.MEASURES
        for model in models
    ]
    found = _all(pool.submit(drawn_coverage.drawn_coverage, folder, *one) for one in asked)
    write_rows("drawn", drawn_coverage.COLUMNS, map(_shown, found))


def judging(folder: Path, pool: ProcessPoolExecutor) -> None:
    asked = [
        (collection, kind, measure)
        for collection, measures in looks.MEASURES.items()
        for measure in measures
        for kind in looks.KINDS
    ]
    found = _all(pool.submit(looks.replays, folder, *one) for one in asked)
    write_rows("looks", looks.COLUMNS, map(_shown, found))


def scattered(folder: Path, pool: ProcessPoolExecutor) -> None:
    models = scattered_labels.MODELS
    write_held("scattered", _all(pool.submit(scattered_labels.scattered_coverage, folder, m) for m in models))


def _shown(row: Sequence[object]) -> list[object]:
    return [cell(value) if isinstance(value, float) else value for value in row]


PARTS: dict[str, Callable[[Path, ProcessPoolExecutor], None]] = {
    part.__name__: part
    for part in (
        calibrated,
        kinds,
        queries,
        collections,
        clusters,
        simulated,
        tests,
        agreement,
        headlines,
        families,
        sampling,
        drawn,
        judging,
        scattered,
        gate,
        segments,
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", choices=PARTS, action="append")
    given = parser.parse_args()
    for needed in (given.data / "run-info.tsv", given.data.parent / "dl2019/track/runs.tsv"):
        if not needed.exists():
            parser.exit(1, f"{needed}: no such file; make coverage DATA=FOLDER names the folder of TREC-8\n")
    failed = [name for name in given.only or PARTS if not written(name, given.data)]
    write_pages()
    if failed:
        parser.exit(1, f"not written: {', '.join(failed)}; --only {failed[0]} tries one again\n")


def written(name: str, folder: Path) -> bool:
    """Write the tables of one part, say what it took, and whether it could be made; others go on if not."""
    start, before = time.perf_counter(), _processor_seconds()
    print(f"{name} ...", flush=True)  # noqa: T201
    try:
        with ProcessPoolExecutor(cores()) as pool:
            PARTS[name](folder, pool)
    except (Exception, SystemExit):  # noqa: BLE001 (the other parts go on)
        traceback.print_exc()
        return False
    took, spent = time.perf_counter() - start, _processor_seconds() - before
    print(f"{name}: {took:.0f} s, {spent:.0f} s of processor", flush=True)  # noqa: T201
    return True


def _processor_seconds() -> float:
    """What this process and those that it has waited for took."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


if __name__ == "__main__":
    main()
