"""Measures by name: `AP(rel=2)@10` as ir_measures writes them, or as trec_eval, ranx and BEIR do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from unjudged.base.choices import keywords, place_of
from unjudged.base.errors import UsageError
from unjudged.base.wording import shortlist
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.measures.kernel.spellings import (
    alike,
    is_of_ir_measures,
    our_measure,
    plainly,
    spellings,
    trec_eval_names,
)

MeasureLike = Measure | str

_WRITTEN = re.compile(
    r"(?P<name>[A-Za-z0-9_-]+?)\s*(?:(?P<inside>\(.*\))\s*)?(@\s*(?P<at>[^@\s][^@]*?))?(-l(?P<rel>\d+))?"
)
"""Name, Name(key=value, ...), Name@cutoff, Name@5,10, and ranx's Name@cutoff-l2 for grades from 2 on."""
_AT = re.compile(r"(?P<name>.+)_at_(?P<at>\d+)")
_PERSISTENCE = re.compile(r"rbp[_.](0?\.)?(?P<digits>\d+)", re.IGNORECASE)
_NUMBER = re.compile(r"\s*[0-9.]+\s*")


def parse_measures(measures: MeasureLike | Iterable[MeasureLike]) -> list[Measure]:
    """Measures from names, measures of ours or ir_measures; `AP,nDCG@10` and `P.5,10` are two each."""
    names = [measures] if isinstance(measures, str) else measures
    if isinstance(names, list | tuple) and set(map(type, names)) <= {str}:
        return list(_named(tuple(names), MEASURES.changes))
    one = isinstance(measures, Measure) or is_of_ir_measures(measures)
    items: Any = [measures] if one else measures
    if not isinstance(items, Iterable):
        raise _not_a_measure(measures)
    items = [our_measure(item) if is_of_ir_measures(item) else item for item in items]
    return _distinct([m for item in items for m in (parse(item) if isinstance(item, str) else [item])])


@lru_cache(maxsize=256)
def _named(names: tuple[str, ...], _: int) -> list[Measure]:
    """Return the measures of some names, which are parsed again only after a change of the registry."""
    return _distinct([measure for name in names for measure in parse(name)])


def _distinct(measures: list[Any]) -> list[Measure]:
    for measure in measures:
        if not isinstance(measure, Measure):
            raise _not_a_measure(measure)
        measure.check_complete()
    if not measures:
        raise UsageError("no measure given, expected at least one such as 'AP'")
    return list(dict.fromkeys(measures))


def parse_measure(measure: MeasureLike) -> Measure:
    """One measure; a name that stands for several is an error."""
    measures = parse_measures(measure)
    if len(measures) != 1:
        raise UsageError(f"{measure!r} stands for {len(measures)} measures, expected one")
    return measures[0]


def with_relevant(measures: Iterable[Measure], lowest: float | None) -> list[Measure]:
    """Return the measures with the lowest relevant grade, where they have one and do not set their own."""
    if lowest is None:
        return list(measures)
    return [m(rel=lowest) if "rel" in m.parameters and "rel" not in m.given else m for m in measures]


def place_of_measure(measure: MeasureLike, names: Sequence[str]) -> int:
    """Return the place of a measure among names: as it is written, or as it is parsed."""
    written = str(measure)
    try:
        name = written if written in names else str(parse_measure(measure))
    except UsageError as error:
        raise UsageError(f"{error}; there are {shortlist(names)}") from None
    return place_of("measure", name, names)


def parse(text: str) -> list[Measure]:
    """Measures of a name or a list with commas; case matters only where it tells two measures apart.

    >>> parse("nDCG(dcg='exp-log2')@10"), parse("map"), parse("P.5,10")
    ([nDCG(dcg='exp-log2')@10], [AP], [P@5, P@10])
    >>> parse("ndcg@10"), parse("hit_rate@5"), parse("rbp.95")
    ([nDCG@10], [Success@5], [RBP(p=0.95)])
    """
    return list(_parsed(text, MEASURES.changes))


@lru_cache(maxsize=256)
def _parsed(text: str, _: int) -> list[Measure]:
    """Return the measures of a text, which is parsed again only after a change of the registry."""
    return [measure for name in _separated(text) for measure in _parsed_name(name.strip())]


def _parsed_name(name: str) -> list[Measure]:
    return _as_in_trec_eval(name) or _as_in_ranx(name) or _as_written(name)


def is_measure(text: str) -> bool:
    """Whether the text names one measure or several."""
    try:
        return bool(parse_measures(text))
    except UsageError:
        return False


def _separated(text: str) -> list[str]:
    """Return the parts between commas, except those in brackets and those before a number, as in `P.5,10`."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    names = parts[:1]
    for part in parts[1:]:
        if _NUMBER.fullmatch(part):
            names[-1] += f",{part}"
        else:
            names.append(part)
    return names


def _as_in_trec_eval(name: str) -> list[Measure] | None:
    """`map`, `P` with its default cutoffs, `P_10`, `P.5,10`."""
    known, ours = trec_eval_names(), _WRITTEN.fullmatch(name)
    if "_" in name and ours is not None and ours["name"] in MEASURES:  # P_own@10 is no cutoff of P
        return None
    for spelled, wanted in ((str, name), (str.casefold, name.casefold())):
        for trec_name, (measure, cutoffs) in known.items():
            prefix = spelled(trec_name)
            if spelled is str and wanted == prefix:
                return [measure @ cutoff for cutoff in cutoffs] or [measure]
            if cutoffs and wanted.startswith((prefix + "_", prefix + ".")):
                written = name[len(prefix) + 1 :]
                if spelled is str or _NUMBER.fullmatch(written.replace(",", "")):
                    return [measure @ cutoff for cutoff in _cutoffs(name, written)]
    return None


def _as_in_ranx(name: str) -> list[Measure] | None:
    """`rbp.95`, and `rbp_0.80` as trec_eval prints it."""
    match = _PERSISTENCE.fullmatch(name)
    return None if match is None else [MEASURES["RBP"](p=float(f"0.{match['digits']}"))]


def _as_written(text: str) -> list[Measure]:
    problem = f"invalid measure {text!r}: write it like AP, P@10 or nDCG(dcg='exp-log2')@10"
    written = _WRITTEN.fullmatch(text)
    if written is None:
        raise UsageError(problem)
    name, at = written["name"], written["at"]
    at_name = _AT.fullmatch(name)
    if at_name is not None and not alike(name):
        name, at = at_name["name"], at_name["at"]
    try:
        given = keywords(written["inside"] or "()")
        places = [] if at is None else [ast.literal_eval(place.strip()) for place in at.split(",")]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise UsageError(problem) from None
    if written["rel"] is not None:
        given["rel"] = int(written["rel"])
    measure = _called(name)(**given)
    return [measure @ place for place in places] or [measure]


def _called(name: str) -> Measure:
    """Return the measure of that name; in another case if that fits only one."""
    exact = spellings().get(name)
    if exact is not None:
        return exact
    candidates = alike(name)
    if not candidates:
        raise _unknown(name)
    if len(set(candidates.values())) > 1:
        raise UsageError(f"{name!r} may be {' or '.join(candidates)}: spell it as one of them")
    return next(iter(candidates.values()))


def _cutoffs(text: str, written: str) -> list[float]:
    try:
        return [float(c) if "." in c else int(c) for c in written.split(",")]
    except ValueError:
        raise UsageError(f"{text!r} has invalid cutoffs {written!r}: use numbers such as 5,10") from None


def _unknown(name: str) -> UsageError:
    from difflib import get_close_matches

    names = {plainly(known): known for known in [*spellings(), *MEASURES]}
    close = [names[n] for n in get_close_matches(plainly(name), names, 3, 0.6)]
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    return UsageError(
        f"no measure is called {name!r}{hint} (`unjudged explain` lists them; --set code=FILE adds yours)"
    )


def _not_a_measure(item: object) -> UsageError:
    return UsageError(f"{item!r} is not a measure, expected a name such as 'AP' or 'nDCG@10'")
