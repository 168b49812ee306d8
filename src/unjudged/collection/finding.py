"""Where a description is: in a file or a folder that was named, in the folder of the user, or above it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from unjudged.collection.description import FILE_NAME, Description, Labels
from unjudged.data.nested_dicts import DATASET

BEIR = os.path.join("qrels", "test.tsv")


def description_of(source: Any) -> Description | None:
    """Return the description that a name stands for: a file, a folder, or a dataset; None for all else.

    A folder has a description, or files as BEIR names them.
    """
    if not isinstance(source, str | os.PathLike):
        return None
    name = os.fspath(source)
    if name.startswith(DATASET):
        return Description(judgments=(Labels(name),), queries=name, documents=name)
    if name.endswith(".toml"):
        return Description.read(name)
    inside = {one: os.path.join(name, one) for one in (FILE_NAME, BEIR, "queries.jsonl", "corpus.jsonl")}
    known = {one: file for one, file in inside.items() if os.path.isfile(file)}
    if FILE_NAME in known:
        return Description.read(known[FILE_NAME])
    if BEIR not in known:
        return None
    return Description(
        os.path.basename(os.path.abspath(name)),
        known.get("queries.jsonl"),
        known.get("corpus.jsonl"),
        judgments=(Labels(known[BEIR]),),
    )


def description_above(folder: str | os.PathLike[str] = ".") -> Description | None:
    """Return the description of a folder or of one above it, up to the root of the repository or home.

    Where neither is above the folder, only the folder itself is looked at: folders further up are not ours.
    """
    start = Path(folder).resolve()
    upward = [start, *start.parents]
    last = next((k for k, one in enumerate(upward) if (one / ".git").exists() or one == _home()), 0)
    for one in upward[: last + 1]:
        if (one / FILE_NAME).is_file():
            return Description.read(os.path.relpath(one / FILE_NAME), found=True)
    return None


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:  # nobody's process
        return None
