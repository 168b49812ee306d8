"""`unjudged calibrate`: scores of runs that were not pooled."""

from __future__ import annotations

import os
from statistics import median
from typing import Annotated, Literal

from unjudged import calibrate as learn
from unjudged.base.wording import counted
from unjudged.cli.arguments import BY_GROUP, File, Load, Measures, Output, OutputFormat, PoolDepth
from unjudged.cli.input_options import JudgmentOptions
from unjudged.cli.option import Option
from unjudged.cli.output import own_format, show, show_grids
from unjudged.cli.standard_streams import reading
from unjudged.evaluation.groups import CALIBRATED_MEASURES
from unjudged.results.grid import Grid, grid_of
from unjudged.uncertainty.calibration import Calibration


def calibrate(
    qrels: File,
    /,
    *runs: File,
    groups: Annotated[str, Option("-g", "--groups", reads=True, help=BY_GROUP)],
    measures: Measures = None,
    _load: Load = None,
    depth: PoolDepth = 100,
    unit: Literal["runs", "groups"] = "runs",
    inputs: JudgmentOptions = JudgmentOptions(),
    format: OutputFormat = None,
    output: Output = None,
) -> None:
    """Learn from pooled runs how far off scores are when a group was not pooled.

    Each group is left out in turn: the documents that only it retrieved become unjudged, and its scores are
    compared with those under all judgments. The result is a small file for `evaluate --interval calibrated`
    and `compare`, which need neither the runs nor the groups.

    Parameters
    ----------
    qrels
        The judgments of the pool.
    runs
        The pooled runs, of as many groups as possible: 95 % confidence needs 19 groups.
    measures
        A measure; may be repeated. The default is AP, nDCG@10, RBP(p=0.8), P@10 and RR.
    depth
        The depth of the pool: the rank up to which the runs were judged. Rankings are cut there. (In
        `evaluate` and `compare` it is the depth of the rankings that are scored.)
    unit
        One score per run, or per group (its largest: safer and wider).
    format
        json (the default) is the file that `--calibration` reads. The other formats show what was learnt: for
        each measure the number of left-out runs and their errors. The suffix of the output file decides too.

    Examples
    --------
    unjudged calibrate qrels.txt *.run --groups "(.*)" -o calibration.json
    unjudged calibrate qrels.txt *.run --groups "(.*)" --depth 20 -m AP -o ap.json
    unjudged calibrate qrels.txt *.run --groups "(.*)" -o errors.csv
    """
    chosen = own_format(format, output, "json")
    named = inputs.runs(runs)
    with reading(len(named)) as on_read:
        calibration = learn(
            inputs.read_judged(qrels, fractions=True),
            named,
            groups,
            measures or CALIBRATED_MEASURES,
            depth=depth,
            unit=unit,
            name=os.path.basename(qrels),
            on_read=on_read,
        )
    if chosen == "json":
        show(calibration.to_json(), output)
    else:
        show_grids(_learnt(calibration), chosen, output)


def _learnt(calibration: Calibration) -> Grid:
    """For each measure the number of left-out runs, or groups, and how far off they were."""
    scores = {name: [abs(row[1]) for row in rows] for name, rows in calibration.scores.items()}
    rows = [(name, len(off), median(off), max(off)) for name, off in scores.items() if off]
    groups, queries = counted(calibration.groups, "group"), counted(calibration.queries, "query")
    notes = [f"{groups}, {queries}, depth {calibration.depth}."]
    if aside := len(calibration.unjudged) - calibration.runs:
        notes.append(f"{counted(aside, 'run')} unlike the others left aside.")
    return grid_of(("measure", calibration.unit, "median", "largest"), rows, notes)
