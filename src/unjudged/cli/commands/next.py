"""`unjudged next`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from unjudged import to_judge
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted
from unjudged.cli.options.arguments import File, Output, number_or_name, one_measure
from unjudged.cli.options.input_files import check_files
from unjudged.cli.options.input_options import NONE_FURTHER, JudgmentInputs
from unjudged.cli.options.judging_folder import check_new
from unjudged.cli.shell.output import own_format, show, show_grids
from unjudged.cli.shell.progress import progress
from unjudged.formats.writing import qrels_text
from unjudged.judging.choosing.choosing import Chosen, choose
from unjudged.judging.collecting.design_file import design_text
from unjudged.rankings.origin import CHOSEN, Origin

UNJUDGED = -1
MARK = Origin(CHOSEN).mark()


def next_to_judge(
    qrels: File,
    /,
    *runs: File,
    budget: Annotated[int, Parameter(("-b", "--budget"))] = 100,
    measure: Annotated[str, Parameter(("-m", "--measure"))] = "RBP(p=0.8)",
    difference: Annotated[bool, Parameter(negative="")] = False,
    settle: Annotated[bool, Parameter(negative="")] = False,
    top: int | None = None,
    pooled: Annotated[bool, Parameter(negative="")] = False,
    prevalence: str = "runs",
    seed: int = 0,
    confidence: float | None = None,
    forecast: Annotated[bool, Parameter(negative="")] = False,
    record: Path | None = None,
    inputs: JudgmentInputs = NONE_FURTHER,
    format: Literal["qrels", "table", "csv", "tsv", "json", "jsonl", "markdown", "latex", "html", "parquet"]
    | None = None,
    output: Output = None,
) -> None:
    """List the documents to judge next: those whose judgment narrows the interval most.

    The output is a qrels file with -1 instead of each grade. Fill in the grades and give it to the other
    commands as --judged FILE. Its comment marks the judgments as chosen: they are not a random sample, so
    infAP, xinfAP, statAP and the like refuse them.

    With --settle, or by a measure other than RBP and P, the documents are those that say most about the
    order of the runs; when the judgments settle every pair, the command says so and lists nothing.

    Parameters
    ----------
    qrels
        The judgments so far.
    runs
        The runs to learn more about.
    budget
        How many documents to list.
    measure
        Any measure that has bounds.
    difference
        Narrow the interval of the difference between two runs, not those of their means.
    settle
        Choose what says most about the pairs of runs whose order is still open. Measures other than RBP and
        P, whose intervals are no sums over documents, have it without being asked.
    top
        With --settle: only the pairs of the best runs so far, this many.
    pooled
        With --settle: only documents of the pool can be relevant; the others count as nonrelevant.
    prevalence
        With --settle: the probability that an unjudged document is relevant, or how to estimate it: runs
        (from where each run has the judged documents), rank, all or query.
    seed
        With --settle: another number gives other random completions.
    confidence
        With --settle: count a pair as settled if its order holds in this central share of random completions,
        such as 0.95. That is as good as the prevalence: with 0.95, 2 to 5 % of the settled pairs of TREC-8
        runs were in the wrong order, and up to 11 % among ten runs (docs/laboratory.md). By default the order
        must hold in every completion, which takes nearly all judgments for measures other than RBP and P.
    forecast
        With --settle: say about how many judgments would settle every pair.
    record
        With --settle: write a design file for `unjudged merge`.
    inputs
        Options for reading files.
    format
        The output format: qrels, or one that also has the gain of each document. By default the suffix of the
        output file decides, or else it is qrels.
    output
        Write to this file.
    """
    check_files([qrels, *runs, *inputs.further])
    chosen_format = own_format(format, output, "qrels")
    named = inputs.runs(runs, "next QRELS RUN...")
    chosen = one_measure(measure)
    if settle or chosen.traits.weight is None:
        if difference:
            raise UsageError("--difference is for RBP and P, and does not go with --settle: omit it")
        with progress("choosing documents"):
            found = choose(
                inputs.read(qrels),
                named,
                budget,
                chosen,
                top=top,
                pooled=pooled,
                prevalence=number_or_name(prevalence),
                seed=seed,
                confidence=confidence,
                forecast=forecast,
            )
        _show_chosen(found, chosen_format, output, record)
        return
    _refuse_ignored(
        top=(top, None),
        pooled=(pooled, False),
        prevalence=(prevalence, "runs"),
        seed=(seed, 0),
        confidence=(confidence, None),
        forecast=(forecast, False),
        record=(record, None),
    )
    with progress("choosing documents"):
        judgments = inputs.read(qrels)
        wanted = to_judge(judgments, named, budget, chosen, difference=difference)
    if not wanted:
        raise InputError("nothing is left to judge: every document that counts is judged")
    if chosen_format != "qrels":
        show_grids(wanted.grid(), chosen_format, output)
        return
    narrowed, what = sum(one.gain for one in wanted), "difference" if difference else "mean"
    they = "It narrows" if len(wanted) == 1 else "Together they narrow"
    comments = [
        _asked(len(wanted)),
        f"{they} the interval of the {what} {chosen} by {narrowed:.6f}.",
        MARK,
    ]
    show(qrels_text([(one.query, one.document, UNJUDGED) for one in wanted], comments), output)


def _refuse_ignored(**options: tuple[object, object]) -> None:
    """Refuse options, each with its default, that only --settle uses."""
    given = [f"--{name}" for name, (value, default) in options.items() if value != default]
    if given:
        go = "goes" if len(given) == 1 else "go"
        raise UsageError(f"{' and '.join(given)} {go} with --settle, or with a measure other than RBP and P")


def _asked(documents: int) -> str:
    return f"{counted(documents, 'document')} to judge: replace each -1 by a grade."


def _show_chosen(found: Chosen, format: str, output: Output, record: Path | None) -> None:
    """The documents that were chosen, or the sentence that says that judging can stop."""
    if not found.wanted:
        show(f"{found.sentence()}\n")
        return
    if record is not None:
        text = design_text(found.sample())
        check_new(record, text)
        show(text, record)
    if format != "qrels":
        show_grids(found.grid(), format, output)
        return
    comments = [_asked(len(found.wanted)), found.sentence(), MARK]
    show(qrels_text([(one.query, one.document, UNJUDGED) for one in found.wanted], comments), output)
