"""Columns by their names, in frames and in files with a header: which of them holds what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from unjudged.errors import InputError, UsageError, quoted
from unjudged.formats.roles import Layout

# The first name that is there counts. PyTerrier's `query` is a text and its `docid` a number of its own, so
# both come last; BEIR calls the grades of its judgments `score`.
NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "query": ("query_id", "qid", "query-id", "topic_id", "topic", "query"),
        "document": ("doc_id", "docno", "corpus-id", "document_id", "corpus_id", "document", "docid"),
        "score": ("score", "sim"),
        "grade": ("relevance", "label", "grade", "rel", "score"),
        "stratum": ("stratum",),
        "method": ("method",),
        "probability": ("iprob", "probability"),
    }
)
NEEDED = MappingProxyType({"score": ("query", "document", "score"), "grade": ("query", "document", "grade")})
OPTIONAL = MappingProxyType({"score": (), "grade": ("stratum", "method", "probability")})


def columns_of(header: Sequence[str], number: str, given: Mapping[str, str]) -> dict[str, str]:
    """The name of the column for each role: as `given`, else one of those that tools use.

    `number` is "score" for runs and "grade" for judgments, which may have a stratum, or a probability, too.
    """
    needed, optional = NEEDED[number], OPTIONAL[number]
    found = _checked(header, (*needed, *optional), given)
    for role in (*needed, *optional):
        if role not in found:
            known = next((name for name in NAMES[role] if name in header), None)
            if known is not None:
                found[role] = known
            elif role in needed:
                names = f"{', '.join(NAMES[role])}, or its name given as {role}="
                raise InputError(f"no column is the {role} among {_listed(header)}, expected {names}")
    if "probability" not in found:
        found.pop("method", None)
    twice = next((name for name in found.values() if list(header).count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two columns are called {quoted(twice)}, expected one")
    return {role: found[role] for role in NAMES if role in found}


def _checked(header: Sequence[str], roles: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    for role, name in given.items():
        if role not in roles:
            raise UsageError(f"{role!r} is no column of these, expected {', '.join(roles)}")
        if name not in header:
            raise InputError(f"no column is called {quoted(str(name))} among {_listed(header)}")
    return dict(given)


def is_header(fields: Sequence[str]) -> bool:
    """Whether these are the names of columns, a query's and a document's among them."""
    return all(any(name in fields for name in NAMES[role]) for role in ("query", "document"))


def layout_of(columns: Mapping[str, str]) -> Layout:
    return Layout(tuple(columns))


def _listed(header: Sequence[str]) -> str:
    shown = ", ".join(quoted(str(name)) for name in header[:12])
    return (shown or "none") + (", ..." if len(header) > 12 else "")
