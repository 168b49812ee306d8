"""Commands that study judgments: of other judges, and of fewer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from unjudged.base.errors import UsageError
from unjudged.base.threads import cores
from unjudged.cli.opening import how_predicted, kind_of, opened
from unjudged.cli.options import Option, a_measure, command, reads
from unjudged.cli.output import form_of, show_figure, show_result
from unjudged.cli.standard_streams import progress
from unjudged.collection.collection import Collection
from unjudged.collection.description import description_of
from unjudged.diagnosis.kinds import JUDGMENTS
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
    how = how_predicted(given.set)
    if given.words and os.path.isfile(given.words[0]) and description_of(given.words[0]) is None:
        collection = _of_files(given, how.get("kind"))
    else:
        with opened(given) as collection:
            pass
    with progress("comparing"):
        found = audit(collection, measures=given.measure, threshold=how.get("threshold"), seed=given.seed)
    show_result(found, given)


def _of_files(given: Given, kind: str | None) -> Collection:
    """Return the collection of people's file, judges and runs."""
    from unjudged.predictions.judges import Judges

    reads(given.words)
    people, *others = given.words
    if not others:
        raise UsageError(f"no judge given: {given.usage}")
    judges, runs = dict[str, str](), list[str]()
    for place, word in enumerate(others):
        name, equals, file = word.partition("=")
        if equals and not os.path.exists(word):
            judges[name] = file
        elif place == 0 or kind_of(word) == JUDGMENTS:
            judges[file_name(word) or "judge"] = word
        else:
            runs.append(word)
    settings = [text for text in given.set if not text.startswith("predictions.")]
    made = Collection(people, runs or None, predictions=Judges.of(judges, kind=kind).by_name)
    return made.override(*settings) if settings else made


DESIGN = Option(
    "-d",
    "--design",
    known="judging.designs.DESIGNS",
    default="uniform",
    help="What is judged, with levels. Such as uniform(5%, 30%) of the judged documents; pool(5, 10), the "
    "first documents of every run; mixed(5), that pool and as many drawn from the rest; stratified(10%, "
    "top=10), the pool to depth 10 and a share of the rest. Also repeats=10; with redraw=False, samples "
    "without a relevant document are kept. The default levels are from Yilmaz and Aslam (2008).",
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
