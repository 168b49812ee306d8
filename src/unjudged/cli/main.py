"""`unjudged`: the commands, and the messages for errors."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

gc.disable()  # the imports leave little garbage, and collecting it takes a tenth of a small evaluation
# Reading takes most of the time, and its threads need the cores: threads for linear algebra would only wait.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from cyclopts import App, CycloptsError

import unjudged
from unjudged.cli.baseline import baseline
from unjudged.cli.calibrate import calibrate
from unjudged.cli.compare import compare
from unjudged.cli.demo import demo
from unjudged.cli.evaluate import evaluate
from unjudged.cli.experiment import experiment
from unjudged.cli.judge import judge
from unjudged.cli.measures import cite, measures
from unjudged.cli.merge import merge
from unjudged.cli.next_to_judge import next_to_judge
from unjudged.cli.plan import plan
from unjudged.cli.plan_judgments import judgments
from unjudged.cli.pool_and_sample import pool, sample
from unjudged.cli.reusability_command import reusability
from unjudged.cli.simulate import simulate
from unjudged.errors import UnjudgedError, UsageError
from unjudged.formats.scan.scanner import KIND_OF_SCANNER
from unjudged.grids.escapes import plain

BAD_INPUT, WRONG_USAGE, INTERRUPTED = 1, 2, 130

app = App(
    name="unjudged",
    help="Evaluation of ranked retrieval that knows what it does not know.",
    version=f"unjudged {unjudged.__version__} (reader: {KIND_OF_SCANNER})",
    suppress_keyboard_interrupt=False,
)
for command in (
    evaluate,
    compare,
    calibrate,
    pool,
    sample,
    judge,
    merge,
    reusability,
    simulate,
    experiment,
    baseline,
    measures,
    cite,
    demo,
):
    app.command(command)
app.command(next_to_judge, name="next")
plan.command(judgments)
app.command(plan)


@app.command(name="trec_eval")
def as_trec_eval(*arguments: str) -> None:
    """Run trec_eval's command line: byte-identical output, except for known trec_eval bugs (see -h)."""
    from unjudged.compat.trec_eval import program as trec_eval

    trec_eval.main(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line. An error is one line on standard error; the exit code tells its kind."""
    gc.enable()
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["trec_eval"]:  # it parses its own options
        as_trec_eval(*words[1:])
        return
    try:
        app(arguments, exit_on_error=False, print_error=False)
    except (CycloptsError, UsageError) as error:
        fail(str(error), WRONG_USAGE)
    except UnjudgedError as error:
        fail(str(error), BAD_INPUT)
    except BrokenPipeError:
        # Nobody reads our output any more; Python must not try to flush the rest of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BAD_INPUT)
    except MemoryError as error:
        fail(f"not enough memory: {error}", BAD_INPUT)
    except KeyboardInterrupt:
        fail("interrupted", INTERRUPTED)


def fail(problem: str, code: int) -> None:
    """Print the problem on one line, without control characters, and exit."""
    print(f"unjudged: {plain(' '.join(problem.split()))}", file=sys.stderr)
    sys.exit(code)
