"""Arrays in a page of text: exact, compressed, and read by the page's script without a library.

All arrays lie end to end in one block, which is compressed with gzip and written in base64. The bytes of
numbers are stored by significance (all first bytes, all second bytes, ...): then neighbours are alike.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

TYPES = {"f8": "<f8", "i4": "<i4", "u2": "<u2", "u1": "|u1"}
JSON = "json"


class Packed:
    """Collects named arrays; `index` says where each begins, `text` is the whole block.

    >>> packed = Packed()
    >>> packed.add("means", [0.25, 0.5], "f8")
    >>> packed.index
    {'means': ['f8', 0, 2]}
    """

    def __init__(self) -> None:
        self.index: dict[str, list[Any]] = {}
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, name: str, values: Any, kind: str) -> None:
        """Add an array of numbers, read row by row."""
        array = np.ascontiguousarray(values, TYPES[kind]).ravel()
        by_byte = array.view(np.uint8).reshape(-1, array.itemsize).T
        self._append(name, kind, len(array), by_byte.tobytes())

    def add_json(self, name: str, value: Any) -> None:
        """Add anything that JSON can hold."""
        data = json.dumps(value, separators=(",", ":")).encode("ascii")
        self._append(name, JSON, len(data), data)

    def _append(self, name: str, kind: str, count: int, data: bytes) -> None:
        self.index[name] = [kind, self._size, count]
        self._parts.append(data)
        self._size += len(data)

    def text(self) -> str:
        """Return the block; the same arrays give the same text."""
        import gzip

        return base64.b64encode(gzip.compress(b"".join(self._parts), 6, mtime=0)).decode("ascii")
