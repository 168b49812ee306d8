"""`unjudged`: the commands, and the messages for errors."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys

# Reading takes most of the time, and its threads need the cores: threads for linear algebra would only wait.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import unjudged
from unjudged.base.errors import InputError, UnjudgedError, UsageError
from unjudged.base.wording import plain
from unjudged.cli.output import drop_output, notes_on_standard_error, show, terminal_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BAD_INPUT, WRONG_USAGE, INTERRUPTED = 1, 2, 130
IN_A_GATE = 3
"""Exit code of a gate that could not be asked, for any reason: 1 and 2 are its answers."""


def trec_eval(arguments: Sequence[str] | None = None) -> None:
    """Run trec_eval's command line: byte-identical output, except for known bugs of trec_eval (see -h)."""
    if arguments is None:
        collect_nothing_imported()
    from unjudged.compat.trec_eval import main as evaluate

    collect_what_follows()
    evaluate(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line. An error is one line on standard error; the exit code names its kind."""
    if arguments is None:
        collect_nothing_imported()
    words = sys.argv[1:] if arguments is None else list(arguments)
    gate = words[:1] == ["gate"]
    try:
        run(words)
    except BrokenPipeError:  # the reader of our output has gone
        drop_output()
        sys.exit(IN_A_GATE if gate else BAD_INPUT)
    except KeyboardInterrupt:
        fail("interrupted", INTERRUPTED)
    except (UnjudgedError, MemoryError, OSError) as error:
        code = WRONG_USAGE if isinstance(error, UsageError) else BAD_INPUT
        fail(_said_of(error), IN_A_GATE if gate else code)
    except Exception:
        if not gate:
            raise
        sys.excepthook(*sys.exc_info())  # Python would end with 1, which a build takes for "fail"
        sys.exit(IN_A_GATE)


def _said_of(error: BaseException) -> str:
    """Return an error on one line; an error of the operating system with the file that it is about."""
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}"
    if not isinstance(error, OSError):
        return str(error)
    what = f"{error.filename}: " if error.filename else ""
    remedy = ": raise the limit, as with `ulimit -n 256`" if error.errno == errno.EMFILE else ""
    return f"{what}{error.strerror or error}{remedy}"


def run(words: list[str]) -> None:
    """Run a command, or print help or the version."""
    if words[:1] == ["trec_eval"]:  # it parses its own options
        trec_eval(words[1:])
        return
    if words == ["--version"]:
        show(version())
        return
    from unjudged.cli.command_line import help_asked, parsed

    if (page := help_asked(words, terminal_width())) is not None:
        show(page)
        return
    given = parsed(words[0], words[1:])
    with notes_on_standard_error(all_notes=given.verbose):
        collect_what_follows()
        try:
            code = given.command.run(given)
        except SystemExit as error:
            raise InputError(f"code that was loaded ended the program (exit code {error.code})") from None
    sys.exit(code or 0)


def collect_nothing_imported() -> None:
    """Put off collecting garbage, which would take a sixth of a small evaluation and find next to none."""
    gc.disable()
    atexit.register(gc.freeze)


def collect_what_follows() -> None:
    """Collect garbage again, but do not search what was imported."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def version() -> str:
    """Return the version and which reader is in use, without importing either."""
    from importlib.util import find_spec

    reader = "plain Python" if find_spec("unjudged.data.scan.compiled.native") is None else "compiled"
    return f"unjudged {unjudged.__version__} (reader: {reader})\n"


def fail(problem: str, code: int) -> None:
    """Print the problem on one line, without control characters, and exit."""
    if sys.stderr is not None:
        sys.stderr.write(f"unjudged: {plain(' '.join(problem.split()))}\n")
    sys.exit(code)
