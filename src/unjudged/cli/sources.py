"""What the words of a command line name: a collection, or several by name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unjudged.base.choices import check_parameters
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import meant
from unjudged.cli.files import reads
from unjudged.cli.standard_streams import reading, warn
from unjudged.collection.description import Description, Labels, ScoreTable
from unjudged.collection.finding import description_above, description_of
from unjudged.data import streams
from unjudged.data.named_columns import is_number
from unjudged.data.sources import expanded
from unjudged.data.streams import name_file_in_errors
from unjudged.evaluation.collection import Collection

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given

JUDGED_AND_RUNS = re.compile(r"(irds:[^:]+|(?:[A-Za-z]:[\\/])?[^:]+):(.+)")
"""Judgments, a colon and runs; a letter, a colon and a slash begin a path of Windows."""
TREC = (4, 5, 6)
"""Fields of a line of judgments or of a run."""
START = 1 << 12
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


def collections_of_words(words: Sequence[str], settings: Sequence[str], usage: str) -> dict[str, Collection]:
    """Return several collections by name, each a description, QRELS:RUN,RUN, or a table of scores."""
    found: dict[str, Collection] = {}
    for word in words:
        name, _, source = word.partition("=")
        if not name or not source:
            raise UsageError(f"{word!r} is not a collection, expected NAME=SOURCE or NAME=QRELS:RUN,RUN")
        if name in found:
            raise UsageError(f"collection {name!r} is given twice")
        parts = (
            None if description_of(source) or os.path.exists(source) else JUDGED_AND_RUNS.fullmatch(source)
        )
        own = [source] if parts is None else [parts[1], *parts[2].split(",")]
        found[name] = collection_of_words(own, settings, usage)
    return found


def collection_of_words(words: Sequence[str], settings: Sequence[str], usage: str) -> Collection:
    """Return the collection that words name, with other values of some keys of its description."""
    reads(word for word in words if not word or _is_source(word))
    described, runs = _described(words, settings, usage)
    described = described.override(*(text for text in settings if not text.startswith("predictions")))
    reads(_files(described))
    return Collection(described, runs or None, predictions=_predictions(settings))


def _predictions(settings: Sequence[str]) -> Any:
    """Return what `predictions=FILE` or `predictions=NAME=FILE` names, as `predictions.kind` says."""
    files = [text.partition("=")[2] for text in settings if text.startswith("predictions=")]
    kind = [text.partition("=")[2] for text in settings if text.startswith("predictions.kind=")]
    if not files:
        return None
    from unjudged.predictions.predictions import Judges

    named = dict(file.partition("=")[::2] for file in files if "=" in file and not os.path.exists(file))
    reads(named.values() or files)
    if len(files) > max(len(named), 1):
        raise UsageError("several predictions need names of their own: predictions=NAME=FILE for each")
    return Judges.of(named or files[0], kind=kind[-1] if kind else None).by_name


def predicting(collection: Collection, settings: Sequence[str]) -> dict[str, Any]:
    """Return what is predicted, and how it is used, by `predictions.threshold` and `predictions.outside`."""
    own = dict(
        text.removeprefix("predictions.").partition("=")[::2] for text in settings if text[:12] == PREDICTED
    )
    own.pop("kind", None)
    check_parameters("predictions", own, ["kind", "outside", "threshold"])
    if own and not collection.predictions:
        raise UsageError(f"predictions.{next(iter(own))} needs predictions: --set predictions=FILE")
    threshold = own.pop("threshold", None)
    known = {} if threshold is None else {"threshold": float(threshold)}
    return {"predictions": collection.predictions or None, **own, **known}


def _described(
    words: Sequence[str], settings: Sequence[str], usage: str
) -> tuple[Description, list[str] | None]:
    """Return what is described, and the words that name runs or systems of it."""
    if not words or not _is_source(words[0]):
        found = description_above()
        if found is None and words:
            folder = Path(words[0]).parent
            near = meant(words[0], map(str, folder.iterdir()) if folder.is_dir() else ())
            raise InputError(f"no such file{near}", source=words[0])
        if found is None:
            raise UsageError(f"no file is given, and there is no collection.toml here or above: {usage}")
        warn(f"Using {found.place.file}.")
        return found, list(words) or None
    described = description_of(words[0])
    if described is not None:
        return described, list(words[1:]) or None
    if _are_tables(words[0], settings):
        others = [word for word in words[1:] if not _is_source(word)]
        tables = [file for word in words if word not in others for file in expanded(word)]
        return Description(scores=ScoreTable(tuple(tables))), others or None
    if all(_is_run(word) for word in words):
        return Description(runs=list(words)), None  # one can ask what to judge of them
    if len(words) < 2:
        raise UsageError(f"no run given: {usage}")
    return Description(judgments=(Labels(words[0]),), runs=list(words[1:])), None


def _is_source(word: str) -> bool:
    """Whether a word is a file, a folder, a pattern, a dataset or standard input, and no name of a run."""
    special = word == "-" or word.startswith("irds:") or bool({*word} & {*"*?[/"}) or word.endswith(".toml")
    return special or os.path.exists(word)


def _is_run(word: str) -> bool:
    """Whether the first line of a file is one of a run of TREC."""
    fields = _first_fields(word)
    return len(fields) == max(TREC) and is_number(fields[4].decode("utf-8", "replace"))


def _first_fields(word: str) -> list[bytes]:
    """Return the fields of the first line of a file that is no comment."""
    file = expanded(word)[0]
    if not os.path.isfile(file):
        return []
    with name_file_in_errors(file), streams.opened(file) as stream:
        start = stream.read(START) or b""
    lines = (line.split() for line in start.splitlines() if not line.startswith(b"#"))
    return next((line for line in lines if line), [])


def _are_tables(word: str, settings: Sequence[str]) -> bool:
    """Whether a file is a table of scores: as settings say, or by what it holds.

    TREC's judgments are known by their first line.
    """
    file = expanded(word)[0]
    if not os.path.isfile(file) or any(text.startswith("judgments.") for text in settings):
        return False
    if any(text.startswith("scores.") for text in settings):
        return True
    fields = _first_fields(file)
    if len(fields) in TREC and is_number(fields[4 if len(fields) == 6 else 3].decode("utf-8", "replace")):
        return False
    from unjudged.diagnosis.recognised_files import holds_scores

    return holds_scores(file)


def _files(value: Any) -> Iterator[str]:
    """Yield the texts in a description that are files; of FILE:COLUMN the file."""
    if isinstance(value, str):
        for text in (value, value.rpartition(":")[0]):
            if text and (os.path.exists(text) or {*text} & {*"*?["}):
                yield text
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _files(one)
    elif isinstance(value, dict):
        yield from _files(list(value.values()))
    elif hasattr(value, "__dataclass_fields__"):
        yield from _files([getattr(value, name) for name in value.__dataclass_fields__])
