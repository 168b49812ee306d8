"""Measures how often every interval holds and writes the tables of docs/trust.md: `make coverage`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from pathlib import Path

import agreement_coverage
import calibrated_coverage
import gate_trials
import query_samples
import sample_tests
import worlds
from coverage_tables import (
    calibrated_table,
    gate_table,
    levels_table,
    replace_table,
    samples_table,
    segments_table,
    settings_table,
    tests_table,
    widths_table,
    worlds_table,
)
from left_out_runs import LEVELS, MEASURES, Case, Pooled
from model_coverage import left_out_group_by_model

from unjudged.base.threads import cores
from unjudged.uncertainty.prevalence import ESTIMATED

PAGE = Path(__file__).parent.parent.parent / "docs" / "trust.md"


def calibrated(folder: Path, pool: ProcessPoolExecutor) -> None:
    groups = range(Pooled.read(folder).groups)
    jobs = [
        pool.submit(calibrated_coverage.left_out_group, folder, group, MEASURES, unit)
        for unit in ("runs", "groups")
        for group in groups
    ]
    cases: list[Case] = list(chain.from_iterable(job.result() for job in jobs))
    replace_table(PAGE, "calibrated", calibrated_table(cases, LEVELS[0]))
    replace_table(PAGE, "levels", levels_table(cases, ["runs", "groups"], LEVELS[1:]))
    replace_table(PAGE, "widths", widths_table(cases, "runs", LEVELS))


def manual(folder: Path, pool: ProcessPoolExecutor) -> None:
    cases = pool.submit(calibrated_coverage.automatic_to_manual, folder, MEASURES).result()
    replace_table(PAGE, "manual", settings_table(cases, ["one group", "all manual runs"], LEVELS[0]))


def model(folder: Path, pool: ProcessPoolExecutor) -> None:
    groups = range(Pooled.read(folder).groups)
    jobs = [pool.submit(left_out_group_by_model, folder, group, MEASURES) for group in groups]
    cases = list(chain.from_iterable(job.result() for job in jobs))
    replace_table(PAGE, "model", settings_table(cases, ESTIMATED, LEVELS[0]))


def simulated(folder: Path, pool: ProcessPoolExecutor) -> None:  # noqa: ARG001 (needs no data)
    jobs = [
        pool.submit(worlds.simulated_coverage, world, size) for world in worlds.ASKED for size in worlds.SIZES
    ]
    found = list(chain.from_iterable(job.result() for job in jobs))
    replace_table(PAGE, "worlds", worlds_table(found, worlds.SIZES, worlds.MEASURES))


def queries(folder: Path, pool: ProcessPoolExecutor) -> None:
    found = pool.submit(query_samples.query_coverage, folder).result()
    replace_table(PAGE, "queries", samples_table(found, query_samples.SIZES))


def tests(folder: Path, pool: ProcessPoolExecutor) -> None:
    jobs = [pool.submit(sample_tests.sizes_of_tests, folder, design) for design in sample_tests.DESIGNS]
    found = list(chain.from_iterable(job.result() for job in jobs))
    replace_table(PAGE, "tests", tests_table(found, sample_tests.SIZES))


def differences(folder: Path, pool: ProcessPoolExecutor) -> None:
    cases = pool.submit(calibrated_coverage.differences, folder, MEASURES).result()
    replace_table(
        PAGE, "differences", levels_table(cases, ["two new"], calibrated_coverage.DIFFERENCE_LEVELS)
    )


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
    jobs = [pool.submit(gate_trials.segment_trials, folder, sizes) for sizes in gate_trials.SEGMENTS]
    each = {size: pool.submit(gate_trials.interval_coverage, folder, size) for size in (5, 20, 100, 500)}
    held = {size: job.result() for size, job in each.items()}
    replace_table(PAGE, "segments", segments_table([job.result() for job in jobs], held))


PARTS: dict[str, Callable[[Path, ProcessPoolExecutor], None]] = {
    part.__name__: part
    for part in (
        *(calibrated, manual, model, queries, simulated, tests, differences, agreement),
        *(gate, segments),
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", choices=PARTS, action="append")
    given = parser.parse_args()
    if not (given.data / "run-info.tsv").exists():
        parser.exit(1, f"{given.data}: no run-info.tsv in it; make coverage DATA=FOLDER names the folder\n")
    with ProcessPoolExecutor(cores()) as pool:
        for name in given.only or PARTS:
            PARTS[name](given.data, pool)


if __name__ == "__main__":
    main()
