"""`unjudged calibrate` and `unjudged spot-check`: scores of runs that were not pooled."""

from __future__ import annotations

import os
import re
from statistics import median
from typing import Annotated, Literal, NamedTuple

from unjudged import calibrate as learn
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted
from unjudged.cli.commands import SCORE, command
from unjudged.cli.options.arguments import (
    BY_GROUP,
    File,
    InputFile,
    Load,
    Measures,
    Output,
    OutputFormat,
    PoolDepth,
)
from unjudged.cli.options.input_options import JudgmentOptions
from unjudged.cli.options.option import Option
from unjudged.cli.shell.output import check_output, own_format, show, show_grids
from unjudged.cli.shell.standard_streams import progress, reading
from unjudged.evaluation.groups import CALIBRATED_MEASURES
from unjudged.formats.small_files import read_small_text
from unjudged.formats.streams import name_file_in_errors
from unjudged.grids.grid import Column, Grid
from unjudged.judging.collecting.merging import merge
from unjudged.predictions import spot_check as estimate
from unjudged.predictions import spot_check_design
from unjudged.uncertainty.calibration import Calibration

PREVALENCE = 0.05
MARK = "unjudged-spot-check"
_NUMBER = r"[0-9]{1,18}(?:\.[0-9]{1,18})?(?:e[+-]?[0-9]{1,2})?"
_COMMENT = re.compile(rf"(?m)^#\s*{MARK}: seed ([0-9]{{1,18}}), budget ({_NUMBER}), measure (.*\S)")


@command(
    "calibrate",
    SCORE,
    4,
    "QRELS RUN... --groups GROUPS",
    "Learn from pooled runs how far off the scores of new runs are.",
)
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
    """
    chosen = own_format(format, output, "json")
    named = inputs.runs(runs, "calibrate QRELS RUN... --groups FILE")
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
    columns = [
        Column("measure", "label"),
        Column(calibration.unit, "integer"),
        Column("median"),
        Column("largest"),
    ]
    scores = {name: [abs(row[1]) for row in rows] for name, rows in calibration.scores.items()}
    rows = [(name, len(off), median(off), max(off)) for name, off in scores.items() if off]
    groups, queries = counted(calibration.groups, "group"), counted(calibration.queries, "query")
    notes = [f"{groups}, {queries}, depth {calibration.depth}."]
    if aside := len(calibration.unjudged) - calibration.runs:
        notes.append(f"{counted(aside, 'run')} unlike the others left aside.")
    return Grid(columns, rows, notes=notes)


@command("spot-check", SCORE, 5, "QRELS RUN...", "Check runs that were not pooled by a few random judgments.")
def spot_check(
    qrels: File,
    /,
    *runs: File,
    checked: Annotated[str | None, Option("-c", "--checked", reads=True)] = None,
    calibration: InputFile = None,
    prevalence: float | None = None,
    measure: Annotated[str | None, Option("-m", "--measure", measures=True)] = None,
    _load: Load = None,
    budget: Annotated[float | None, Option("-b", "--budget")] = None,
    seed: int | None = None,
    confidence: float = 0.95,
    inputs: JudgmentOptions = JudgmentOptions(),
    format: OutputFormat = None,
    output: Output = None,
) -> None:
    """Check runs that were not pooled: people judge a few of their unjudged documents.

    First list the documents to judge, a random sample that prefers high ranks; the file records measure,
    budget and seed. Fill in the grades, and give the same command again with --checked FILE: it prints the
    runs' scores with intervals that do not assume that the runs are like the pooled ones. Judgments made
    before the sample was drawn go to --judged, both times; those of the sample only to --checked.

    Parameters
    ----------
    qrels
        The judgments of the pool.
    runs
        The runs to check, together.
    checked
        The documents that this command listed, with their grades.
    calibration
        A file that `unjudged calibrate` wrote: how often unjudged documents are relevant, by rank. The
        interval holds without it too.
    prevalence
        The probability that an unjudged document is relevant, instead of --calibration. Default: 0.05.
    measure
        A sum over documents, such as P@10 or DCG@10, or nDCG@10. Default: RBP(p=0.8), or what the file
        records.
    budget
        About how many documents to judge in all. Default: 30, or what the file records.
    seed
        Another number gives another sample. Default: 0, or what the file records.
    confidence
        The confidence level of the interval.
    format
        The format of the result. By default the suffix of the output file decides, or else a table is
        printed.
    """
    if calibration is not None and prevalence is not None:
        raise UsageError("--calibration has the prevalence by rank: omit --prevalence")
    if checked is None and format is not None:
        raise UsageError("--format is for the result; the documents to judge are listed as qrels")
    if checked is not None:
        check_output(format, output)
    named = inputs.runs(runs, "spot-check QRELS RUN...")
    drawn = Recorded.of(checked, measure, budget, seed)
    by_band = (
        Calibration.load(calibration) if calibration else (PREVALENCE if prevalence is None else prevalence,)
    )
    with progress("checking"):
        judgments = inputs.read(qrels)
        design = spot_check_design(
            judgments, named, by_band, drawn.measure, budget=drawn.budget, seed=drawn.seed
        )
        if checked is None:
            if not design.to_judge():
                raise UsageError("no document was drawn: choose a larger budget or another seed")
            show(f"# {drawn.comment()}\n{design.task()}", output)
            return
        with name_file_in_errors(checked):
            answers = merge(design.judgments, {"the check": checked})
        if undrawn := len(answers.undrawn):
            were = "was" if undrawn == 1 else "were"
            problem = f"{counted(undrawn, 'judged document')} {were} not drawn by this command"
            remedy = "give the same judgments, runs and options as when they were listed"
            raise InputError(f"{problem}: {remedy}", source=checked)
        estimated = estimate(
            answers.judgments, named, by_band, drawn.measure, before=judgments, confidence=confidence
        )
    show_grids(estimated.grid(), format, output)


class Recorded(NamedTuple):
    """How the documents of a check were drawn, as the file of them records it."""

    measure: str = "RBP(p=0.8)"
    budget: float = 30
    seed: int = 0

    def comment(self) -> str:
        """Return the comment of the file."""
        return f"{MARK}: seed {self.seed}, budget {self.budget:g}, measure {self.measure}"

    @classmethod
    def of(cls, file: str | None, measure: str | None, budget: float | None, seed: int | None) -> Recorded:
        """Return what the file records, else what was asked for; both must agree."""
        asked = {"measure": measure, "budget": budget, "seed": seed}
        given = {name: value for name, value in asked.items() if value is not None}
        if file is None:
            return cls(**given)  # type: ignore[arg-type]
        written = _COMMENT.search(read_small_text(file, "judgments of a spot check"))
        if written is None:
            return cls(**given)  # type: ignore[arg-type]
        recorded = cls(written[3], float(written[2]), int(written[1]))
        for name, value in given.items():
            if value != getattr(recorded, name):
                other = f"the file records {getattr(recorded, name)}: omit --{name}"
                raise UsageError(f"{file}: --{name} is {value}, and {other}")
        return recorded
