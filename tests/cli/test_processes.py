"""What a process does around a command: programs by name, and when garbage is collected."""

from __future__ import annotations

import gc
import subprocess
import sys
from importlib.metadata import distribution

from tests.cli.in_process import printed
from unjudged import sample
from unjudged.compat.trec_eval.program import output

FILES = [str(sample.qrels), str(sample.runs["fused"])]
COLLECTING = (
    "import atexit, gc; atexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count() > 10_000))\n"
)


def finished(name: str, *words: str, before: str = "") -> str:
    """What an installed program prints, run by its entry point."""
    (entry,) = distribution("unjudged").entry_points.select(name=name)
    code = f"{before}from {entry.module} import {entry.attr} as main; main()"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout


def test_programs_print_what_their_commands_print() -> None:
    assert finished("unjudged", "evaluate", *FILES, "-m", "AP") == printed("evaluate", *FILES, "-m", "AP")
    assert finished("unjudged-trec-eval", *FILES) == output(FILES)


def test_garbage_is_collected_except_in_what_was_imported() -> None:
    for name, words in (("unjudged", ["evaluate", *FILES, "-m", "AP"]), ("unjudged-trec-eval", FILES)):
        assert finished(name, *words, before=COLLECTING).endswith("True True\n")


def test_a_command_of_another_process_leaves_its_collector_alone() -> None:
    before = gc.get_freeze_count()
    printed("evaluate", *FILES)
    assert gc.isenabled()
    assert gc.get_freeze_count() == before
