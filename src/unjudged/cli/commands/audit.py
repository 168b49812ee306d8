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
from unjudged.cli.files import reads
from unjudged.cli.options import DECIMAL_PLACES, FORMAT, MEASURE, OUTPUT, SEED, SET, VERBOSE
from unjudged.cli.output import form_of, show_all
from unjudged.cli.sources import opened
from unjudged.cli.standard_streams import progress
from unjudged.collection.finding import description_of
from unjudged.evaluation.collection import Collection, file_name

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given

USAGE = "[PEOPLE JUDGE... RUN... | SOURCE...]"
OPTIONS = (MEASURE, SET, SEED, FORMAT, OUTPUT, DECIMAL_PLACES, VERBOSE)
PREDICTED = "predictions."
TREC_QRELS = (4, 5)


def run(given: Given) -> None:
    """Compare judges with people."""
    from unjudged.studies.auditing import audit

    form_of(given)
    own = dict(text.removeprefix(PREDICTED).split("=", 1) for text in given.set if text.startswith(PREDICTED))
    threshold = own.pop("threshold", None)
    words = given.words
    if words and os.path.isfile(words[0]) and description_of(words[0]) is None:
        reads(words)
        collection = _of_files(given, own)
    else:
        with opened(given) as collection:
            pass
    with progress("comparing"):
        cut = None if threshold is None else float(threshold)
        found = audit(collection, measures=given.measure, threshold=cut, seed=given.seed)
    show_all(found, given)


def _of_files(given: Given, own: dict[str, str]) -> Collection:
    """Return the collection of people's file, judges and runs."""
    from unjudged.predictions.predictions import Judges

    people, *others = given.words
    settings = [text for text in given.set if not text.startswith(PREDICTED)]
    if not others:
        raise UsageError(f"no judge given: {given.usage}")
    judges, runs = dict[str, str](), list[str]()
    for place, word in enumerate(others):
        name, equals, file = word.partition("=")
        if equals and not os.path.exists(word):
            judges[name] = file
        elif place == 0 or _holds_grades(word):
            judges[file_name(word) or "judge"] = word
        else:
            runs.append(word)
    kind = own.pop("kind", None)
    if own:
        raise UsageError(f"predictions.{next(iter(own))} is unknown here, expected kind or threshold")
    made = Collection(people, runs or None, predictions=Judges.of(judges, kind=kind).by_name)
    return made.override(*settings) if settings else made


def _holds_grades(file: str) -> bool:
    """Whether a file is judgments as TREC writes them."""
    if not os.path.isfile(file) or file.endswith((".gz", ".xz", ".zst")):
        return False
    with open(file, "rb") as stream:
        lines = (line.split() for line in stream if not line.startswith(b"#"))
        return len(next((line for line in lines if line), [])) in TREC_QRELS
