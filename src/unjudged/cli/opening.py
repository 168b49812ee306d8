"""What the words of a command line name: a collection, or several by name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from unjudged.base.choices import check_parameters
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import meant
from unjudged.cli.options import reads
from unjudged.cli.output import reading, warn
from unjudged.collection.collection import Collection
from unjudged.collection.description import (
    FILE_NAME,
    Description,
    Labels,
    ScoreTable,
    description_above,
    description_of,
)
from unjudged.data.sources import expanded
from unjudged.diagnosis.kinds import DESIGN, JUDGMENTS, RUN, SCORES, judge_in, kind_of_file
from unjudged.rankings.runs import file_name

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given

PREDICTED = "predictions."


@contextmanager
def opened(given: Given) -> Iterator[Collection]:
    """Yield the collection that the words name; a bar shows that runs are read if that takes long."""
    collection = collection_of_words(given.words, given.set, given.usage)
    with reading(len(collection.runs)) as on_read:
        yield collection.changed(on_read=on_read)


def are_several(words: Sequence[str]) -> bool:
    """Whether the words name several collections."""
    return bool(words) and all("=" in word and not os.path.exists(word) for word in words)


def collections_of_words(given: Given) -> dict[str, Collection]:
    """Return several collections by name, each a description or a table of scores."""
    found: dict[str, Collection] = {}
    for word in given.words:
        name, _, source = word.partition("=")
        if not name or not source:
            raise UsageError(f"{word!r} is not a collection, expected NAME=SOURCE")
        if name in found:
            raise UsageError(f"collection {name!r} is given twice")
        found[name] = collection_of_words([source], given.set, given.usage)
    return found


def collection_of_words(words: Sequence[str], settings: Sequence[str], usage: str) -> Collection:
    """Return the collection that words name, with other values of some keys of its description."""
    judges, others = judges_in(words)
    reads([word for word in others if not word or _is_source(word)] + [*judges.values()])
    described, runs = _described(others, settings, usage, alone=bool(judges))
    if own := [text for text in settings if not text.startswith(PREDICTED)]:
        described = described.override(*own)
    reads(files_in(described))
    predictions = None
    if judges:
        from unjudged.evidence.drawn.judges import Judges

        predictions = Judges.of(judges, kind=how_predicted(settings).get("kind")).by_name
    return Collection(described, runs or None, predictions=predictions)


def judges_in(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return judges by name, and the other words: NAME=FILE, and judgments that follow people's at once."""
    judges, others = dict[str, str](), list[str]()
    for word in words:
        judge = judge_in(word)
        if judge is None and len(others) == 1 and ".run" not in word:
            both = kind_of_word(others[0]) in (JUDGMENTS, DESIGN) and kind_of_word(word) == JUDGMENTS
            judge = (str(file_name(word)), word) if both else None
        if judge is None:
            others.append(word)
        elif judge[0] in judges:
            raise UsageError(f"two judges are called {judge[0]}: give one another name, as in b={judge[1]}")
        else:
            judges |= [judge]
    return judges, others


def how_predicted(settings: Sequence[str]) -> dict[str, Any]:
    """Return how predictions are used, from settings such as `predictions.threshold=0.5`."""
    own = [text.partition("=") for text in settings if text.startswith(PREDICTED)]
    how: dict[str, Any] = {name.removeprefix(PREDICTED): value for name, _, value in own}
    check_parameters(PREDICTED.strip("."), how, ["kind", "threshold"])
    if "threshold" in how:
        how["threshold"] = float(how["threshold"])
    return how


def threshold_of(collection: Collection, settings: Sequence[str]) -> float | None:
    """Return the predicted score from which on a document counts as relevant."""
    how = how_predicted(settings)
    if how and not collection.predictions:
        raise UsageError(f"predictions.{next(iter(how))} needs a model's labels: give NAME=FILE")
    threshold: float | None = how.get("threshold")
    return threshold


def _described(
    words: Sequence[str], settings: Sequence[str], usage: str, *, alone: bool
) -> tuple[Description, list[str] | None]:
    """Return what is described, and the words that name runs or systems of it; judgments may be `alone`."""
    if not words or not _is_source(words[0]):
        return found_description(words, usage), list(words)
    described = description_of(words[0])
    if described is not None:
        return described, list(words[1:])
    kind = kind_of_word(words[0], settings)
    if kind == SCORES:
        systems = [word for word in words[1:] if not _is_source(word)]
        tables = [file for word in words if word not in systems for file in expanded(word)]
        return Description(scores=ScoreTable(tuple(tables))), systems
    if kind == RUN and all(kind_of_word(word) == kind for word in words[1:]):
        return Description(runs=list(words)), None  # one can ask what to judge of them
    if len(words) < 2 and not alone:
        if os.path.isdir(words[0]):
            where = os.path.join(words[0], FILE_NAME)
            raise InputError(
                f"a folder without {FILE_NAME}: `unjudged check FILE... -o {where}` writes it",
                source=words[0],
            )
        raise UsageError(f"no run given: {usage}")
    return Description(judgments=(Labels(words[0]),), runs=list(words[1:])), None


def found_description(words: Sequence[str], usage: str) -> Description:
    """Return the description of this folder or one above it."""
    found = description_above()
    if found is None and words:
        from pathlib import Path

        folder = Path(words[0]).parent
        near = meant(words[0], map(str, folder.iterdir()) if folder.is_dir() else ())
        raise InputError(f"no such file{near}", source=words[0])
    if found is None:
        raise UsageError(f"no file is given, and there is no collection.toml here or above: {usage}")
    reads([found.place.file])
    code = "" if found.code is None else ". Its code runs only if you name the file"
    warn(f"Using {found.place.file}{code}.")
    return found


def _is_source(word: str) -> bool:
    """Whether a word is a file, a folder, a pattern, a dataset or standard input, and no name of a run."""
    special = word == "-" or word.startswith("irds:") or bool({*word} & {*"*?[/"}) or word.endswith(".toml")
    return special or os.path.exists(word)


def kind_of_word(word: str, settings: Sequence[str] = ()) -> str:
    """Return the kind of the first file that a word names: as settings say, or by its start."""
    file = expanded(word)[0]
    if not os.path.isfile(file):
        return ""
    if any(text.startswith("scores.") for text in settings):
        return SCORES
    kind = kind_of_file(file)
    return "" if kind == SCORES and any(text.startswith("judgments.") for text in settings) else kind


def files_in(value: Any) -> Iterator[str]:
    """Yield the texts in a description that are files; of FILE:COLUMN the file."""
    if isinstance(value, str):
        for text in (value, value.rpartition(":")[0]):
            if text and (os.path.exists(text) or {*text} & {*"*?["}):
                yield text
    elif is_dataclass(value):
        yield from files_in([getattr(value, one.name) for one in fields(value) if one.name != "place"])
    elif isinstance(value, tuple | list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from files_in(one)
