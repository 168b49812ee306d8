"""`unjudged`: the commands, and what is said when something is wrong."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

gc.disable()  # the imports below leave no garbage worth a tenth of the time a small evaluation takes
# Reading is what takes time here, and its threads need the cores: linear algebra's would only wait.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from cyclopts import App, CycloptsError

import unjudged
from unjudged.cli.audit import audit
from unjudged.cli.baseline import baseline
from unjudged.cli.compare import compare, next_to_judge
from unjudged.cli.demo import demo
from unjudged.cli.evaluate import evaluate
from unjudged.cli.experiment import experiment
from unjudged.cli.measures import cite, measures
from unjudged.cli.pool_and_sample import pool, sample
from unjudged.cli.simulate import simulate
from unjudged.errors import UnjudgedError, UsageError
from unjudged.formats.scan.scanner import KIND_OF_SCANNER

BAD_INPUT, WRONG_USAGE, INTERRUPTED = 1, 2, 130

app = App(
    name="unjudged",
    help="Evaluation of ranked retrieval that knows what it does not know.",
    version=f"unjudged {unjudged.__version__} (reader: {KIND_OF_SCANNER})",
    suppress_keyboard_interrupt=False,
)
for command in (evaluate, compare, audit, pool, sample, simulate, experiment, baseline, measures, cite, demo):
    app.command(command)
app.command(next_to_judge, name="next")


@app.command(name="trec_eval")
def as_trec_eval(*arguments: str) -> None:
    """Score one run by trec_eval's command line, with its output to the byte (-h tells more)."""
    from unjudged.compat.trec_eval import program as trec_eval

    trec_eval.main(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; errors are one line, and the exit code says which kind."""
    gc.enable()
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["trec_eval"]:  # its options are its own
        as_trec_eval(*words[1:])
        return
    try:
        app(arguments, exit_on_error=False, print_error=False)
    except (CycloptsError, UsageError) as error:
        fail(str(error), WRONG_USAGE)
    except UnjudgedError as error:
        fail(str(error), BAD_INPUT)
    except BrokenPipeError:
        # Whoever read our output has left; Python must not try to flush what is left of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BAD_INPUT)
    except MemoryError as error:
        fail(f"not enough memory: {error}", BAD_INPUT)
    except KeyboardInterrupt:
        fail("interrupted", INTERRUPTED)


def fail(problem: str, code: int) -> None:
    print(f"unjudged: {' '.join(problem.split())}", file=sys.stderr)
    sys.exit(code)
