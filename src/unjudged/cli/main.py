"""`unjudged`: the commands, and the messages for errors."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import contextmanager

# Reading takes most of the time, and its threads need the cores: threads for linear algebra would only wait.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import unjudged
from unjudged.base.errors import InputError, UnjudgedError, UsageError
from unjudged.cli.shell.command_table import ARGUMENTS, TASKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cyclopts import App

BAD_INPUT, WRONG_USAGE, INTERRUPTED = 1, 2, 130


def make_app(*, listing: bool = False) -> App:
    """The commands; for the list of them with their summaries instead of their own help."""
    from cyclopts import App, Group

    app = App(
        name="unjudged",
        help="Evaluation of ranked retrieval that knows what it does not know.",
        version=version,
        help_format="plaintext" if listing else None,
        suppress_keyboard_interrupt=False,
    )
    for n, (task, commands) in enumerate(TASKS.items()):
        group = Group(task, sort_key=n)
        for place, (name, (function, summary)) in enumerate(commands.items()):
            options = {"help": summary} if listing else {}
            if name in ARGUMENTS:
                options["usage"] = f"Usage: unjudged {name} {ARGUMENTS[name]} [OPTIONS]"
            app.command(f"unjudged.cli.{function}", name=name, group=group, sort_key=place, **options)
    app.command(as_trec_eval, name="trec_eval", group=group, sort_key=len(commands))
    app["--help"].group = app["--version"].group = Group("Options", sort_key=len(TASKS))
    return app


def version() -> str:
    """The version, and which reader is in use; nothing of it is imported."""
    from importlib.util import find_spec

    reader = "plain Python" if find_spec("unjudged.formats.scan.compiled") is None else "compiled"
    return f"unjudged {unjudged.__version__} (reader: {reader})"


def as_trec_eval(*arguments: str) -> None:
    """Run trec_eval's command line: byte-identical output, except for known trec_eval bugs (see -h)."""
    from unjudged.compat.trec_eval import program

    collect_what_follows()
    program.main(arguments)


def trec_eval() -> None:
    """Run `unjudged-trec-eval`."""
    collect_nothing_imported()
    as_trec_eval(*sys.argv[1:])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line. An error is one line on standard error; the exit code tells its kind."""
    if arguments is None:
        collect_nothing_imported()
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["trec_eval"]:  # it parses its own options
        as_trec_eval(*words[1:])
        return
    try:
        if words == ["--version"]:
            with _on_standard_output():
                print(version())
        else:
            run(words)
    except BrokenPipeError:  # nobody reads our output any more
        drop_output()
        sys.exit(BAD_INPUT)
    except UsageError as error:
        fail(str(error), WRONG_USAGE)
    except UnjudgedError as error:
        fail(str(error), BAD_INPUT)
    except MemoryError as error:
        fail(f"not enough memory: {error}", BAD_INPUT)
    except KeyboardInterrupt:
        fail("interrupted", INTERRUPTED)


def run(words: list[str]) -> None:
    """Run a command, or list the commands."""
    if words and words[0] in ("help", "-h", "--help"):
        words = [*words[1:], "--help"] if not words[1:] or _is_command(words[1]) else words[1:]
    if words in ([], ["--help"]):
        parsed(words, listing=True)()
        return
    from unjudged.cli.options.measure_words import separate_measures
    from unjudged.cli.options.overwriting import check_not_overwritten
    from unjudged.cli.shell.standard_error import warnings_on_standard_error

    check_not_overwritten(words)
    with warnings_on_standard_error():
        command = parsed(separate_measures(words))
        collect_what_follows()
        command()
        sys.exit(0)


def _is_command(word: str) -> bool:
    return any(word in commands for commands in TASKS.values())


def parsed(words: list[str], *, listing: bool = False) -> Callable[[], object]:
    """What the words ask for."""
    if words[:1] == ["evaluate"]:
        from unjudged.cli.shell.plain_evaluate import plain_evaluation

        plain = plain_evaluation(words[1:])
        if plain is not None:
            return plain
    from functools import partial

    from cyclopts import CycloptsError

    try:
        app = make_app(listing=listing)
        command, given, _ = app.parse_args(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        from unjudged.cli.shell.usage_errors import problem_of

        raise UsageError(problem_of(error)) from None
    call = partial(command, *given.args, **given.kwargs)
    if command.__name__ == "help_print":
        return _on_standard_output()(call)
    from unjudged.cli.shell.output import check_files_to_write

    check_files_to_write(given.arguments)
    return call


@contextmanager
def _on_standard_output() -> Iterator[None]:
    """Help that cannot be written is an error like any other."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        raise InputError(f"standard output: cannot be written: {error.strerror}") from None


def drop_output() -> None:
    """Forget what was not written: Python would try to write it at its end, and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def collect_nothing_imported() -> None:
    """Put off collecting garbage, which would take a sixth of a small evaluation and find next to none."""
    gc.disable()
    atexit.register(gc.freeze)


def collect_what_follows() -> None:
    """Collect garbage again, but do not search what was imported."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def fail(problem: str, code: int) -> None:
    """Print the problem on one line, without control characters, and exit."""
    from unjudged.grids.escapes import plain

    print(f"unjudged: {plain(' '.join(problem.split()))}", file=sys.stderr)
    sys.exit(code)
