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
from unjudged.cli.standard_streams import complete_output, drop_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BAD_INPUT, WRONG_USAGE, INTERRUPTED = 1, 2, 130
IN_A_GATE = 3
"""Exit code of a gate that could not be asked, whatever is wrong: 1 and 2 are answers of it."""


def trec_eval(arguments: Sequence[str] | None = None) -> None:
    """Run trec_eval's command line: byte-identical output, except for known bugs of trec_eval (see -h)."""
    if arguments is None:
        collect_nothing_imported()
    from unjudged.compat.trec_eval import program

    collect_what_follows()
    program.main(arguments)


def main(arguments: Sequence[str] | None = None) -> None:  # noqa: C901 (a line per kind of error)
    """Run the command line. An error is one line on standard error; the exit code tells its kind."""
    if arguments is None:
        collect_nothing_imported()
    words = sys.argv[1:] if arguments is None else list(arguments)
    bad_input, wrong_usage = (IN_A_GATE, IN_A_GATE) if words[:1] == ["gate"] else (BAD_INPUT, WRONG_USAGE)
    if words[:1] == ["trec_eval"]:  # it parses its own options
        trec_eval(words[1:])
        return
    try:
        if words == ["--version"]:
            with complete_output():
                print(version())
        else:
            run(words)
    except BrokenPipeError:  # the reader of our output has gone
        drop_output()
        sys.exit(bad_input)
    except UsageError as error:
        fail(str(error), wrong_usage)
    except UnjudgedError as error:
        fail(str(error), bad_input)
    except MemoryError as error:
        fail(f"not enough memory: {error}", bad_input)
    except OSError as error:  # the system refuses something that every command needs
        what = f"{error.filename}: " if error.filename else ""
        remedy = ": raise the limit, as with `ulimit -n 256`" if error.errno == errno.EMFILE else ""
        fail(f"{what}{error.strerror or error}{remedy}", bad_input)
    except KeyboardInterrupt:
        fail("interrupted", INTERRUPTED)
    except Exception:
        if bad_input == BAD_INPUT:
            raise
        sys.excepthook(*sys.exc_info())
        sys.exit(IN_A_GATE)


def run(words: list[str]) -> None:
    """Run a command, or print help."""
    from unjudged.cli.command_line import help_asked, parsed
    from unjudged.cli.standard_streams import notes_on_standard_error, terminal_width

    if (page := help_asked(words, terminal_width())) is not None:
        with complete_output():
            print(page, end="")
        return
    given = parsed(words[0], words[1:])
    with notes_on_standard_error(all_notes=getattr(given, "verbose", False)):
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
    return f"unjudged {unjudged.__version__} (reader: {reader})"


def fail(problem: str, code: int) -> None:
    """Print the problem on one line, without control characters, and exit."""
    from unjudged.base.wording import plain

    print(f"unjudged: {plain(' '.join(problem.split()))}", file=sys.stderr)
    sys.exit(code)
