"""Command line: parse, call, print. Here is what the parser and `main` share."""

from __future__ import annotations

import gc

import unjudged


def version() -> str:
    """Return the version and which reader is in use, without importing either."""
    from importlib.util import find_spec

    reader = "plain Python" if find_spec("unjudged.formats.scan.compiled.native") is None else "compiled"
    return f"unjudged {unjudged.__version__} (reader: {reader})"


def as_trec_eval(*arguments: str) -> None:
    """Run trec_eval's command line: byte-identical output, except for known trec_eval bugs (see -h)."""
    from unjudged.compat.trec_eval import program

    collect_what_follows()
    program.main(arguments)


def collect_what_follows() -> None:
    """Collect garbage again, but do not search what was imported."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
