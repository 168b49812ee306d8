"""A source archive does not depend on where, when and by whom it was packed."""

from __future__ import annotations

import io
import tarfile

from pack_again import packed

FILES = {"a/b.txt": b"text", "a/run": b"#!/bin/sh\n", "a/\u00e9" + "x" * 120: b""}


def archive(names: list[str], time: int, owner: str, mode: int) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as made:
        folder = tarfile.TarInfo("a")
        folder.type, folder.mtime, folder.uname = tarfile.DIRTYPE, time, owner
        made.addfile(folder)
        for name in names:
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.uname, member.uid = len(FILES[name]), time, owner, time
            member.mode = mode | 0o111 if name == "a/run" else mode
            made.addfile(member, io.BytesIO(FILES[name]))
    return target.getvalue()


def test_the_same_files_give_the_same_bytes() -> None:
    names = list(FILES)
    one, two = archive(names, 5, "me", 0o644), archive(names[::-1], 7, "you", 0o664)
    assert one != two
    assert packed(one, 100) == packed(two, 100)
    with tarfile.open(fileobj=io.BytesIO(packed(one, 100))) as found:
        members = {member.name: member for member in found.getmembers() if member.isfile()}
        contents = {name: found.extractfile(member).read() for name, member in members.items()}  # type: ignore[union-attr]
    assert contents == FILES
    assert {member.mtime for member in members.values()} == {100}
    assert members["a/run"].mode == 0o755
