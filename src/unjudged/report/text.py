"""Text that came from a file, made safe to show; and text that is written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}
_MARKDOWN = "\\`*_{}[]<>()#+!|~&$"


def plain(text: str) -> str:
    """Printable characters as they are, all others escaped: nothing can command a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in plain(text))


def markdown(text: str) -> str:
    return "".join("\\" + c if c in _MARKDOWN else c for c in plain(text))


def write_whole(path: Path, content: str | bytes) -> None:
    """The file appears complete or stays as it was; what is no regular file is written to as it is."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    path = path.resolve()
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(unfinished, 0o666 & ~_umask())
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
