"""What a collection consists of, as `collection.toml` describes it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from unjudged.base.choices import Conflicts, TestName, TiesName, shown
from unjudged.base.errors import InputError, UnjudgedError, UsageError, quoted
from unjudged.base.wording import counted, meant
from unjudged.data.nested_dicts import DATASET
from unjudged.data.sources import FileWithColumns
from unjudged.data.streams import display_name, name_file_in_errors, read_small_text

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "collection.toml"
LARGEST = 1 << 20
HIGHEST = 1e300
PEOPLE, MODEL = "people", "model"
STATED = ("sample", "sample per query")
"""How labels were drawn: every pair of query and document alike, or so many documents of each query."""
Made = TypeVar("Made")


class Wrong(Exception):
    """A value is not what its key takes; the text completes "expected"."""


class Place(NamedTuple):
    """Where a value stands: in a file with this text, or nowhere if it was given in a call."""

    file: str = ""
    text: str = ""
    path: tuple[str | int, ...] = ()

    def at(self, *keys: str | int) -> Place:
        """Return a place further in."""
        return self._replace(path=(*self.path, *keys))

    def error(self, problem: str) -> UnjudgedError:
        """Return an error that names the key, and file and line if there is one."""
        key = ".".join(str(one) for one in self.path if isinstance(one, str))
        said = f"{key} {problem}" if key else problem
        if not self.file:
            return UsageError(said)
        from unjudged.collection.toml_text import line_of

        return InputError(said, source=display_name(self.file), line=line_of(self.text, self.path))

    def file_named(self, name: str) -> str:
        """Return a name as seen from here: names are relative to the file that has them."""
        if not self.file or name.startswith(DATASET):
            return name
        joined = os.path.join(os.path.dirname(self.file), name)
        return os.path.join(".", joined) if joined.startswith("-") else joined


HERE = Place()
Reads = Callable[[Any, Place], Any]
"""Return the value that a key has, or raise `Wrong`."""


def a_text(value: Any, _: Place) -> str:
    """Take a text that has something."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise Wrong("a text")
    return value


def a_file(value: Any, place: Place) -> Any:
    """Take the name of a file; in Python anything that holds the same."""
    return place.file_named(a_text(value, place)) if place.file or isinstance(value, str) else value


def a_pattern(value: Any, place: Place) -> Any:
    """Take a pattern, which has a bracket, or a file; in Python also a mapping."""
    return value if isinstance(value, str) and "(" in value else a_file(value, place)


def some_texts(value: Any, place: Place) -> tuple[str, ...]:
    """Take one text or several."""
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, list | tuple) or not several:
        raise Wrong("a text, or a list of texts")
    return tuple(a_text(one, place) for one in several)


def some(reads: Reads, what: str) -> Reads:
    """Take one value or a list of values that are read alike."""

    def read(value: Any, place: Place) -> tuple[Any, ...]:
        several = value if isinstance(value, list | tuple) else [value]
        if not several:
            raise Wrong(what)
        return tuple(_read(reads, one, place) for one in several)

    return read


def some_files(value: Any, place: Place) -> Any:
    """Take one file or several; in Python anything that holds the same."""
    if not place.file and not isinstance(value, str):
        return value
    return tuple(map(place.file_named, some_texts(value, place)))


def one_of(*choices: str) -> Reads:
    """Take one of these words."""

    def read(value: Any, _: Place) -> str:
        if isinstance(value, str) and value in choices:
            return value
        raise Wrong(f"one of {', '.join(choices)}{meant(value, choices)}")

    return read


def a_number(least: float = -HIGHEST, below: float = HIGHEST, *, above: bool = False) -> Reads:
    """Take a number of at least `least`, or `above` it, and below another."""
    limits = "" if least == -HIGHEST else f" above {least:g}" if above else f" of at least {least:g}"
    limits += "" if below == HIGHEST else f" and below {below:g}"

    def read(value: Any, _: Place) -> float:
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        if not plain or not least <= value < below or (above and value == least):
            raise Wrong(f"a number{limits}")
        return float(value)

    return read


def a_rank(value: Any, _: Place) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value < 1 << 31:
        raise Wrong("a whole number of at least 1")
    return value


def a_range(value: Any, place: Place) -> tuple[float, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise Wrong("two numbers, such as [0, 100]")
    low, high = (a_number()(one, place) for one in value)
    if low >= high:
        raise Wrong("the lower number first, such as [0, 100]")
    return low, high


def table_of(reads: Reads, what: str) -> Reads:
    """Take a table of values that are read alike."""

    def read(value: Any, place: Place) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise Wrong(what)
        return {str(name): _read(reads, one, place.at(str(name))) for name, one in value.items()}

    return read


def some_runs(value: Any, place: Place) -> Any:
    """Take files by name, or files and patterns; in Python any source of runs."""
    if isinstance(value, Mapping) and place.file:
        return table_of(a_file, "")(value, place)
    if place.file and not isinstance(value, str | list):
        raise Wrong('a table of files by name, or a list such as ["runs/*.run"]')
    return some_files(value, place)


def a_margin(value: Any, place: Place) -> Any:
    loss = a_number(0)
    if isinstance(value, Mapping):
        return table_of(loss, "")(value, place)
    try:
        return loss(value, place)
    except Wrong:
        raise Wrong('a number of at least 0, or a table such as { "nDCG@10" = 0.01 }') from None


COLUMNS = table_of(a_text, 'a table of columns by role, such as { query = "topic" }')


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


@dataclass(unsafe_hash=True)  # not frozen: that takes longer than to read a few documents
class Labels:
    """One source of judgments: who made them, and how."""

    file: Annotated[Any, a_file] = None
    by: Annotated[str, one_of(PEOPLE, MODEL)] = PEOPLE
    name: Annotated[str, a_text] = ""
    how: Annotated[str | None, one_of("pool", *STATED, "chosen", "positives", "unknown")] = None
    depth: Annotated[int | None, a_rank] = None
    pooled: Annotated[tuple[str, ...], some_texts] = ()
    calibration: Annotated[Any, a_file] = None
    conflicts: Annotated[Conflicts | None, one_of(*get_args(Conflicts))] = None
    columns: Annotated[Mapping[str, str] | None, COLUMNS] = None
    place: Place = field(default=HERE, repr=False, compare=False)

    @property
    def source(self) -> Any:
        """The file with its columns, or what holds the same."""
        return FileWithColumns.of(self.file, self.columns) if self.columns else self.file

    @property
    def is_stated(self) -> bool:
        """Whether it is said how the documents were judged."""
        return (self.how, self.depth) != (None, None)


@dataclass(frozen=True)
class ScoreTable:
    """Scores by query that any tool computed."""

    file: Annotated[Any, some_files] = None
    measures: Annotated[tuple[str, ...] | None, some_texts] = None
    lower: Annotated[tuple[str, ...] | None, some_texts] = None
    higher: Annotated[tuple[str, ...] | None, some_texts] = None
    missing: Annotated[str, one_of("range", "zero", "drop")] = "range"
    wide: Annotated[str | None, one_of("systems", "measures")] = None
    range: Annotated[tuple[float, float] | None, a_range] = None
    columns: Annotated[Mapping[str, str] | None, COLUMNS] = None
    place: Place = field(default=HERE, repr=False, compare=False)


@dataclass(frozen=True)
class Defaults:
    """What a question takes that names nothing else."""

    measures: Annotated[tuple[str, ...] | None, some_texts] = None
    baseline: Annotated[str | None, a_text] = None
    margin: Annotated[Any, a_margin] = None
    test: Annotated[TestName | None, one_of(*get_args(TestName))] = None
    alpha: Annotated[float | None, a_number(0, 1, above=True)] = None
    place: Place = field(default=HERE, repr=False, compare=False)


@dataclass(frozen=True)
class Choices:
    """What could have been chosen as well, when two systems are compared under every choice."""

    measures: Annotated[tuple[str, ...], some_texts] = ("nDCG", "AP", "RR", "RBP")
    cutoffs: Annotated[tuple[int, ...], some(a_rank, "ranks, such as [5, 10, 20]")] = (5, 10, 20)
    relevant: Annotated[tuple[float, ...], some(a_number(0), "grades, such as [1, 2]")] = (1, 2)
    unjudged: Annotated[tuple[str, ...], some(one_of("nonrelevant", "condensed"), "words")] = (
        "nonrelevant",
        "condensed",
    )
    place: Place = field(default=HERE, repr=False, compare=False)


@dataclass(unsafe_hash=True)  # as the labels
class Description:
    """The keys of a description; all that it names may be a file, and in Python what holds the same."""

    name: Annotated[str, a_text] = ""
    queries: Annotated[Any, a_file] = None
    documents: Annotated[Any, a_file] = None
    stale: Annotated[str, one_of("drop", "keep")] = "drop"
    relevant: Annotated[float | None, a_number(0)] = None
    segments: Annotated[Any, a_file] = None
    clusters: Annotated[Any, a_file] = None
    code: Annotated[str | None, a_file] = None
    ties: Annotated[TiesName, one_of(*get_args(TiesName))] = "order"
    columns: Annotated[Mapping[str, str] | None, COLUMNS] = None
    groups: Annotated[Any, a_pattern] = None
    judgments: Annotated[tuple[Labels, ...], tables(Labels)] = ()
    runs: Annotated[Any, some_runs] = ()
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
        from unjudged.collection.toml_text import parsed

        text = text.replace("\r\n", "\n")
        with name_file_in_errors(file):
            given = parsed(text)
        made: Description = read_table(cls, given, Place(file, text))
        return made.checked()

    def override(self, *settings: str) -> Description:
        """Return the same with other values, from texts such as `relevant=2` or `defaults.baseline=bm25`."""
        from unjudged.collection.toml_text import keys_of, parsed

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
        values[name] = _read(known[name], value, own)
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


def _read(reads: Reads, value: Any, place: Place) -> Any:
    try:
        return reads(value, place)
    except Wrong as wrong:
        raise place.error(f"is {shown(value)}, expected {wrong}") from None


BEIR = os.path.join("qrels", "test.tsv")


def description_of(source: Any) -> Description | None:
    """Return the description that a name stands for: a file, a folder, or a dataset; None for all else.

    A folder has a description, or files as BEIR names them.
    """
    if not isinstance(source, str | os.PathLike):
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
    from pathlib import Path

    try:
        return Path.home().resolve()
    except RuntimeError:  # nobody's process
        return None
