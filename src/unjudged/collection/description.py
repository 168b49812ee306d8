"""What a collection consists of, as `collection.toml` describes it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from unjudged.base.choices import Conflicts, TestName, TiesName, shown
from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.wording import counted, meant
from unjudged.collection import description_keys as take
from unjudged.collection.description_keys import HERE, Place, Reads, keys_of, parsed
from unjudged.data.nested_dicts import DATASET
from unjudged.data.sources import FILE, FileWithColumns, kind_of_source
from unjudged.data.streams import name_file_in_errors, read_small_text

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "collection.toml"
LARGEST = 1 << 20
PEOPLE, MODEL = "people", "model"
STATED = ("sample", "sample per query")
"""How labels were drawn: every pair of query and document alike, or so many documents of each query."""
Made = TypeVar("Made")


def one_table(cls: type[Any]) -> Reads:
    """Take a table with the keys of a class."""
    return lambda value, place: read_table(cls, value, place)


def tables(cls: type[Any]) -> Reads:
    """Take one table or a list of them."""

    def read(value: Any, place: Place) -> tuple[Any, ...]:
        if isinstance(value, list):
            return tuple(read_table(cls, one, place.at(k)) for k, one in enumerate(value))
        return (read_table(cls, value, place),)

    return read


@dataclass(repr=False)  # not frozen: that takes longer than to read a few documents
class Labels:
    """One source of judgments: who made them, and how."""

    file: Annotated[Any, take.a_file] = None
    by: Annotated[str, take.one_of(PEOPLE, MODEL)] = PEOPLE
    name: Annotated[str, take.a_text] = ""
    how: Annotated[str | None, take.one_of("pool", *STATED, "chosen", "positives", "unknown")] = None
    depth: Annotated[int | None, take.a_rank] = None
    pooled: Annotated[tuple[str, ...], take.some_texts] = ()
    calibration: Annotated[Any, take.a_file] = None
    conflicts: Annotated[Conflicts | None, take.one_of(*get_args(Conflicts))] = None
    columns: Annotated[Mapping[str, str] | None, take.COLUMNS] = None
    place: Place = field(default=HERE, repr=False, compare=False)

    @property
    def source(self) -> Any:
        """The file with its columns, or what holds the same."""
        return FileWithColumns.of(self.file, self.columns) if self.columns else self.file

    @property
    def is_stated(self) -> bool:
        """Whether it is said how the documents were judged."""
        return (self.how, self.depth) != (None, None)


@dataclass(repr=False)
class ScoreTable:
    """Scores by query that any tool computed."""

    file: Annotated[Any, take.some_files] = None
    measures: Annotated[tuple[str, ...] | None, take.some_texts] = None
    lower: Annotated[tuple[str, ...] | None, take.some_texts] = None
    higher: Annotated[tuple[str, ...] | None, take.some_texts] = None
    missing: Annotated[str, take.one_of("range", "zero", "drop")] = "range"
    wide: Annotated[str | None, take.one_of("systems", "measures")] = None
    range: Annotated[tuple[float, float] | None, take.a_range] = None
    columns: Annotated[Mapping[str, str] | None, take.COLUMNS] = None
    place: Place = field(default=HERE, repr=False, compare=False)


@dataclass(frozen=True, repr=False)
class Defaults:
    """What a question takes that names nothing else."""

    measures: Annotated[tuple[str, ...] | None, take.some_texts] = None
    baseline: Annotated[str | None, take.a_text] = None
    margin: Annotated[Any, take.a_margin] = None
    test: Annotated[TestName | None, take.one_of(*get_args(TestName))] = None
    alpha: Annotated[float | None, take.a_number(0, 1, above=True)] = None
    place: Place = field(default=HERE, repr=False, compare=False)


@dataclass(frozen=True, repr=False)
class Choices:
    """What could have been chosen as well, when two systems are compared under every choice."""

    measures: Annotated[tuple[str, ...], take.some_texts] = ("nDCG", "AP", "RR", "RBP")
    cutoffs: Annotated[tuple[int, ...], take.some(take.a_rank, "ranks, such as [5, 10, 20]")] = (5, 10, 20)
    relevant: Annotated[tuple[float, ...], take.some(take.a_number(0), "grades, such as [1, 2]")] = (1, 2)
    unjudged: Annotated[tuple[str, ...], take.some(take.one_of("nonrelevant", "condensed"), "words")] = (
        "nonrelevant",
        "condensed",
    )
    place: Place = field(default=HERE, repr=False, compare=False)


@dataclass(repr=False)  # as the labels
class Description:
    """The keys of a description; all that it names may be a file, and in Python what holds the same."""

    name: Annotated[str, take.a_text] = ""
    queries: Annotated[Any, take.a_file] = None
    documents: Annotated[Any, take.a_file] = None
    stale: Annotated[str, take.one_of("drop", "keep")] = "drop"
    relevant: Annotated[float | None, take.a_number(0)] = None
    segments: Annotated[Any, take.a_file] = None
    clusters: Annotated[Any, take.a_file] = None
    code: Annotated[str | None, take.a_file] = None
    ties: Annotated[TiesName, take.one_of(*get_args(TiesName))] = "order"
    columns: Annotated[Mapping[str, str] | None, take.COLUMNS] = None
    groups: Annotated[Any, take.a_pattern] = None
    judgments: Annotated[tuple[Labels, ...], tables(Labels)] = ()
    runs: Annotated[Any, take.some_runs] = ()
    scores: Annotated[ScoreTable | None, one_table(ScoreTable)] = None
    defaults: Annotated[Defaults, one_table(Defaults)] = Defaults()
    choices: Annotated[Choices, one_table(Choices)] = Choices()
    place: Place = field(default=HERE, repr=False, compare=False)
    found: bool = False
    """Whether a search found the file: nobody named it, so that no code of it is run."""

    @property
    def labels(self) -> Labels:
        """What is said of the judgments, the first of several."""
        return self.judgments[0] if self.judgments else Labels()

    @classmethod
    def read(cls, file: str | os.PathLike[str], *, found: bool = False) -> Description:
        """Read a file; names of files in it are relative to it."""
        text = read_small_text(file, "a description of a collection", LARGEST)
        return replace(cls.of_text(text, os.fspath(file)), found=found)

    @classmethod
    def of_text(cls, text: str, file: str) -> Description:
        """Return what a text describes that is, or will be, in a file."""
        text = text.replace("\r\n", "\n")
        with name_file_in_errors(file):
            given = parsed(text)
        made: Description = read_table(cls, given, Place(file, text))
        return made.checked()

    def override(self, *settings: str) -> Description:
        """Return the same with other values, from texts such as `relevant=2` or `defaults.baseline=bm25`."""
        made = self
        for setting in settings:
            name, equals, value = (part.strip() for part in setting.partition("="))
            *outer, last = keys_of(name) or ("",)
            if not equals or not last:
                raise UsageError(f"{quoted(setting)} sets nothing, expected KEY=VALUE such as relevant=2")
            try:
                given = parsed(f"value = {value}")
            except InputError:  # a text without quotes
                given = {}
            tree: dict[str, Any] = {last: given["value"] if len(given) == 1 else value}
            for one in reversed(outer):
                tree = {one: tree}
            made = made.changed(tree)
        return made

    def changed(self, given: Mapping[str, Any]) -> Description:
        """Return the same with other values of some keys; tables keep what is not given."""
        return _changed(self, given).checked()

    def checked(self) -> Description:
        """Refuse what does not go together."""
        for labels in self.judgments:
            if labels.file is None:
                raise labels.place.error("has no file: say which with file = ...")
            for own in ("how", "depth", "pooled", "calibration", "conflicts"):
                if labels.by == MODEL and getattr(labels, own):
                    raise labels.place.at(own).error("is about judgments by people: omit it")
        if self.scores is not None and self.scores.file is None:
            raise self.scores.place.error("has no file: say which with file = ...")
        if self.scores is not None and self.judgments:
            raise self.scores.place.error(
                "and judgments cannot be used together yet: describe each in a file"
            )
        return self


@cache
def keys_of_class(cls: type[Any]) -> dict[str, Reads]:
    """Return what reads the value of each key."""
    hints = get_type_hints(cls, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items() if get_origin(hint) is Annotated}


def read_table(cls: type[Made], given: Any, place: Place) -> Made:
    """Return the values of a table by the keys of a class; what is not known or not right is an error."""
    known = keys_of_class(cls)  # type: ignore[arg-type]
    if not isinstance(given, Mapping):
        raise place.error(f"is {shown(given)}, expected a table with {', '.join(known)}")
    values = {}
    for name, value in given.items():
        own = place.at(name)
        if name not in known:
            whose = f" of {place.path[0]}" if place.path else ""
            near = meant(name, known)
            raise own.error(f"is not a key{whose}{near or ', expected one of ' + ', '.join(known)}")
        values[name] = take.read_value(known[name], value, own)
    return cls(**values, place=place)  # type: ignore[call-arg]


def _changed(made: Made, given: Mapping[str, Any], place: Place = HERE) -> Made:
    """Return the same with these values in place of those that it has; tables keep their other keys."""
    new = read_table(type(made), given, place)
    changes: dict[str, Any] = {}
    for name, value in given.items():
        old, changes[name] = getattr(made, name), getattr(new, name)
        if name == "judgments":
            people = [one for one in old if len(old) == 1 or one.by != MODEL]
            if len(people) != 1 or not isinstance(value, Mapping):
                raise place.at(name).error(
                    f"are of {counted(len(people), 'file')}: change them in the description"
                )
            (own,) = people
            changed = _changed(own, value, place.at(name))
            changes[name] = tuple(changed if one is own else one for one in old)
        elif is_dataclass(old):
            changes[name] = _changed(old, value, place.at(name))
        elif isinstance(old, dict) and isinstance(value, Mapping):
            changes[name] = {**old, **changes[name]}
    return replace(made, **changes)  # type: ignore[type-var]


BEIR = os.path.join("qrels", "test.tsv")


def description_of(source: Any) -> Description | None:
    """Return the description that a name stands for: a file, a folder, or a dataset; None for all else.

    A folder has a description, or files as BEIR names them.
    """
    if kind_of_source(source) != FILE:
        return None
    name = os.fspath(source)
    if name.startswith(DATASET):
        return Description(judgments=(Labels(name),), queries=name, documents=name)
    if name.endswith(".toml"):
        return Description.read(name)
    inside = {one: os.path.join(name, one) for one in (FILE_NAME, BEIR, "queries.jsonl", "corpus.jsonl")}
    known = {one: file for one, file in inside.items() if os.path.isfile(file)}
    if FILE_NAME in known:
        return Description.read(known[FILE_NAME])
    if BEIR not in known:
        return None
    return Description(
        os.path.basename(os.path.abspath(name)),
        known.get("queries.jsonl"),
        known.get("corpus.jsonl"),
        judgments=(Labels(known[BEIR]),),
    )


def description_above(folder: str | os.PathLike[str] = ".") -> Description | None:
    """Return the description of a folder or of one above it, up to the root of the repository or home.

    Where neither is above the folder, only the folder itself is looked at: folders further up are not ours.
    """
    from pathlib import Path

    start = Path(folder).resolve()
    upward = [start, *start.parents]
    last = next((k for k, one in enumerate(upward) if (one / ".git").exists() or one == _home()), 0)
    for one in upward[: last + 1]:
        if (one / FILE_NAME).is_file():
            return Description.read(os.path.relpath(one / FILE_NAME), found=True)
    return None


def _home() -> Path | None:
    """Return the home folder, above which no description is looked for."""
    from pathlib import Path

    try:
        return Path.home().resolve()
    except RuntimeError:  # nobody's process
        return None
