"""Commands that study judgments: of other judges, and of fewer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from unjudged.base.errors import UsageError
from unjudged.base.threads import cores
from unjudged.cli.opening import opened, threshold_of
from unjudged.cli.options import Option, a_measure, command
from unjudged.cli.output import form_of, show_figure, show_result
from unjudged.cli.standard_streams import progress
from unjudged.collection.description import description_of
from unjudged.rankings.runs import file_name

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given


@command("audit", "[PEOPLE JUDGE... RUN... | SOURCE...]", "measure set seed format output decimals")
def audit(given: Given) -> None:
    """Compare a model, or a second person, with people's judgments: on documents, and on runs.

    Sources are people's judgments, then judges (grades as judgments, or probabilities as a run), then runs.
    The first file after people's is a judge, and so are further files of judgments and NAME=FILE. Of a
    description the judgments by people are compared with those by models.

        unjudged audit people.qrels model.qrels
        unjudged audit people.qrels llama=llama.qrels bob=bob.qrels *.run -m nDCG@10
        unjudged audit collection.toml --set relevant=2 -o audit.json
    """
    from unjudged.studies.auditing import audit

    form_of(given)
    given.words = _with_judge(given.words)
    with opened(given) as collection:
        pass
    options = {"threshold": threshold_of(collection, given.set), "seed": given.seed}
    with progress("comparing"):
        found = audit(collection, measures=given.measure, **options)
    show_result(found, given)


def _with_judge(words: list[str]) -> list[str]:
    """Return the words with the name of the first judge: of files it is the one after people's."""
    if not words or description_of(words[0]) is not None or not all(map(os.path.isfile, words[:2])):
        return words
    if len(words) < 2:
        raise UsageError(f"no judge given beside {words[0]}")
    return [words[0], f"{file_name(words[1])}={words[1]}", *words[2:]]


DESIGN = Option(
    "-d",
    "--design",
    known="judging.designs.DESIGNS",
    default="uniform",
    help="What is judged, with levels. Such as uniform(5%, 30%) of the judged documents; pool(5, 10), the "
    "first documents of every run; mixed(5), that pool and as many drawn from the rest; stratified(10%, "
    "top=10), the pool to depth 10 and a share of the rest. Also repeats=10; with redraw=False, samples "
    "without a relevant document are kept.",
)
AGAINST = Option(
    "--against",
    type=a_measure,
    metavar="MEASURE",
    help="The measure whose values are to be estimated. By default each measure's own target: AP of infAP, "
    "nDCG@10 of itself.",
)


@command("experiment", "[SOURCE...]", "measure set", DESIGN, AGAINST, "seed format output plot")
def experiment(given: Given) -> None:
    """Find out how few judgments would have been enough: judge less, and compare with the actual values.

    For each level and repeat of a design, every run's mean by each measure is compared with its value under
    all judgments: Kendall's tau, tau_AP, linear correlation, RMS error and bias, with their means and
    standard deviations over the repeats. The table names what a measure is compared with.

        unjudged experiment qrels.txt *.run -d "uniform(10%, 30%)"
        unjudged experiment qrels.txt *.run -d "pool(5, 10)" -m AP infAP --against AP
        unjudged experiment qrels.txt *.run -d "stratified(30%, top=5)" --plot a.svg
    """
    from unjudged.studies.experimenting import experiment

    form_of(given)
    with opened(given) as collection, progress("judging less") as on_step:
        options = {"against": given.against, "seed": given.seed, "workers": cores(), "on_step": on_step}
        found = experiment(collection, None, given.design, given.measure, **options)
    show_result(found, given)
    if given.plot is not None:
        from unjudged.report.experiment_figures import curves, scatter

        show_figure(curves(found) if len(found.source.levels) > 1 else scatter(found), given.plot)
