"""`unjudged report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from unjudged.base.choices import CorrectOver
from unjudged.base.errors import UsageError
from unjudged.cli.arguments import (
    OUTPUT,
    Baseline,
    BoundsDepth,
    By,
    File,
    InputFile,
    Load,
    Measures,
    Rel,
    measures_with_rel,
)
from unjudged.cli.given_arguments import command_given
from unjudged.cli.input_options import JudgmentOptions
from unjudged.cli.output import show
from unjudged.cli.standard_streams import reading
from unjudged.cli.table_options import SignificanceOptions, TableOptions
from unjudged.evaluation.evaluation import fitting_measures
from unjudged.report.page.report_page import REPORT_MEASURES, TITLE, report_page
from unjudged.uncertainty.calibration import Calibration

PAGE_SUFFIXES = (".html", ".htm", "")


def report(
    qrels: File,
    /,
    *runs: File,
    output: Annotated[Path | None, OUTPUT],
    measures: Measures = None,
    _load: Load = None,
    rel: Rel = None,
    baseline: Baseline = None,
    pool_depth: BoundsDepth = None,
    calibration: InputFile = None,
    tests: SignificanceOptions = SignificanceOptions(),
    correct_over: CorrectOver = "pairs",
    inputs: JudgmentOptions = JudgmentOptions(),
    tables: TableOptions = TableOptions(),
    by: By = None,
    title: str = TITLE,
) -> None:
    """Write an evaluation as one HTML page that needs neither a network nor a server.

    The page shows who leads and what is open, the systems in their ranges, the headline of every pair, the
    differences and the rankings of each query, and where judgments are missing. With --scores the files are
    tables of scores by query that any tool computed: `unjudged report --scores TABLE... -o PAGE`.

    Parameters
    ----------
    qrels
        The judgments; with --scores a table of scores.
    runs
        One or more runs; with --scores further tables.
    output
        The file to write, such as page.html.
    measures
        A measure; may be repeated. The default is nDCG@10, AP and RBP(p=0.8), or from samples with strata
        or probabilities the measures that estimate from them.
    calibration
        A file that `unjudged calibrate` wrote: adds calibrated intervals.
    correct_over
        Which tests are corrected together: the pairs of each measure, or all pairs by all measures.
    title
        The title of the page.

    Examples
    --------
    unjudged report qrels.txt *.run -o page.html
    unjudged report qrels.txt *.run -m AP nDCG@10 --baseline lexical -o page.html
    unjudged report qrels.txt *.run --title "Six systems" -o page.html
    """
    needing = {"rel": rel, "calibration": calibration}
    from_tables = tables.check(inputs, **needing, pool_depth=pool_depth)
    named = {} if from_tables else inputs.runs(runs)
    if output is not None and output.suffix.lower() not in PAGE_SUFFIXES:
        raise UsageError(f"a report is a page of HTML: {output} must end in {PAGE_SUFFIXES[0]}")
    learnt = None if calibration is None else Calibration.load(calibration)
    compared = {"baseline": baseline, "correct_over": correct_over, **vars(tests)}
    made = command_given("--output", str(output or "-"))
    if from_tables:
        scores = tables.read([qrels, *runs], inputs, measures, by)
        shown = {"by": scores.segments or by, "title": title, "files": [qrels, *runs]}
        shown["command"] = made
        show(report_page(scores, **compared, **shown).html, output)  # type: ignore[arg-type]
        return
    judgments = inputs.read(qrels, fractions=True, or_scores=True)
    chosen = measures_with_rel(measures or fitting_measures(judgments, REPORT_MEASURES), rel)
    with reading(len(named)) as on_read:
        page = report_page(
            judgments,
            named,
            chosen,
            pool_depth=pool_depth,
            by=by,
            calibration=learnt,
            title=title,
            command=made,
            files=[qrels, *inputs.further],
            on_read=on_read,
            **compared,
        )
    show(page.html, output)
