"""Find out how few judgments would have been enough: judge less, and compare with the actual values.

For each level and repeat of a design, every run's mean by each measure is compared with its value under all
judgments: Kendall's tau, tau_AP, linear correlation, RMS error and bias, with their means and standard
deviations over the repeats. The table names what a measure is compared with.

    unjudged experiment qrels.txt *.run -d "uniform(10%, 30%)"
    unjudged experiment qrels.txt *.run -d "pool(5, 10)" -m AP infAP --against AP
    unjudged experiment qrels.txt *.run -d "stratified(30%, top=5)" --plot a.svg
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unjudged.base.threads import cores
from unjudged.cli.opening import opened
from unjudged.cli.options import Option, a_measure, options
from unjudged.cli.output import form_of, show_figure, show_result
from unjudged.cli.standard_streams import progress

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given

USAGE = "[SOURCE...]"
DESIGN = Option(
    "-d",
    "--design",
    known="judging.designs.DESIGNS",
    default="uniform",
    help="What is judged, with levels. Such as uniform(5%, 30%) of the judged documents; pool(5, 10), the "
    "first documents of every run; mixed(5), that pool and as many drawn from the rest; stratified(10%, "
    "top=10), the pool to depth 10 and a share of the rest. Also repeats=10; with redraw=False, samples "
    "without a relevant document are kept. The default levels are those of Yilmaz and Aslam (2008).",
)
AGAINST = Option(
    "--against",
    type=a_measure,
    metavar="MEASURE",
    help="The measure whose values are to be estimated. By default each measure's own target: AP of infAP, "
    "nDCG@10 of itself.",
)
OPTIONS = options("measure set", DESIGN, AGAINST, "seed format output plot")


def run(given: Given) -> None:
    """Judge less, and show how well the runs are still told apart."""
    from unjudged.studies.experimenting import experiment

    form_of(given)
    with opened(given) as collection, progress("judging less") as on_step:
        options = {"against": given.against, "seed": given.seed, "workers": cores(), "on_step": on_step}
        found = experiment(collection, None, given.design, given.measure, **options)
    show_result(found, given)
    if given.plot is not None:
        from unjudged.report.experiment_figures import curves, scatter

        show_figure(curves(found) if len(found.source.levels) > 1 else scatter(found), given.plot)
