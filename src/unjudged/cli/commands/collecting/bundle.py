"""`unjudged bundle`: a collection in one folder, to publish."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

from unjudged.base.errors import AssumptionWarning
from unjudged.cli.commands import COLLECT, command
from unjudged.cli.options.arguments import (
    File,
    Groups,
    InputFile,
    Load,
    OneMeasure,
    Output,
    OutputFormat,
    PoolDepth,
    read_groups,
)
from unjudged.cli.options.input_options import JudgmentOptions
from unjudged.cli.options.judging_folder import write_new
from unjudged.cli.options.option import Option
from unjudged.cli.shell.output import check_output, show_grids
from unjudged.cli.shell.standard_streams import reading
from unjudged.evaluation.collection import judged_rankings
from unjudged.grids.grid import grid_of
from unjudged.measures.kernel.estimand import LEAVING_OUT, refused_use
from unjudged.measures.kernel.names import parse_measure


@command("bundle", COLLECT, 8, "FOLDER QRELS [RUN...]", "Make a folder to publish a collection.")
def bundle(
    folder: Annotated[Path, Option(writes=True, made=True)],
    qrels: File,
    /,
    *runs: File,
    name: str | None = None,
    authors: str | None = None,
    year: int | None = None,
    design: InputFile = None,
    assignment: InputFile = None,
    calibration: InputFile = None,
    measure: OneMeasure = "AP",
    _load: Load = None,
    depth: PoolDepth = 100,
    groups: Groups = None,
    inputs: JudgmentOptions = JudgmentOptions(),
    format: OutputFormat = None,
    output: Output = None,
) -> None:
    """Make a folder to publish a collection: judgments, how they were made, hashes, and a page about them.

    README.md is written from the data: what was judged how, what can be estimated, and how fair the judgments
    are to new runs, if the pooled runs are given. Names of assessors become numbers. Later, every command
    takes the folder in place of judgments, a design or a calibration, and refuses files that were changed.

    Parameters
    ----------
    folder
        The folder to make. Files with other content are not replaced.
    qrels
        The judgments.
    runs
        The pooled runs, two or more: each group is left out to say how reusable the judgments are.
    name
        The name of the collection. Default: that of the folder.
    authors
        Who made it, for the citation, as in BibTeX: Ann Smith and Bob Jones.
    year
        The year of the citation.
    design
        The design file of `unjudged sample --to-judge`.
    assignment
        The assignment.tsv of `unjudged sample --to-judge`.
    calibration
        The file of `unjudged calibrate`, made from these judgments.
    measure
        The measure by which runs are left out.
    """
    from unjudged.formats.bundles import MANIFEST
    from unjudged.judging.collecting.assignment import read_assignment
    from unjudged.judging.collecting.bundle import Bundle
    from unjudged.judging.collecting.sample_file import read_sample
    from unjudged.judging.pooling.contributions import reusability
    from unjudged.judging.pooling.pool import Pool
    from unjudged.uncertainty.calibration import Calibration

    check_output(format, output)
    judgments, left_out = inputs.read_judged(qrels), None
    if runs:
        named = inputs.runs(runs, "bundle FOLDER QRELS RUN RUN...", least=2)
        of_group = read_groups(groups, named) if groups else None
        refusal = refused_use(judgments, LEAVING_OUT)
        if refusal is not None and not parse_measure(measure).traits.estimates:
            warnings.warn(AssumptionWarning(f"Reusability is not measured: {refusal}."), stacklevel=2)
        else:
            with reading(len(named)) as on_read:
                pool = Pool(judgments, judged_rankings(judgments, named, on_read=on_read), list(named))
            left_out = reusability(pool, measure, depth=depth, groups=of_group)
    made = Bundle(
        name=name or folder.name,
        judgments=judgments,
        design=read_sample(design) if design else None,
        assignment=read_assignment(assignment) if assignment else None,
        calibration=Calibration.load(calibration) if calibration else None,
        reusability=left_out,
        authors=authors or "",
        year=year,
    )
    texts = made.texts()
    write_new(folder, texts)
    listed = [[file, len(text.encode())] for file, text in texts.items() if file != MANIFEST]
    show_grids(grid_of(("file", "bytes"), listed), format, output)
