"""The export of the judging page: qrels with what assessors said besides, and a line that detects damage.

# unjudged-answers 1 judged <judged> of <documents> crc32 <checksum of all that follows>
# comment <query> <document> <text>
# cannot-judge <query> <document> <reason>
# later <query> <document>
# seconds <query> <document> <seconds>
<query> 0 <document> <grade, or -1 if not judged, or -2 if it cannot be>
"""

from __future__ import annotations

import re
from zlib import crc32

from unjudged.base.errors import InputError

HEAD = re.compile(rb"# unjudged-answers 1 judged ([0-9]{1,12}) of ([0-9]{1,12}) crc32 ([0-9a-f]{8})\s*")


def check_export(data: bytes, source: str) -> None:
    """Refuse an export of the judging page that was cut, damaged or edited; other files pass.

    A checksum finds accidents, not forgery. Ends of lines may have become those of another system.
    """
    with_head = data.replace(b"\r\n", b"\n")
    first, _, body = with_head.partition(b"\n")
    head = HEAD.fullmatch(first)
    if head is None or crc32(body) == int(head[3], 16):
        return
    lines = [line.split() for line in body.split(b"\n") if line and not line.startswith(b"#")]
    found = sum(not line[-1].startswith(b"-") for line in lines if line), len(lines)
    said = int(head[1]), int(head[2])
    shown = "{} of {} documents judged".format
    differs = f" ({shown(*said)} at export, {shown(*found)} now)" if said != found else ""
    remedy = "export the answers again; if you edited the file on purpose, delete its first line"
    problem = f"the checksum does not match: the file was cut, damaged or edited{differs}"
    raise InputError(f"{problem}: {remedy}", source=source, line=1)
