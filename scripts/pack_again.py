"""Write a source archive again, without anything that depends on where, when and by whom it was packed.

`python scripts/pack_again.py ARCHIVE`: members in the order of their names, with the time SOURCE_DATE_EPOCH,
no owner and plain modes, so that the same files give the same bytes.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import tarfile
from pathlib import Path


def packed(data: bytes, time: int) -> bytes:
    """Return the archive with the same files."""
    target = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(data)) as source,
        gzip.GzipFile("", "wb", fileobj=target, mtime=time) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for member in sorted(source.getmembers(), key=lambda member: member.name):
            plain = tarfile.TarInfo(member.name)
            plain.type, plain.size, plain.mtime = member.type, member.size, time
            plain.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            archive.addfile(plain, source.extractfile(member))
    return target.getvalue()


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_bytes(packed(path.read_bytes(), int(os.environ["SOURCE_DATE_EPOCH"])))
