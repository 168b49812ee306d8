"""A collection to publish: judgments, how they were made, and a page written from them."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import version

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.citation import cite, entry
from unjudged.formats import bundles
from unjudged.formats.tables import encode
from unjudged.formats.writing import judgments_text
from unjudged.judging.collecting.assignment import Assignment
from unjudged.judging.collecting.drawn_sample import DrawnSample
from unjudged.judging.collecting.sample_file import sample_text
from unjudged.judging.pooling.contributions import Reusability
from unjudged.measures.kernel.estimand import permitted
from unjudged.measures.kernel.names import parse_measures
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.judgments import CANNOT_JUDGE, Judgments
from unjudged.uncertainty.calibration import Calibration

ASKED = ("AP", "nDCG", "nDCG@10", "P@10", "RBP(p=0.8)", "RR", "Bpref", "infAP", "xinfAP", "infNDCG", "statAP")
"""Measures that the page answers for."""
USE = """Judgments are in the form *{form}*. Every command of `unjudged` takes this folder in place of a file
of judgments, and checks that nothing was changed:

    unjudged evaluate FOLDER run.txt
    unjudged doctor FOLDER run.txt"""


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """What is published together; `reusability` says how fair the judgments are to new runs."""

    name: str
    judgments: Judgments
    design: DrawnSample | None = None
    assignment: Assignment | None = None
    calibration: Calibration | None = None
    reusability: Reusability | None = None
    authors: str = ""
    year: int | None = None

    def __post_init__(self) -> None:
        if not self.name.strip() or not self.name.isprintable():
            raise UsageError(f"name is {self.name!r}, expected the name of the collection")
        if not (self.judgments.grade >= 0).any():
            raise UsageError("nothing is judged: a bundle needs judgments")
        if self.calibration is not None:
            self.calibration.check_collection(self.judgments)

    def files(self) -> dict[str, tuple[str, str]]:
        """Return the name and the text of each file, by role; nothing in them names an assessor."""
        j = self.judgments
        form = "strata" if j.stratum is not None else "prels" if j.probability is not None else "qrels"
        made = {bundles.JUDGMENTS: ("judgments.txt", judgments_text(j, form))}
        if self.design is not None:
            made[bundles.DESIGN] = "design.txt", sample_text(replace(self.design, made_by=""))
        if self.assignment is not None:
            made[bundles.ASSIGNMENT] = "assignment.tsv", anonymous(self.assignment).text()
        if self.calibration is not None:
            made[bundles.CALIBRATION] = "calibration.json", self.calibration.to_json()
        made["citation"] = "citation.bib", self.citation()
        made["readme"] = "README.md", self.readme(form)
        return made

    def texts(self) -> dict[str, str]:
        """Return the text of each file by its name, with the manifest."""
        files = self.files()
        known = {role: (name, encode(text)) for role, (name, text) in files.items()}
        more = {"name": self.name, "origin": str(self.judgments.origin), "made with": versions()}
        return {**dict(files.values()), bundles.MANIFEST: bundles.manifest_text(known, more)}

    def citation(self) -> str:
        """Return BibTeX of the collection and of this package."""
        key = "".join(c for c in self.name.lower() if c.isascii() and c.isalnum()) or "collection"
        fields = {"author": self.authors, "title": f"{{{self.name}}}", "year": str(self.year or "")}
        own = entry("misc", key, {name: value for name, value in fields.items() if value})
        return f"{own}\n{cite('unjudged')}"

    def readme(self, form: str) -> str:
        """Return the page: what was judged how, what can be estimated, and where the limits are."""
        parts = [
            f"# {self.name}",
            self._counts(),
            "## How documents were judged",
            self._how(),
            "## What can be estimated",
            self._estimates(),
            "## Limits",
            self._limits(),
            "## Use",
            USE.format(form=form),
            "## Citation",
            "    " + self.citation().strip().replace("\n", "\n    "),
            f"Made with {', '.join(f'{what} {number}' for what, number in versions().items())}.",
        ]
        return "\n\n".join(parts) + "\n"

    def _counts(self) -> str:
        grade = self.judgments.grade
        judged, cannot = int((grade >= 0).sum()), int((grade == CANNOT_JUDGE).sum())
        waiting = len(grade) - judged - cannot
        topics = counted(len(self.judgments.queries), "topic")
        more = [f"{counted(cannot, 'document')} could not be judged"] if cannot else []
        more += [f"{counted(waiting, 'document')} of the pool were not judged"] if waiting else []
        table = ["| grade | documents |", "|---:|---:|"]
        values, numbers = np.unique(grade[grade >= 0], return_counts=True)
        table += [f"| {value} | {number:,} |" for value, number in zip(values, numbers, strict=True)]
        said = f"{topics}, {judged:,} judgments" + "".join(f"; {one}" for one in more)
        return f"{said}.\n\n" + "\n".join(table)

    def _how(self) -> str:
        origin = self.judgments.origin
        said = [f"{origin.words[:1].upper()}{origin.words[1:]}."]
        if origin.depth is not None:
            said[0] += f" The pool reaches to rank {origin.depth} of the pooled runs."
        if self.design is not None:
            drawn = int(self.design.drawn.sum())
            said.append(
                f"The design is *{self.design.design}* with seed {self.design.seed}: {drawn:,} of "
                f"{len(self.design.drawn):,} pooled documents were drawn (`design.txt`)."
            )
        if self.assignment is not None:
            people, topics = len(self.assignment.assessors), len(self.assignment.second)
            second = f"; {counted(topics, 'topic')} had a second one" if topics else ""
            said.append(
                f"{counted(people, 'assessor')} judged whole topics{second} (`assignment.tsv`, anonymous)."
            )
        return "\n\n".join(said)

    def _estimates(self) -> str:
        rows = ["| measure | what it estimates here |", "|---|---|"]
        for measure in parse_measures(ASKED):
            found = permitted(measure, self.judgments)
            words = f"not to be used: {found}" if isinstance(found, Refusal) else str(found)
            rows.append(f"| {measure} | {words.replace('|', '/')} |")
        return "\n".join(rows)

    def _limits(self) -> str:
        unknown = "How fair the judgments are to runs that were not pooled was not measured."
        said = [unknown if self.reusability is None else self.reusability.verdict()]
        if self.calibration is not None:
            one = self.calibration
            said.append(
                f"`calibration.json` was made from {one.runs} runs of {counted(one.groups, 'group')}, cut at "
                f"rank {one.depth}: it gives intervals for new runs like them (`--calibration FOLDER`)."
            )
        return "\n\n".join(said)


def anonymous(assignment: Assignment) -> Assignment:
    """Return the assignment with numbers instead of names, in the order of topics."""
    number: dict[str, str] = {}
    for _, name, _ in assignment.rows():
        number.setdefault(name, f"a{len(number) + 1}")
    second = {topic: [number[name] for name in names] for topic, names in assignment.second.items()}
    return replace(
        assignment, own={topic: number[name] for topic, name in assignment.own.items()}, second=second
    )


def versions() -> Mapping[str, str]:
    """Return the versions of what computed the numbers."""
    return {
        "unjudged": import_module("unjudged").__version__,
        "Python": platform.python_version(),
        "NumPy": version("numpy"),
    }
