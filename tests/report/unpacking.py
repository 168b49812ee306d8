"""The arrays of a page again."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import numpy as np

from unjudged.report.page.packed import JSON, TYPES


def unpacked(index: dict[str, list[Any]], text: str) -> dict[str, Any]:
    """Return the arrays as the page's script reads them."""
    block = gzip.decompress(base64.b64decode(text))
    found: dict[str, Any] = {}
    for name, (kind, start, count) in index.items():
        if kind == JSON:
            found[name] = json.loads(block[start : start + count])
            continue
        dtype = np.dtype(TYPES[kind])
        by_byte = np.frombuffer(block, np.uint8, count * dtype.itemsize, start)
        found[name] = np.ascontiguousarray(by_byte.reshape(dtype.itemsize, count).T).view(dtype).ravel()
    return found
