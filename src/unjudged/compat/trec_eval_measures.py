"""Measures of trec_eval: their order, their parameters, which of ours each one is, and columns of values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import Floats
from unjudged.measures.gain import IdealDCG
from unjudged.measures.kernel.measure import GEOMETRIC
from unjudged.measures.kernel.names import trec_eval_names
from unjudged.measures.kernel.registry import Measure, compute_all
from unjudged.measures.precision import TENTHS, documents_needed
from unjudged.measures.rank_biased import RBP, RBPResidual
from unjudged.rankings.judged import JudgedRankings


class Stop(Exception):
    """Messages and exit code of trec_eval when something is wrong; `reason` is our own explanation."""

    def __init__(self, code: int, *messages: str, reason: str = "") -> None:
        super().__init__(*messages)
        self.code = code
        self.messages = messages
        self.reason = reason


def cannot_initialize(measure: str, *messages: str, reason: str = "") -> Stop:
    """Return the end of a program whose measure has parameters that make no sense."""
    return Stop(2, *messages, f"trec_eval: Cannot initialize measure '{measure}'", reason=reason)


class Takes(Enum):
    """Parameters that may follow the name of a measure."""

    NOTHING = "nothing"
    WHOLE = "integer cutoffs, one value each"
    DECIMAL = "decimal cutoffs, one value each"
    NUMBERS = "numbers"
    PAIRS = "pairs of a grade and its gain"


NOTHING, WHOLE, DECIMAL, NUMBERS, PAIRS = Takes

ORDER: Mapping[str, Takes] = {
    "runid": NOTHING,
    "num_q": NOTHING,
    "num_ret": NOTHING,
    "num_rel": NOTHING,
    "num_rel_ret": NOTHING,
    "map": NOTHING,
    "gm_map": NOTHING,
    "Rprec": NOTHING,
    "bpref": NOTHING,
    "recip_rank": NOTHING,
    "iprec_at_recall": DECIMAL,
    "P": WHOLE,
    "relstring": NUMBERS,
    "recall": WHOLE,
    "infAP": NOTHING,
    "gm_bpref": NOTHING,
    "Rprec_mult": DECIMAL,
    "utility": NUMBERS,
    "11pt_avg": NUMBERS,
    "binG": NOTHING,
    "G": PAIRS,
    "dcg": PAIRS,
    "ideal_dcg": PAIRS,
    "ndcg": PAIRS,
    "ndcg_rel": PAIRS,
    "Rndcg": PAIRS,
    "ndcg_cut": WHOLE,
    "map_cut": WHOLE,
    "relative_P": WHOLE,
    "success": WHOLE,
    "set_P": NOTHING,
    "set_relative_P": NOTHING,
    "set_recall": NOTHING,
    "set_map": NOTHING,
    "set_F": NUMBERS,
    "num_nonrel_judged_ret": NOTHING,
    "yaap": NOTHING,
    "rbp": PAIRS,
    "rbp_resid": PAIRS,
    "unj": WHOLE,
}
NEW_IN_10 = {"dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"}
RELSTRING_DEPTH = 10

_counts = ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret"]
_official = [*_counts, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"]
_preferences = ["num_prefs_poss", "num_prefs_ful", "num_prefs_ful_ret", "simp", "pair", "avgjg"]
_more_preferences = ["avgjg_Rnonrel", "simp_ret", "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret"]
_more_preferences += ["simp_imp", "pair_imp", "avgjg_imp"]
_several_judges = ["map_avgjg", "P_avgjg", "Rprec_mult_avgjg"]

NICKNAMES: Mapping[str, Sequence[str]] = {
    "official": _official,
    "set": [*_counts, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"],
    "all_trec": [name for name in ORDER if name not in ("dcg", "ideal_dcg", "yaap")],
    "all_prefs": ["runid", "num_q", *(f"prefs_{name}" for name in _preferences + _more_preferences)],
    "prefs": ["runid", "num_q", *(f"prefs_{name}" for name in _preferences)],
    "qrels_jg": ["runid", "num_q", *_several_judges],
}
NOT_HERE = [f"prefs_{name}" for name in _preferences + _more_preferences] + _several_judges
"""Measures for preferences and for several judges: their names are known, but they are not supported."""


@dataclass(frozen=True)
class Settings:
    """Options of the command line that change the measures."""

    level: int = 1
    version: int = 10
    documents: int = 0


@dataclass(frozen=True)
class Column:
    """One value that trec_eval prints: its name, the trec_eval measure it belongs to, and our measure.

    `measure` is None for text (runid, relstring) and for what is not computed per ranking (num_q); `depth`
    is for relstring.
    """

    name: str
    of: str
    measure: Measure | None = None
    depth: int = RELSTRING_DEPTH

    @cached_property
    def summary(self) -> str:
        return self.measure.traits.summary if self.measure else "none"


def names_of(name: str, version: int) -> list[str]:
    """Return the measures that a name or nickname stands for; none if it is unknown."""
    known = [n for n in (*ORDER, *NOT_HERE) if version >= 10 or n not in NEW_IN_10]
    return [n for n in NICKNAMES.get(name, [name]) if n in known]


def columns(wanted: Mapping[str, str | None], settings: Settings) -> list[Column]:
    """Columns of the wanted measures, given with the text of their parameters, in the order of trec_eval."""
    return [column for name in ORDER if name in wanted for column in _columns(name, wanted[name], settings)]


def _columns(name: str, text: str | None, settings: Settings) -> list[Column]:
    """Return the columns of one measure: one for each of its cutoffs, if it has any."""
    takes = ORDER[name]
    known = {**trec_eval_names(), "rbp": (RBP(p=0.9), ()), "rbp_resid": (RBPResidual(p=0.9), ())}
    measure, cutoffs = known.get(name, (None, ()))
    if measure is not None:
        measure = _set(measure, settings)
    if takes is WHOLE and measure is not None:
        depths = _whole_cutoffs(name, text) if text else cutoffs
        return [Column(f"{name}_{depth:.0f}", name, measure(cutoff=int(depth))) for depth in depths]
    if takes is DECIMAL and measure is not None:
        levels = _decimal_cutoffs(name, text) if text else cutoffs
        at = str(measure.traits.at)
        return [Column(f"{name}_{level:3.2f}", name, _with(measure, **{at: level})) for level in levels]
    column = Column(name if text is None or takes is NOTHING else f"{name}_{text}", name, measure)
    if text and takes is NUMBERS:
        return [_numbered(column, _decimals(text))]
    if text and takes is PAIRS and measure is not None:
        given = _pairs(name, text)
        more: dict[str, Any] = {"gains": _gains(name, given)} if "gains" in measure.parameters else {}
        if "p" in measure.parameters and "p" in given:
            more["p"] = given["p"]
        return [replace(column, measure=_with(measure, **more))]
    return [column]


def _numbered(column: Column, numbers: Sequence[float]) -> Column:
    if column.measure is None:  # relstring
        return replace(column, depth=max(int(numbers[0]), 0))
    if column.of == "utility":
        if len(numbers) != 4:
            problem = "trec_eval.calc_utility: improper number of coefficients"
            raise Stop(4, problem, "trec_eval: Can't calculate measure 'utility'")
        return replace(column, measure=_with(column.measure, weights=tuple(numbers)))
    if column.of == "set_F":
        if numbers[0] < 0:
            raise cannot_initialize("set_F", reason=f"the square of beta cannot be {numbers[0]:g}")
        return replace(column, measure=_with(column.measure, square=numbers[0]))
    return replace(column, measure=_with(column.measure, recalls=tuple(numbers)))


def _set(measure: Measure, settings: Settings) -> Measure:
    """Measure with the options -l, -N and --compat applied. RBP uses the grades and ignores -l."""
    values = {
        "rel": 0 if measure.name == "RBP" else settings.level,
        "rounding": "up" if settings.version == 9 else "nearest",
        "documents": settings.documents,
        "scale": "query",
    }
    return _with(measure, **{name: value for name, value in values.items() if name in measure.parameters})


def _with(measure: Measure, **given: Any) -> Measure:
    """Return the measure with parameters that trec_eval allows, even if our grammar does not."""
    return replace(measure, given=MappingProxyType({**measure.given, **given}))


def values(chosen: Sequence[Column], rankings: JudgedRankings) -> Floats:
    """Ranking x column: the values of each query, as logarithms if their mean is geometric."""
    measures = [column.measure for column in chosen if column.measure is not None]
    table = compute_all(measures, rankings)
    if len(measures) < len(chosen):
        computed, table = table, np.zeros((len(rankings), len(chosen)))
        table[:, [k for k, column in enumerate(chosen) if column.measure is not None]] = computed
    for k, column in enumerate(chosen):
        if column.summary == GEOMETRIC:
            with np.errstate(divide="ignore"):
                table[:, k] = np.log(table[:, k])
        if column.measure is not None and column.of in ("Rndcg", "iprec_at_recall", "11pt_avg"):
            table[_zero_by_zero(column.measure, rankings), k] = np.nan
    return table


def _zero_by_zero(measure: Measure, rankings: JudgedRankings) -> NDArray[np.bool_]:
    """Where trec_eval divides 0 by 0: the ranking is empty, and no relevant document is needed.

    For Rndcg: the relevant documents have no gain, because of -l 0 or gains of 0.
    """
    given = measure.given
    if measure.name == "RnDCG":
        best = IdealDCG.function(rankings, gains=given.get("gains"))
        without_gain: NDArray[np.bool_] = (rankings.known(given["rel"]) > 0) & (best == 0)
        return without_gain
    recalls = (given["recall"],) if "recall" in given else given.get("recalls", TENTHS)
    needed = documents_needed(rankings, given["rel"], min(recalls), given["rounding"])
    empty: NDArray[np.bool_] = (rankings.retrieved == 0) & (needed <= 0)
    return empty


_WHOLE = re.compile(r"\s*([+-]?\d+)")
_DECIMAL = re.compile(r"\s*([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)")
_LEVEL = re.compile(r"[+-]?\d+")
_DIGITS = 18  # a C long holds any number of so many digits
_LARGEST = 2**63 - 1


def whole(text: str) -> int:
    """Integer at the start of a parameter, as C's atol reads it: 0 if there is none, limited to a C long."""
    match = _WHOLE.match(text)
    return max(-_LARGEST, min(int(match[1][: _DIGITS + 3]), _LARGEST)) if match else 0


def _decimal(text: str) -> float:
    """Return the number at the start of a parameter, as C's atof reads it: 0 if there is none."""
    match = _DECIMAL.match(text)
    return float(match[1]) if match else 0.0


def _whole_cutoffs(measure: str, text: str) -> list[int]:
    cutoffs = sorted(whole(part) for part in text.split(","))
    if cutoffs[0] <= 0:
        raise cannot_initialize(measure, "trec_eval: Negative cutoff detected")
    _refuse_repeated(measure, cutoffs)
    return cutoffs


def _decimal_cutoffs(measure: str, text: str) -> list[float]:
    cutoffs = sorted(_decimals(text))
    _refuse_repeated(measure, cutoffs)
    return cutoffs


def _decimals(text: str) -> list[float]:
    return [_decimal(part) for part in text.split(",")]


def _pairs(measure: str, text: str) -> dict[str, float]:
    """`1=0.5,p=0.8` as names and numbers; if a name is repeated, the first one counts."""
    parts = text.split(",")
    if any(part.count("=") != 1 for part in parts):
        raise cannot_initialize(measure, f"trec_eval: malformed pair parameters in '{text}'")
    pairs: dict[str, float] = {}
    for part in parts:
        name, _, value = part.partition("=")
        pairs.setdefault(name, _decimal(value))
    return pairs


def _gains(measure: str, given: dict[str, float]) -> dict[int, float]:
    """Return the pairs whose name is a grade; others, such as p, are parameters."""
    by_grade = {
        int(level): gain for level, gain in given.items() if _LEVEL.fullmatch(level) and len(level) < _DIGITS
    }
    if any(level < 0 for level in by_grade):
        raise cannot_initialize(measure, reason="an unjudged document has no gain: use grades of 0 and above")
    return by_grade


def _refuse_repeated(measure: str, cutoffs: Sequence[float]) -> None:
    if len(set(cutoffs)) < len(cutoffs):
        raise cannot_initialize(measure, "trec_eval: duplicate cutoffs detected")
