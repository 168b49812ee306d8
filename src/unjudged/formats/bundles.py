"""A published collection as one folder: a manifest names its files by role, with their hashes.

Whatever reads judgments, a design, an assignment or a calibration takes the folder in place of the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from unjudged.base.errors import InputError, quoted
from unjudged.formats.small_files import read_small

MANIFEST = "bundle.json"
SCHEMA, VERSION = "unjudged bundle", 1
JUDGMENTS, DESIGN, ASSIGNMENT, CALIBRATION = "judgments", "design", "assignment", "calibration"
LARGEST_FILE = 1 << 34
Source = TypeVar("Source")


def manifest_text(files: Mapping[str, tuple[str, bytes]], more: Mapping[str, Any]) -> str:
    """Return the manifest of files, which are given by role with their names and contents."""
    listed = {
        role: {"file": name, "bytes": len(data), "sha256": sha256(data).hexdigest()}
        for role, (name, data) in files.items()
    }
    fields = {"schema": f"{SCHEMA} {VERSION}", **more, "files": listed}
    return json.dumps(fields, indent=2, ensure_ascii=True) + "\n"


def bundled(source: Source, role: str) -> Source | Path:
    """Return the file of a bundle that has this role; anything but the folder of a bundle as it is.

    A file that was changed since the bundle was made is refused.
    """
    if not isinstance(source, str | os.PathLike):
        return source
    folder = Path(source)
    if not os.path.isfile(folder / MANIFEST):  # which is False, too, for names that no file can have
        return source
    listed = _files(folder).get(role)
    if listed is None:
        raise InputError(f"the bundle has no {role}", source=str(folder))
    name, checksum = listed
    if sha256(read_small(folder / name, role, LARGEST_FILE)).hexdigest() != checksum:
        problem = f"not the file that {MANIFEST} lists: it was changed since; get the bundle again"
        raise InputError(problem, source=str(folder / name))
    return folder / name


def _files(folder: Path) -> dict[str, tuple[str, str]]:
    """Return the name and the hash of each file, by role."""
    source = str(folder / MANIFEST)
    try:
        fields = json.loads(read_small(source, "the manifest of a bundle"))
        schema, _, version = str(fields["schema"]).rpartition(" ")
        files = {str(role): (str(one["file"]), str(one["sha256"])) for role, one in fields["files"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise InputError("not the manifest of a bundle: get the bundle again", source=source) from None
    if schema != SCHEMA or version != str(VERSION):
        problem = f"its schema is {quoted(fields['schema'])}, expected '{SCHEMA} {VERSION}'"
        raise InputError(f"{problem}: a newer version of this package may read it", source=source)
    for name, _ in files.values():
        if Path(name).name != name or name in ("", ".", ".."):
            raise InputError(f"{quoted(name)} is not the name of a file in the folder", source=source)
    return files
