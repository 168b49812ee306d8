"""A description of files, as text: what they show is written, and what they only suggest is a comment."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unjudged.base.errors import UsageError
from unjudged.base.wording import plain, shortlist
from unjudged.collection.description import FILE_NAME, description_of
from unjudged.collection.description_keys import in_toml
from unjudged.data.nested_dicts import DATASET
from unjudged.data.sources import in_shell
from unjudged.data.streams import STANDARD_INPUT, display_name
from unjudged.data.writing import write_whole
from unjudged.diagnosis.kinds import CALIBRATION, GROUPS, JUDGMENTS, LABELS, RUN, SCORES, TEXTS
from unjudged.diagnosis.recognised_files import (
    RecognisedFile,
    people_first,
    recognise_described,
    recognised_words,
    with_names,
)
from unjudged.measures.kernel.registry import MEASURES
from unjudged.rankings.origin import POOL
from unjudged.rankings.runs import name_runs

DESCRIBED = (CALIBRATION, GROUPS, JUDGMENTS, LABELS, RUN, SCORES, TEXTS)
PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def write_description(files: Iterable[str | os.PathLike[str]], path: str | os.PathLike[str]) -> str:
    """Write a description of files into a new file, and return its text."""
    if os.path.lexists(path):
        raise UsageError(
            f"{display_name(path)} is there already: name a new file, or change that one by hand"
        )
    text = describe(files, os.path.dirname(path))
    write_whole(path, text)
    return text


def describe(files: Iterable[str | os.PathLike[str]], folder: str = "") -> str:
    """Return a description of files for a `collection.toml` in a folder.

    >>> from unjudged import sample
    >>> print(describe([sample.qrels, sample.runs["fused"]], sample.qrels.parent).partition("[runs]")[2])
    <BLANKLINE>
    fused = "fused.run"
    <BLANKLINE>
    # [defaults]
    # baseline = "fused"  # others are compared with it
    <BLANKLINE>
    """
    known, others = dict[str, RecognisedFile](), list[str]()
    for word in [os.fspath(file) for file in files]:
        described = None if word.startswith(DATASET) else description_of(word)
        if word == STANDARD_INPUT:
            raise UsageError("a description names files, and standard input is none")
        if described is not None and described.place.file:
            raise UsageError(f"{display_name(word)} is a description already: change it by hand")
        known |= {one.file: one for one in (() if described is None else recognise_described(described))}
        others += [word] if described is None else []
    known |= {one.file: one for one in recognised_words(others)}
    judgments = people_first(one for one in known.values() if one.kind == JUDGMENTS)
    if len(judgments) > 1:
        raise UsageError(
            _who_made([one.word for one in known.values()], judgments[0].file, judgments[1].file)
        )
    found = with_names(known.values(), {query for one in judgments for query in one.content.queries.tolist()})
    kinds = {kind: [one for one in found if one.kind == kind] for kind in {one.kind: 0 for one in found}}
    writer = _Writer(folder or os.curdir, kinds)
    return "\n".join(
        [f"# {FILE_NAME}: what the data is. Other lines that begin with # are guesses.", *writer.lines()]
    )


def _who_made(words: Sequence[str], people: str, other: str) -> str:
    """Ask who made judgments, a model or people, with the command that follows from each answer."""
    named = [f"model={other}" if word == other else word for word in words]
    model = in_shell(["check", *named, "-o", FILE_NAME])
    merged = in_shell(["merge", people, other, "-o", f"merged{os.path.splitext(people)[1]}"])
    problem = f"who made {display_name(other)} beside {display_name(people)}?"
    return f"{problem} A model: `unjudged {model}`. People: `unjudged {merged}`"


@dataclass(frozen=True)
class _Writer:
    """Files by what they are, and the folder that they are named from."""

    folder: str
    kinds: Mapping[str, Sequence[RecognisedFile]]

    def all_of(self, kind: str) -> Sequence[RecognisedFile]:
        return self.kinds.get(kind, [])

    def lines(self) -> Iterator[str]:
        """Yield the lines: keys of no table first."""
        judgments = people_first(self.all_of(JUDGMENTS))
        topics = [one for one in self.all_of(TEXTS) if one.content]
        yield from self.keys("queries", topics)
        yield from self.keys("documents", [one for one in self.all_of(TEXTS) if one not in topics])
        highest = max((int(one.content.highest) for one in judgments[:1]), default=0)
        if highest > 1:
            yield f"# relevant = {highest}  # the lowest grade that counts as relevant"
        yield from self.keys("groups", self.all_of(GROUPS))
        named = name_runs([one.file for one in self.all_of(RUN)]) if self.all_of(RUN) else {}
        alone = all(isinstance(file, str) for file in named.values())
        if not alone:
            yield f"runs = {self.listed(self.all_of(RUN))}  # {plain(shortlist(list(named)))}"
        for one in judgments:
            yield from self.judgments(one)
        for one in self.all_of(LABELS):
            yield f"\n[[judgments]]\nfile = {self.name(one.file)}  # {plain(one.description)}"
            name = one.name or os.path.splitext(os.path.basename(one.file))[0]
            yield f'by = "model"\nname = {in_toml(name)}'
        if named and alone:
            yield "\n[runs]"
            yield from (f"{_key(name)} = {self.name(file)}" for name, file in named.items())
        if self.all_of(SCORES):
            yield from (f"{'# ' if judgments and line else ''}{line}" for line in self.scores())
        for one in (one for kind, ones in self.kinds.items() if kind not in DESCRIBED for one in ones):
            yield f"# {plain(one.file)}: {plain(one.description)}"
        if named:
            yield f"\n# [defaults]\n# baseline = {in_toml(next(iter(named)))}  # others are compared with it"
        yield ""

    def keys(self, key: str, files: Sequence[RecognisedFile]) -> Iterator[str]:
        """Yield a key with the first file, and guesses with others."""
        for place, one in enumerate(files):
            yield f"{'# ' if place else ''}{key} = {self.name(one.file)}  # {plain(one.description)}"

    def judgments(self, one: RecognisedFile) -> Iterator[str]:
        """Yield the table of the judgments, which are taken to be by people."""
        origin = one.content.origin
        how = "sample" if origin.sampled else origin.kind
        yield f"\n[[judgments]]\nfile = {self.name(one.file)}  # {plain(one.description)}"
        yield f'{"" if one.content.recorded else "# "}how = "{how}"  # {origin.words}'
        if origin.depth is not None:
            yield f"depth = {origin.depth}  # the rank to which every pooled run was judged"
        elif origin.kind == POOL:
            yield "# depth = 10  # the rank to which every pooled run was judged"
        yield from self.keys("calibration", self.all_of(CALIBRATION))

    def scores(self) -> Iterator[str]:
        """Yield the table of scores by query; people must say of which measures lower values are better."""
        tables = self.all_of(SCORES)
        yield from (
            "",
            "[scores]",
            f"file = {self.listed(tables)}  # {plain(tables[0].description.partition('. ')[0])}",
        )
        settings = dict.fromkeys(setting for one in tables for setting in one.settings)
        for key, _, value in (setting.removeprefix("scores.").partition("=") for setting in settings):
            yield f"{'# ' if key == 'missing' else ''}{key} = {in_toml(value)}"
        unknown = {str(m): m for one in tables for m in one.content.measures if m.name not in MEASURES}
        if unknown:
            yield f"# lower = [{', '.join(map(in_toml, unknown))}]  # those whose lower values are better"

    def listed(self, files: Sequence[RecognisedFile]) -> str:
        """Return a list of files."""
        return f"[{', '.join(self.name(one.file) for one in files)}]"

    def name(self, file: Any) -> str:
        """Return the name of a file as seen from the folder."""
        name = str(file)
        if not name.startswith(DATASET):
            try:
                name = os.path.relpath(name, self.folder)
            except ValueError:  # another drive
                name = os.path.abspath(name)
        return in_toml(name)


def _key(name: str) -> str:
    """Return a key as TOML writes it."""
    return name if PLAIN.fullmatch(name) else in_toml(name)
