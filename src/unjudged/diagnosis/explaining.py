"""`explain`: measures, words of the output and of papers, methods, notes, errors, and saved results."""

from __future__ import annotations

import inspect
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from unjudged.base import errors
from unjudged.base.choices import shown
from unjudged.base.errors import InputError, UsageError
from unjudged.base.notes import FORMS, NOUNS
from unjudged.base.notes import WORDS as NOTES
from unjudged.base.wording import counted, meant
from unjudged.citation import REFERENCES, cite, methods
from unjudged.measures.kernel.names import other_names, parse
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.results.fields import FIELDS
from unjudged.results.methods_paragraph import methods_of


def plainly(word: str) -> str:
    """Return a word without case, hyphens and marks, which people write differently; marks alone stay."""
    return " ".join(re.sub(r"['\"]s?\b|[^\w@]", " ", word.casefold().replace("_", " ")).split()) or word


_WORDS = tomllib.loads(files("unjudged.diagnosis").joinpath("glossary.toml").read_text("utf-8"))
GLOSSARY = {tuple(names.split(", ")): " ".join(means.split()) for names, means in _WORDS["output"].items()}
"""What words of the output mean, by all their names."""
MEANINGS = {
    plainly(name): " ".join(means.split())
    for names, means in (_WORDS["output"] | _WORDS["papers"]).items()
    for name in names.split(", ")
} | {plainly(name): f"={measure}" for name, measure in _WORDS["measures"].items()}
"""What each word means; an equals sign and a measure stands for the page of the measure."""


@dataclass(frozen=True)
class Explanation:
    """A text, and the names whose works it rests on."""

    text: str
    cited: Sequence[str] = ()

    @property
    def bibtex(self) -> str:
        """Return BibTeX of the works; of the package if there are none."""
        return cite(*self.cited)

    def __str__(self) -> str:
        return self.text


def explain(word: str | os.PathLike[str] | None = None) -> Explanation:
    """Say what a measure, a word of the output, a method, a note or an error means.

    Parameters
    ----------
    word
        Such as `"nDCG@10"`, `"place"`, `"needs judging"`, `"induced AP"`, `"holm"`, `"few-judged"`, or a JSON
        file that a command wrote. Without a word the measures are listed by family.

    >>> print(explain("place"))
    From 1 + the number of systems that are better than this one, to all but those that it is better than.
    >>> explain("induced AP").cited
    ['indAP']
    >>> explain("holm").bibtex.splitlines()[0]
    '@article{holm1979,'
    """
    if word is None:
        return Explanation("\n".join(_families()))
    if not isinstance(word, str | os.PathLike):
        raise UsageError(f"word is {shown(word)}, expected a name such as 'nDCG@10'")
    text = os.fspath(word)
    if text.endswith(".json") or os.path.isfile(text):
        return _of_file(text)
    for look in (_of_word, _of_method, _of_measure, _of_field, _of_note, _of_error):
        found = look(text)
        if found is not None:
            return found
    hint = meant(plainly(text), [*MEANINGS, *methods(), *FIELDS, *NOTES]) or meant(text, MEASURES)
    expected = "a measure, a word of the output, a method, a note, an error or a saved result"
    raise UsageError(f"nothing is known of {text!r}{hint or f', expected {expected}'}")


def _families() -> Iterator[str]:
    for family, title in FAMILIES.items():
        own = [measure for measure in MEASURES.values() if family_of(measure) == family]
        if own:
            yield title
        yield from (f"  {measure.name:16} {measure.help.splitlines()[0]}" for measure in own)
    yield "unjudged explain NAME explains one; words of the output, methods and notes, too."


def _of_word(text: str) -> Explanation | None:
    means = MEANINGS.get(plainly(text))
    if means is None:
        return None
    return _of_measure(means[1:]) if means.startswith("=") else Explanation(means)


def _of_method(text: str) -> Explanation | None:
    for name, method in methods().items():
        title = getattr(method, "title", "") or getattr(method, "covers", "")
        if plainly(text) in (plainly(name), plainly(title)):
            made: Callable[..., Any] = getattr(method, "function", None) or method.make
            said = inspect.cleandoc(inspect.getdoc(made) or "").partition("\n\n>>>")[0]
            takes = f"\n\nIt takes {', '.join(method.uses)}." if getattr(method, "uses", ()) else ""
            return Explanation(
                f"{name}: {title or 'a design'}\n\n{said}{takes}", [name] if method.cite else []
            )
    return None


def _of_measure(text: str) -> Explanation | None:
    try:
        measures = parse(text)
    except UsageError:
        return None
    return Explanation(page(measures[0]).rstrip(), [measures[0].name])


def _of_field(text: str) -> Explanation | None:
    wanted = plainly(text)
    for field in FIELDS.values():
        if wanted in (plainly(field.name), plainly(field.heading)) and field.means:
            return Explanation(f"{field.heading.strip() or field.name}: {field.means}.")
    return None


def _of_note(text: str) -> Explanation | None:
    found = next((NOTES[code] for code in NOTES if plainly(code) == plainly(text)), None)
    if found is None:
        return None
    weight, words = found
    why = (
        "It is a reason why another conclusion may be right."
        if weight
        else "It says how to read the results."
    )
    return Explanation(f"{re.sub(r'{[^:}]*:?([^}]*)}', _left_open, words)}\n\n{why}")


def _left_open(value: re.Match[str]) -> str:
    """Return what stands for a value of a note: verbs and nouns are what they always are."""
    form = value[1]
    return form if form in FORMS else f"... {counted(2, form)[2:]}" if form in NOUNS else "..."


def _of_error(text: str) -> Explanation | None:
    found = getattr(errors, text, None)
    return Explanation(inspect.getdoc(found) or "") if inspect.isclass(found) else None


def _of_file(file: str) -> Explanation:
    """Say how a saved result was made, with the works to cite, what its fields are and what its notes say."""
    try:
        with open(file, encoding="utf-8") as stream:
            saved = json.load(stream)
        tables = saved.get("tables", [saved])
        fields = dict.fromkeys(name for table in tables for row in table["rows"] for name in row)
        notes = [note for table in tables for note in table.get("notes", ())]
        facts = next((table["made"] for table in tables if "made" in table), None)
        made = None if facts is None else methods_of(facts)
    except OSError as error:
        raise InputError(errors.reason_of(error), source=file) from None
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        problem = "it is not a result that a command wrote as JSON (`unjudged check` says what files are)"
        raise InputError(problem, source=file) from None
    means = {name: known.means for name in fields if (known := FIELDS.get(name))}
    said = [f"  {name}: {means.get(name) or 'as it is named'}" for name in fields]
    told = [note["text"] if isinstance(note, dict) else str(note) for note in notes]
    first = [] if made is None else [made.text, made.bibtex]
    return Explanation("\n\n".join([*first, "\n".join(said), *told]), () if made is None else made.works)


FAMILIES = {
    "precision": "Precision, recall and average precision",
    "gain": "Gain",
    "rank_biased": "Rank-biased precision and models of users",
    "incomplete": "Average precision from uniform samples",
    "stratified": "Estimates from stratified samples",
    "weighted": "Estimates from weighted samples",
    "sets": "Sets without an order, and counts",
    "own": "Your own",
}


def family_of(measure: Measure) -> str:
    """Return the family of a measure."""
    home, _, family = measure.function.__module__.rpartition(".")
    return family if home == "unjudged.measures" else "own"


def signature(measure: Measure) -> str:
    """`AP(rel=1)[@cutoff]`: what is optional is in brackets."""
    inside = [f"{k}={v!r}" for k, v in measure.parameters.items() if k != measure.traits.at]
    after = ""
    if measure.traits.at is not None:
        required = measure.parameters[measure.traits.at] is inspect.Parameter.empty
        after = f"@{measure.traits.at}" if required else f"[@{measure.traits.at}]"
    return measure.name + (f"({', '.join(inside)})" if inside else "") + after


def page(measure: Measure) -> str:
    """Formula, value where undefined, treatment of the unjudged, when to use it, example, citation."""
    names = other_names(MEASURES[measure.name])
    also = [f"Also called {', '.join(names)}."] if names else []
    low, high = measure.range
    facts = f"Values from {low:g} to {high:g}; over queries the {measure.traits.summary}."
    if "R = 0" in measure.help:
        facts = f"R is the number of documents judged relevant. {facts}"
    cited = [key.strip() if key.startswith("@") else REFERENCES[key].text for key in measure.traits.cite]
    return "\n\n".join([signature(measure), measure.help, " ".join([facts, *also]), *cited]) + "\n"
