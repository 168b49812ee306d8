"""Judgments as a description has them: who made each file, how, and which grade counts of several."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Final

from unjudged.collection.description import MODEL, STATED, Labels
from unjudged.data.sources import FILE, FileWithColumns, kind_of_source
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import CHOSEN, POOL, UNKNOWN, Kind, Origin

KIND_OF: Final[Mapping[str, Kind]] = {"pool": POOL, "chosen": CHOSEN, "unknown": UNKNOWN}


def united(labels: Sequence[Labels]) -> tuple[Judgments | None, list[str]]:
    """Return the judgments of people as one, or else those of the only model; and what to know of them."""
    if len(labels) == 1 and labels[0].by != MODEL:
        return _read(labels[0]), []
    models = [one for one in labels if one.by == MODEL]
    people = [one for one in labels if one.by != MODEL]
    if people:
        return _united(people) if len(people) > 1 else united(people)
    if not models:
        return None, []
    if len(models) > 1:
        raise models[1].place.error("are of several models and none by people: describe one of them alone")
    (name,) = by_name(models)
    return _read(models[0]), [f"The judgments are those of a model, {name}: there are none by people."]


def by_name(labels: Sequence[Labels]) -> dict[str, Any]:
    """Return the sources by the names of those who judged, or of their files."""
    named: dict[str, Any] = {}
    for one in labels:
        name = one.name or (os.fspath(one.file) if kind_of_source(one.file) == FILE else "judgments")
        if name in named:
            raise one.place.error(f"has the name {name!r}, as others do: give it another with name = ...")
        named[name] = _source(one)
    return named


def _united(people: Sequence[Labels]) -> tuple[Judgments, list[str]]:
    rules = {one.conflicts: one for one in people if one.conflicts is not None}
    if len(rules) > 1:
        known = " and ".join(map(repr, rules))
        raise [*rules.values()][1].place.at("conflicts").error(f"has different rules, {known}: expected one")
    first, *others = people
    answers = {
        name: _read(one) if _is_stated(one) else source
        for one, (name, source) in zip(others, by_name(others).items(), strict=True)
    }
    merged = import_module("unjudged.judging.merging").merge(
        _read(first), answers, conflicts=next(iter(rules), "error")
    )
    return merged.judgments, list(merged.notes)


def _source(labels: Labels) -> Any:
    return FileWithColumns.of(labels.file, labels.columns) if labels.columns else labels.file


def _is_stated(labels: Labels) -> bool:
    return (labels.how, labels.depth) != (None, None)


def _read(labels: Labels) -> Judgments:
    """Return the judgments of a file, with the origin that is stated where the file records none."""
    judgments = Judgments.of(_source(labels))
    if not _is_stated(labels):
        return judgments
    origin, how = judgments.origin, labels.how
    kind = KIND_OF.get(how or "", origin.kind)
    recorded = judgments.stratum is not None or judgments.probability is not None or origin.kind == CHOSEN
    if recorded and kind != origin.kind:
        raise labels.place.at("how").error(f"is {how!r}, and the file records {origin}")
    if how in STATED and not origin.sampled:
        return judgments
    return replace(judgments, origin=Origin(kind, labels.depth or origin.depth))
