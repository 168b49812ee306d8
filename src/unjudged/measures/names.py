"""Measures by name: `AP(rel=2)@10` as ir_measures writes them, or `map_cut_10` as trec_eval does."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable
from typing import cast

from unjudged.errors import UsageError
from unjudged.measures.foreign_measures import is_of_ir_measures, our_measure
from unjudged.measures.registry import MEASURES, Measure

MeasureLike = Measure | str


def parse_measures(measures: MeasureLike | Iterable[MeasureLike]) -> list[Measure]:
    """Measures from names, measures of ours or of ir_measures; trec_eval's `P.5,10` is two measures."""
    one = isinstance(measures, str | Measure) or is_of_ir_measures(measures)
    given = cast("list[MeasureLike]", [measures] if one else list(cast("Iterable[MeasureLike]", measures)))
    items = [our_measure(item) if is_of_ir_measures(item) else item for item in given]
    found = [m for item in items for m in (parse(item) if isinstance(item, str) else [item])]
    for measure in found:
        if not isinstance(measure, Measure):
            raise UsageError(f"{measure!r} is not a measure, expected a name such as 'AP' or 'nDCG@10'")
        measure.check_complete()
    if not found:
        raise UsageError("no measure given, expected at least one such as 'AP'")
    return list(dict.fromkeys(found))


def parse(text: str) -> list[Measure]:
    """The measures that a name stands for.

    >>> parse("nDCG(dcg='exp-log2')@10"), parse("map"), parse("P.5,10")
    ([nDCG(dcg='exp-log2')@10], [AP], [P@5, P@10])
    """
    name = text.strip()
    for trec_eval_name, (measure, cutoffs) in trec_eval_names().items():
        if name == trec_eval_name:
            return [measure @ cutoff for cutoff in cutoffs] or [measure]
        if cutoffs and name.startswith((trec_eval_name + "_", trec_eval_name + ".")):
            return [measure @ cutoff for cutoff in _cutoffs(name, name[len(trec_eval_name) + 1 :])]
    return [_from_grammar(name)]


def _from_grammar(text: str) -> Measure:
    """Name, Name(key=value, ...), Name@cutoff, Name(key=value, ...)@cutoff."""
    problem = f"invalid measure {text!r}: write it like AP, P@10 or nDCG(dcg='exp-log2')@10"
    try:
        tree = ast.parse(text, mode="eval").body
        at = None
        if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.MatMult):
            at, tree = ast.literal_eval(tree.right), tree.left
        parameters = {}
        if isinstance(tree, ast.Call) and not tree.args:
            parameters = {str(k.arg): ast.literal_eval(k.value) for k in tree.keywords}
            tree = tree.func
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise _unknown(text) if text.isidentifier() else UsageError(problem) from None
    if not isinstance(tree, ast.Name):
        raise UsageError(problem)
    measure = _by_name().get(tree.id)
    if measure is None:
        raise _unknown(tree.id)
    measure = measure(**parameters)
    return measure if at is None else measure @ at


def _cutoffs(text: str, written: str) -> list[float]:
    try:
        return [float(c) if "." in c else int(c) for c in written.split(",")]
    except ValueError:
        raise UsageError(f"{text!r} has invalid cutoffs {written!r}: use numbers such as 5,10") from None


def _unknown(name: str) -> UsageError:
    names = {known.lower(): known for known in [*trec_eval_names(), *_by_name(), *MEASURES]}
    close = [names[n] for n in difflib.get_close_matches(name.lower(), names, 3, 0.6)]
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    return UsageError(f"no measure is called {name!r}{hint} (`unjudged measures` lists them all)")


def _by_name() -> dict[str, Measure]:
    return {n: m for m in MEASURES.values() for n in (m.name, *m.traits.aliases)}


def trec_eval_names() -> dict[str, tuple[Measure, tuple[float, ...]]]:
    """trec_eval's names, each with its measure and its default cutoffs."""
    return {n: (m, cuts) for m in MEASURES.values() for n, cuts in m.traits.trec_eval.items()}
