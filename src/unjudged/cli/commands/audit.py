"""Compare a model, or a second person, with people's judgments: on documents, and on runs.

Sources are people's judgments, then judges (grades as judgments, or probabilities as a run), then runs. The
first file after people's is a judge, and so are further files of judgments and NAME=FILE. Of a description
the judgments by people are compared with those by models.

    unjudged audit people.qrels model.qrels
    unjudged audit people.qrels llama=llama.qrels bob=bob.qrels *.run -m nDCG@10
    unjudged audit collection.toml --set relevant=2 -o audit.json
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from unjudged.base.errors import UsageError
from unjudged.cli.opening import how_predicted, kind_of, opened
from unjudged.cli.options import options, reads
from unjudged.cli.output import form_of, show_result
from unjudged.cli.standard_streams import progress
from unjudged.collection.collection import Collection
from unjudged.collection.description import description_of
from unjudged.diagnosis.kinds import JUDGMENTS
from unjudged.rankings.runs import file_name

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given

USAGE = "[PEOPLE JUDGE... RUN... | SOURCE...]"
OPTIONS = options("measure set seed format output decimals")


def run(given: Given) -> None:
    """Compare judges with people."""
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
    from unjudged.predictions.predictions import Judges

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
