"""Images of documents from a folder, for pages that load nothing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from unjudged.base.errors import InputError
from unjudged.formats.small_files import read_small

KINDS = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}
"""How files begin, and the kind of image that browsers call them."""
ENDINGS = ("", ".png", ".jpg", ".jpeg", ".gif", ".webp")
LARGEST = 1 << 25


class Image(NamedTuple):
    """The name of a file, and its content as an address."""

    name: str
    source: str


def read_images(folder: Path, named: Mapping[str, Iterable[str]]) -> tuple[dict[str, list[Image]], list[str]]:
    """Return the images of documents, and the files that are missing.

    A document names its files, or its image is the file that is called like the document. Names that lead out
    of the folder are missing.
    """
    if not folder.is_dir():
        raise InputError("not a folder, expected one with images", source=str(folder))
    present = {path.name: path for path in folder.iterdir() if path.is_file()}
    found: dict[str, list[Image]] = {}
    missing = []
    for document, names in named.items():
        wanted = list(names)
        missing += [name for name in wanted if name not in present]
        own = [f"{document}{ending}" for ending in ENDINGS if f"{document}{ending}" in present][:1]
        images = [_image(present[name]) for name in wanted or own if name in present]
        if images:
            found[document] = images
    return found, missing


def _image(path: Path) -> Image:
    data = read_small(path, "an image", LARGEST)
    kind = next((kind for start, kind in KINDS.items() if data.startswith(start)), None)
    if kind is None:
        raise InputError("not an image: expected PNG, JPEG, GIF or WebP", source=str(path))
    return Image(path.name, f"data:image/{kind};base64,{b64encode(data).decode()}")
