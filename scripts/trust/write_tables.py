"""Measures how often every interval holds and writes the tables of docs/trust.md: `make coverage`."""

from __future__ import annotations

import argparse
import resource
import time
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any

import agreement_coverage
import calibrated_coverage
import family_trials
import fractional_bounds
import gate_trials
import macro_samples
import query_samples
import sample_tests
import sampling_coverage
import scattered_labels
import tied_orders
import verdict_trials
import worlds
from calibrated_tables import (
    calibrated_table,
    kinds_table,
    later_table,
    levels_table,
    other_table,
    parts_table,
    widths_table,
)
from coverage_tables import (
    gate_table,
    replace_table,
    samples_table,
    segments_table,
    tests_table,
    worlds_table,
)
from left_out_runs import MEASURES, Pooled, tracks

from unjudged.base.threads import cores

PAGE = Path(__file__).parent.parent.parent / "docs" / "trust.md"
FEW_GROUPS = "Runs of one group fail together, so the groups, not the intervals, are what counts here."
PARTS_WHY = f"The level holds on average over runs. {FEW_GROUPS}"
OTHER_WHY = "So a file of another collection is refused."
KINDS_WHY = "A run of a new kind that is not recognised need not hold: check it."
WORLDS_WHY = "Of this many levels a few are missed by chance where all of them hold."
QUERIES_WHY = (
    "Scores are skewed, so Student's t, which measures without a highest value have, holds less often than "
    "it says, and output with fewer than 25 queries says so; with Hall's correction, with fewer than 10."
)


def calibrated(folder: Path, pool: ProcessPoolExecutor) -> None:
    jobs = {
        track: [
            pool.submit(calibrated_coverage.left_out_group, track, group, MEASURES)
            for group in range(Pooled.read(track).groups)
        ]
        for track in tracks(folder)
    }
    cases = {track: _all(own) for track, own in jobs.items()}
    replace_table(PAGE, "calibrated", calibrated_table(cases, FEW_GROUPS))
    columns = [(unit, level) for unit in ("runs", "groups") for level in (0.9, 0.8)]
    replace_table(PAGE, "levels", levels_table(cases, columns, FEW_GROUPS))
    replace_table(PAGE, "parts", parts_table(cases, PARTS_WHY))
    replace_table(PAGE, "widths", widths_table(cases))


def kinds(folder: Path, pool: ProcessPoolExecutor) -> None:
    jobs = {track: pool.submit(calibrated_coverage.new_kind, track, MEASURES) for track in tracks(folder)}
    cases = {track: job.result() for track, job in jobs.items()}
    replace_table(PAGE, "kinds", kinds_table(cases, KINDS_WHY))
    _, track = tracks(folder)
    later = pool.submit(calibrated_coverage.later_runs, track, MEASURES).result()
    replace_table(PAGE, "later", later_table(track, later))


def other_files(folder: Path, pool: ProcessPoolExecutor) -> None:
    first, second = tracks(folder)
    both = [(first, second), (second, first)]
    cases = _all(pool.submit(calibrated_coverage.other_file, *two, MEASURES) for two in both)
    replace_table(PAGE, "other files", other_table(cases, 0.9, OTHER_WHY))


def simulated(folder: Path, pool: ProcessPoolExecutor) -> None:  # noqa: ARG001 (needs no data)
    jobs = [
        pool.submit(worlds.simulated_coverage, world, size) for world in worlds.ASKED for size in worlds.SIZES
    ]
    table = worlds_table(_all(jobs), worlds.SIZES, worlds.MEASURES, WORLDS_WHY)
    replace_table(PAGE, "worlds", table)


def queries(folder: Path, pool: ProcessPoolExecutor) -> None:
    found = _all([pool.submit(query_samples.query_coverage, track) for track in tracks(folder)])
    count = query_samples.RUNS * query_samples.SAMPLES
    replace_table(PAGE, "queries", samples_table(found, query_samples.SIZES, count, QUERIES_WHY))


def tests(folder: Path, pool: ProcessPoolExecutor) -> None:
    simulations = [pool.submit(sample_tests.simulated_sizes, design) for design in sample_tests.DESIGNS]
    drawn = {
        track: [pool.submit(sample_tests.sizes_of_tests, track, design) for design in sample_tests.DESIGNS]
        for track in tracks(folder)
    }
    first = _all(simulations)
    for track, jobs in drawn.items():
        found = [*first, *_all(jobs)]
        table = tests_table(found, sample_tests.SIZES, sample_tests.SETTINGS)
        replace_table(PAGE, f"tests, {track.name}", table)
        first = []


def collections(folder: Path, pool: ProcessPoolExecutor) -> None:
    jobs = [pool.submit(macro_samples.simulated_coverage)]
    jobs += [pool.submit(macro_samples.macro_coverage, track) for track in tracks(folder)]
    replace_table(PAGE, "collections", macro_samples.macro_table(_all(jobs)))


def ties(folder: Path, pool: ProcessPoolExecutor) -> None:
    enumerated = pool.submit(tied_orders.enumeration_sentence)
    replace_table(PAGE, "ties", enumerated.result())
    replace_table(PAGE, "ties, TREC-8", pool.submit(tied_orders.runs_table, folder).result())


def fractions(folder: Path, pool: ProcessPoolExecutor) -> None:  # noqa: ARG001 (needs no data)
    replace_table(PAGE, "fractions", pool.submit(fractional_bounds.bounds_sentence).result())


def _all(jobs: Iterable[Future[list[Any]]]) -> list[Any]:
    return list(chain.from_iterable(job.result() for job in jobs))


def agreement(folder: Path, pool: ProcessPoolExecutor) -> None:  # noqa: ARG001 (needs no data)
    jobs = [
        pool.submit(measured, 0, size)
        for measured in (agreement_coverage.of_documents, agreement_coverage.of_leaderboards)
        for size in agreement_coverage.SIZES
    ]
    cases = list(chain.from_iterable(job.result() for job in jobs))
    replace_table(PAGE, "agreement", agreement_coverage.agreement_table(cases))


def gate(folder: Path, pool: ProcessPoolExecutor) -> None:
    jobs = [
        pool.submit(gate_trials.gate_trials, folder, source, size)
        for source in gate_trials.SOURCES
        for size in gate_trials.SIZES
    ]
    replace_table(PAGE, "gate", gate_table([job.result() for job in jobs], gate_trials.MARGINS))


def segments(folder: Path, pool: ProcessPoolExecutor) -> None:
    sources = gate_trials.SEGMENT_SOURCES
    jobs = [
        pool.submit(gate_trials.segment_trials, folder, source, sizes)
        for source in sources
        for sizes in gate_trials.SEGMENTS
    ]
    each = {
        (source, size): pool.submit(gate_trials.interval_coverage, folder, source, size)
        for source in sources
        for size in gate_trials.SEGMENT_SIZES
    }
    held = {place: job.result() for place, job in each.items()}
    replace_table(PAGE, "segments", segments_table([job.result() for job in jobs], held))


def headlines(folder: Path, pool: ProcessPoolExecutor) -> None:  # noqa: ARG001 (it makes its own)
    found = verdict_trials.everything(folder, cores())
    for setting in (verdict_trials.BOTH, verdict_trials.ONE):
        table = verdict_trials.rules_table(found, setting)
        replace_table(PAGE, f"headlines, {setting} left out", table)
    replace_table(PAGE, "headlines, each", verdict_trials.headlines_table(found, verdict_trials.BOTH))
    gates = verdict_trials.gates_table(found, verdict_trials.ONE, margins=(0.01,))
    replace_table(PAGE, "headlines, gates", gates)


def families(folder: Path, pool: ProcessPoolExecutor) -> None:  # noqa: ARG001 (needs no data, makes its own)
    replace_table(PAGE, "families", family_trials.measured(family_trials.TRIALS, cores()))


def sampling(folder: Path, pool: ProcessPoolExecutor) -> None:
    jobs = [
        pool.submit(sampling_coverage.sampling_coverage, folder, topics, design)
        for topics in sampling_coverage.POOLS
        for design in sampling_coverage.designs_of(topics)
    ]
    found = _all(jobs)
    for topics in sampling_coverage.POOLS:
        own = [one for one in found if one.topics == topics]
        replace_table(PAGE, f"sampling, {topics}", sampling_coverage.sampling_table(own))
        replace_table(PAGE, f"sampling variance, {topics}", sampling_coverage.variance_table(own))


def scattered(folder: Path, pool: ProcessPoolExecutor) -> None:
    counts = scattered_labels.LABELS
    found = _all(pool.submit(scattered_labels.scattered_coverage, folder, count) for count in counts)
    replace_table(PAGE, "scattered", scattered_labels.scattered_table(found))


PARTS: dict[str, Callable[[Path, ProcessPoolExecutor], None]] = {
    part.__name__: part
    for part in (
        calibrated,
        kinds,
        other_files,
        queries,
        collections,
        simulated,
        tests,
        ties,
        fractions,
        agreement,
        headlines,
        families,
        sampling,
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
