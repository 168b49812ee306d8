"""Small files read whole, such as groups, calibrations and designs, and the numbers in them."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from typing import Any

from unjudged.base.choices import shown
from unjudged.base.errors import InputError
from unjudged.formats.columns import LARGEST_WHOLE, SMALLEST_WHOLE
from unjudged.formats.streams import PathLike, display_name, name_file_in_errors, on_disk, opened

LARGEST = 1 << 24
_HIGHEST = sys.float_info.max


def read_small(path: PathLike, expected: str, largest: int = LARGEST) -> bytes:
    """Return the bytes of a file, decompressed and without a byte order mark.

    `expected` completes the error for a file of more than `largest` bytes.
    """
    with name_file_in_errors(path), on_disk(path) as file, opened(file) as stream:
        blocks: list[bytes] = []
        left = largest
        while block := stream.read(min(left + 1, LARGEST)):
            blocks.append(block)
            left -= len(block)
            if left < 0:
                size = f"{largest >> 20} MB" if largest < 1 << 30 else f"{largest >> 30} GB"
                raise InputError(f"larger than {size}, expected {expected}")
    return b"".join(blocks).removeprefix(BOM_UTF8)


def read_small_text(path: PathLike, expected: str, largest: int = LARGEST) -> str:
    """Return the text of a file, which must be UTF-8."""
    try:
        return read_small(path, expected, largest).decode()
    except UnicodeDecodeError:
        raise InputError(f"not UTF-8 text, expected {expected}", source=display_name(path)) from None


def number_in_file(
    what: str, value: Any, least: float = -_HIGHEST, most: float = _HIGHEST, *, text: bool = False
) -> float:
    """Return a number of a file, which must be finite and from `least` to `most`; `text` is converted."""
    try:
        number = float(value) if text and isinstance(value, str | bytes) else value
    except ValueError:
        number = None
    if isinstance(number, int | float) and not isinstance(number, bool) and least <= number <= most:
        return float(number)
    raise _wrong(what, value, "number", least, most)


def whole_in_file(
    what: str, value: Any, least: int = SMALLEST_WHOLE, most: int = LARGEST_WHOLE, *, text: bool = False
) -> int:
    """Return a whole number of a file, which must be from `least` to `most`; `text` is converted."""
    try:
        number = int(value) if text and isinstance(value, str | bytes) else value
    except ValueError:
        number = None
    if isinstance(number, int) and not isinstance(number, bool) and least <= number <= most:
        return number
    raise _wrong(what, value, "whole number", least, most)


def _wrong(what: str, value: Any, kind: str, least: float, most: float) -> InputError:
    if most < _HIGHEST:
        wanted = f"a {kind} from {least} to {most}"
    else:
        wanted = f"a finite {kind}" + (f" of at least {least}" if least > -_HIGHEST else "")
    given = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
    return InputError(f"{what} is {shown(given)}, expected {wanted}")
