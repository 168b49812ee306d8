"""Measures by name: `AP(rel=2)@10` as ir_measures writes them, or as trec_eval, ranx and BEIR do."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from unjudged.base.choices import keywords, place_of
from unjudged.base.errors import UsageError
from unjudged.base.wording import shortlist
from unjudged.measures.kernel.registry import MEASURES, Measure

MeasureLike = Measure | str

ELSEWHERE = MappingProxyType(
    {
        "hit_rate": ("Success", {}),
        "accuracy": ("Success", {}),
        "top_k_accuracy": ("Success", {}),
        "r_precision": ("Rprec", {}),
        "f1": ("SetF", {}),
        "dcg_burges": ("DCG", {"dcg": "exp-log2"}),
        "ndcg_burges": ("nDCG", {"dcg": "exp-log2"}),
        "average_precision": ("AP", {}),
        "mean_average_precision": ("AP", {}),
        "reciprocal_rank": ("RR", {}),
        "mean_reciprocal_rank": ("RR", {}),
        "rank_biased_precision": ("RBP", {}),
        "R_cap": ("RelP", {}),
        "recall_cap": ("RelP", {}),
    }
)
"""Names in ranx, BEIR and elsewhere, each with the measure and the parameters that it stands for."""

_WRITTEN = re.compile(
    r"(?P<name>[A-Za-z0-9_-]+?)\s*(?:(?P<inside>\(.*\))\s*)?"
    r"(?:@\s*(?P<at>[^@\s][^@]*?)|_at_(?P<of_mteb>\d+))?(?:-l(?P<rel>\d+))?"
)
"""Name, Name(key=value, ...), Name@cutoff, Name@5,10, MTEB's Name_at_5, ranx's Name@5-l2 for rel=2."""
_PERSISTENCE = re.compile(r"rbp[_.](0?\.)?(?P<digits>\d+)", re.IGNORECASE)
_NUMBERS = re.compile(r"\s*[0-9.]+\s*(,\s*[0-9.]+\s*)*")


def parse_measures(measures: MeasureLike | Iterable[MeasureLike]) -> list[Measure]:
    """Return measures for names, ours or of ir_measures; `AP,nDCG@10` and `P.5,10` each name two."""
    names = [measures] if isinstance(measures, str) else measures
    if isinstance(names, list | tuple) and set(map(type, names)) <= {str}:
        return list(_named(tuple(names), MEASURES.changes))
    one = isinstance(measures, Measure) or is_of_ir_measures(measures)
    items: Any = [measures] if one else measures
    if not isinstance(items, Iterable):
        raise _not_a_measure(measures)
    return _distinct(items)


@lru_cache(maxsize=256)
def _named(names: tuple[str, ...], _: int) -> list[Measure]:
    """Return the measures of names, which are parsed again only after a change of the registry."""
    return _distinct(names)


def _distinct(items: Iterable[Any]) -> list[Measure]:
    """Return the measures that names stand for, each once."""
    found = [measure for item in items for measure in _complete(item)]
    if not found:
        raise UsageError("no measure given, expected at least one such as 'AP'")
    return list(dict.fromkeys(found))


def _complete(item: Any) -> list[Measure]:
    """Return the measures that one name or object stands for; each has all parameters that it needs."""
    one = our_measure(item) if is_of_ir_measures(item) else item
    found = parse(item) if isinstance(item, str) else [one]
    for measure in found:
        if not isinstance(measure, Measure):
            raise _not_a_measure(measure)
        measure.check_complete()
    return found


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
    """Measures of a name or a list with commas; case matters only where two measures differ by it.

    >>> parse("nDCG(dcg='exp-log2')@10"), parse("map"), parse("P.5,10")
    ([nDCG(dcg='exp-log2')@10], [AP], [P@5, P@10])
    >>> parse("ndcg@10"), parse("hit_rate@5"), parse("rbp.95")
    ([nDCG@10], [Success@5], [RBP(p=0.95)])
    """
    return list(_parsed(text, MEASURES.changes))


@lru_cache(maxsize=256)
def _parsed(text: str, _: int) -> list[Measure]:
    """Return the measures of a text, which is parsed again only after a change of the registry."""
    names = [name.strip() for name in _separated(text)]
    return [m for name in names for m in _as_in_trec_eval(name) or _as_in_ranx(name) or _as_written(name)]


def is_measure(text: str) -> bool:
    """Whether the text names one measure or several."""
    try:
        return bool(parse_measures(text))
    except UsageError:
        return False


def names_measure(name: Any) -> bool:
    """Whether this is the name of one measure."""
    return isinstance(name, str) and is_measure(name) and len(parse_measures(name)) == 1


def _separated(text: str) -> list[str]:
    """Return the names in a list: a comma in brackets, or before a number as in `P.5,10`, separates none."""
    names: list[str] = []
    depth = 0
    for part in text.split(","):
        if names and (depth or _NUMBERS.fullmatch(part)):
            names[-1] += f",{part}"
        else:
            names.append(part)
        depth += len(re.findall(r"[(\[{]", part)) - len(re.findall(r"[)\]}]", part))
    return names


def _as_in_trec_eval(name: str) -> list[Measure] | None:
    """Return the measures of a name of trec_eval: `map`, `P` with its usual cutoffs, `P_10`, `P.5,10`."""
    for trec_name, (measure, cutoffs) in trec_eval_names().items():
        if name == trec_name:
            return [measure @ cutoff for cutoff in cutoffs] or [measure]
        given = name[len(trec_name) + 1 :]
        begins = name.casefold().startswith((f"{trec_name}_".casefold(), f"{trec_name}.".casefold()))
        if cutoffs and begins and _NUMBERS.fullmatch(given):
            return [measure @ cutoff for cutoff in _cutoffs(name, given)]
    return None


def _as_in_ranx(name: str) -> list[Measure] | None:
    """Return the measure of a name such as `rbp.95`, and of `rbp_0.80`, which trec_eval prints."""
    match = _PERSISTENCE.fullmatch(name)
    return None if match is None else [MEASURES["RBP"](p=float(f"0.{match['digits']}"))]


def _as_written(text: str) -> list[Measure]:
    """Return the measures of a name in our grammar: AP(rel=2)@10, or P@5,10."""
    problem = f"invalid measure {text!r}: write it like AP, P@10 or nDCG(dcg='exp-log2')@10"
    written = _WRITTEN.fullmatch(text)
    if written is None:
        raise UsageError(problem)
    try:
        given = keywords(written["inside"] or "()")
        at = written["at"] or written["of_mteb"]
        places = [] if at is None else [ast.literal_eval(place.strip()) for place in at.split(",")]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise UsageError(problem) from None
    if written["rel"] is not None:
        given["rel"] = int(written["rel"])
    measure = _called(written["name"])(**given)
    return [measure @ place for place in places] or [measure]


def _called(name: str) -> Measure:
    """Return the measure of that name; upper and lower case may differ if only one measure fits."""
    found = alike(name)
    if not found:
        raise _unknown(name)
    if name not in found and len(set(found.values())) > 1:
        raise UsageError(f"{name!r} may be {' or '.join(found)}: spell it as one of them")
    return found.get(name, next(iter(found.values())))


def _cutoffs(text: str, written: str) -> list[float]:
    """Return the cutoffs in a name of measures."""
    try:
        return [float(c) if "." in c else int(c) for c in written.split(",")]
    except ValueError:
        raise UsageError(f"{text!r} has invalid cutoffs {written!r}: use numbers such as 5,10") from None


def _unknown(name: str) -> UsageError:
    """Return the error of a name that no measure has, with those that are close."""
    from difflib import get_close_matches

    names = {plainly(known): known for known in [*spellings(), *MEASURES]}
    close = [names[n] for n in get_close_matches(plainly(name), names, 3, 0.6)]
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    return UsageError(
        f"no measure is called {name!r}{hint} (`unjudged explain` lists them; --set code=FILE adds yours)"
    )


def _not_a_measure(item: object) -> UsageError:
    return UsageError(f"{item!r} is not a measure, expected a name such as 'AP' or 'nDCG@10'")


def spellings() -> dict[str, Measure]:
    """Return every name with its measure, as it is spelled; trec_eval's names stand for no cutoff here."""
    own = {name: m for m in MEASURES.values() for name in (m.name, *m.traits.aliases)}
    elsewhere = {name: MEASURES[m](**given) for name, (m, given) in ELSEWHERE.items()}
    return {**{name: m for name, (m, _) in trec_eval_names().items()}, **elsewhere, **own}


def other_names(measure: Measure) -> list[str]:
    """Return the other names of a measure without parameters."""
    return [name for name, known in spellings().items() if known == measure and name != measure.name]


def trec_eval_names() -> dict[str, tuple[Measure, tuple[float, ...]]]:
    """Return trec_eval's names, each with its measure and its default cutoffs."""
    return {n: (m, cuts) for m in MEASURES.values() for n, cuts in m.traits.trec_eval.items()}


def plainly(name: str) -> str:
    """Return the name without what people spell differently: case, hyphens and underscores.

    >>> plainly("R-Precision") == plainly("r_precision")
    True
    """
    return name.casefold().replace("_", "").replace("-", "")


def alike(name: str) -> dict[str, Measure]:
    """Return the measures whose names differ from this one only in case, hyphens and underscores."""
    wanted = plainly(name)
    return {known: measure for known, measure in spellings().items() if plainly(known) == wanted}


def is_of_ir_measures(item: Any) -> bool:
    return all(hasattr(item, name) for name in ("NAME", "SUPPORTED_PARAMS", "params"))


def our_measure(item: Any) -> Measure:
    """Return our measure for an object of ir_measures; an error where none means the same."""
    ours = translated(item)
    if ours is None:
        problem = f"{item}: no measure of this package means the same as this one of ir_measures"
        raise UsageError(f"{problem}; give the name of one of ours (`unjudged explain` lists them)")
    return ours


def translated(item: Any) -> Measure | None:
    """Return our measure, or None if no measure means the same; our own defaults are left out."""
    if isinstance(getattr(item, "ours", None), Measure):
        return None if "bound" in item.params else item.ours(**item.params)
    given = _parameters(item)
    name = "NumRelRet" if item.NAME == "NumRet" and "rel" in given else item.NAME
    if given.pop("judged_only", False):
        given["unjudged"] = "condensed"
    if "beta" in given:  # ir_measures gives the square of F's beta, as trec_eval does
        given["beta"] = math.sqrt(given["beta"])
    graded = name == "RBP" and "rel" not in given
    if given.pop("relative", False) or graded or name not in MEASURES:
        return None
    ours = MEASURES[name]
    needed = {key: value for key, value in given.items() if ours.parameters.get(key) != value}
    try:
        complete = ours(**needed)
        complete.check_complete()
    except UsageError:
        return None
    return complete


def _parameters(item: Any) -> dict[str, Any]:
    """Return the given parameters and the defaults of ir_measures; a parameter without either is left out."""
    defaults = {
        name: info.default for name, info in item.SUPPORTED_PARAMS.items() if hasattr(info, "default")
    }
    known = {**defaults, **item.params}
    values = (bool, int, float, str, dict)  # what is not provided is an object of its own
    return {name: value for name, value in known.items() if isinstance(value, values)}
