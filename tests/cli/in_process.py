"""The command line without a process of its own, for tests of what it prints."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from unittest.mock import patch

from unjudged.cli.main import main

NO_SAMPLE = b"infAP needs a uniform sample, but "
"""The judged documents of the sample collection are no random sample, which the default table always says."""


def unjudged(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Exit code and output of a command, in a terminal of 80 columns unless COLUMNS says otherwise."""
    streams = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(stream, encoding="utf-8") for stream in streams)
    code: object = 0
    with (
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
        patch.dict(os.environ, {"COLUMNS": "80", **environment}),
    ):
        try:
            main(arguments)
        except SystemExit as end:
            code = end.code or 0
        out.flush()
        err.flush()
    assert isinstance(code, int)
    said = b"".join(line for line in streams[1].getvalue().splitlines(True) if NO_SAMPLE not in line)
    return subprocess.CompletedProcess(arguments, code, streams[0].getvalue(), said)


NOTE = "expanded returned nothing for q17 (1 of 30 queries) and scores 0 there."
"""The sample collection has a run that misses a query, so commands that read it say so."""

USUAL = re.compile(
    r"(wrote|unjudged: Wrote|unjudged: Using|.*Tied scores|! What more judging|! 68 %) .*"
    r"|[0-9]+ notes?( \(.*\))?: -v"
)
"""Other lines that commands write to standard error without anything being wrong."""


def printed(*arguments: str) -> str:
    done = unjudged(*arguments)
    assert done.returncode == 0, done.stderr.decode()
    for line in done.stderr.decode().splitlines():
        assert line in (f"unjudged: {NOTE}", f"! {NOTE}", NOTE) or USUAL.fullmatch(line), line
    return done.stdout.decode()


def everything(*arguments: str) -> str:
    """Return what a command prints with all notes, on one line."""
    done = unjudged(*arguments, "-v")
    assert done.returncode == 0, done.stderr.decode()
    return " ".join((done.stdout + done.stderr).decode().split())


def refused(code: int, *arguments: str) -> str:
    done = unjudged(*arguments)
    assert done.returncode == code
    assert done.stdout == b""
    (line,) = [one for one in done.stderr.decode().splitlines() if "Using" not in one]
    assert line.startswith("unjudged: ")
    return line.removeprefix("unjudged: ")
