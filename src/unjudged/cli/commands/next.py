"""`unjudged next`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from unjudged.base.choices import Format
from unjudged.base.errors import InputError, UsageError
from unjudged.cli.arguments import File, Load, OneMeasure, Output
from unjudged.cli.input_options import JudgmentOptions
from unjudged.cli.option import Option
from unjudged.cli.output import own_format, show, show_grids
from unjudged.cli.sampling_options import check_new
from unjudged.cli.standard_streams import progress
from unjudged.evaluation.default_measures import DEFAULT
from unjudged.judging.next_documents import next_documents
from unjudged.judging.sample_file import sample_text
from unjudged.measures.kernel.names import parse_measure
from unjudged.results.rendering import FORMATS


def next_to_judge(
    qrels: File,
    /,
    *runs: File,
    budget: Annotated[int, Option("-b", "--budget")] = 100,
    measure: OneMeasure = DEFAULT,
    _load: Load = None,
    difference: bool = False,
    settle: bool = False,
    top: int | None = None,
    pooled: bool = False,
    prevalence: float | None = None,
    seed: int = 0,
    pairs: bool = False,
    record: Annotated[Path | None, Option(writes=True)] = None,
    inputs: JudgmentOptions = JudgmentOptions(),
    format: Annotated[
        Literal["qrels"] | Format | None, Option("-f", "--format", choices=("qrels", *FORMATS))
    ] = None,
    output: Output = None,
) -> None:
    """List the documents to judge next: those whose judgment narrows the interval most.

    The output is a qrels file with -1 instead of each grade. Fill in the grades and give it to the other
    commands as --judged FILE. Its comments mark the judgments as chosen, and name the estimates that refuse
    them because they are no random sample.

    With --settle, or by a measure other than RBP and P, the documents are those that say most about the
    order of the runs. When more judging cannot, or is unlikely to, change what `compare` says of any pair,
    the command lists nothing and says so.

    Parameters
    ----------
    qrels
        The judgments so far.
    runs
        The runs to learn more about.
    budget
        How many documents to list.
    measure
        Any measure that has bounds. Estimates such as xinfAP are refused.
    difference
        Narrow the interval of the difference between two runs, not those of their means.
    settle
        Choose what says most about the pairs of runs that judging could change. Measures other than RBP and
        P, whose intervals are no sums over documents, have it without being asked.
    top
        With --settle: only the pairs of the best runs so far, this many.
    pooled
        With --settle: only documents of the pool can be relevant; the others count as nonrelevant.
    prevalence
        With --settle: the probability that an unjudged document is relevant. By default it is learnt from
        where each run has the judged documents.
    seed
        With --settle: another number gives other random completions.
    pairs
        With --settle: print every pair of runs instead of the documents: who leads, and whether judging could
        change that.
    record
        Write a design file for `unjudged merge`.
    format
        The output format: qrels, or one that also has the gain of each document. By default the suffix of the
        output file decides, or else it is qrels.

    Examples
    --------
    unjudged next qrels.txt dense.run reranked.run --budget 20
    unjudged next qrels.txt *.run -m AP -o to-judge.qrels
    unjudged next qrels.txt dense.run reranked.run --settle --pairs
    """
    if pairs and record is not None:
        raise UsageError("--pairs lists no documents to record: omit it, or --record")
    if pairs and format == "qrels":
        raise UsageError("--pairs prints a table: omit --format qrels")
    chosen_format = own_format(format, output, "qrels")
    named = inputs.runs(runs)
    chosen = parse_measure(measure)
    with progress("choosing documents"):
        documents = next_documents(
            inputs.read(qrels, fractions=True),
            named,
            budget,
            chosen,
            difference=difference,
            settle=settle or None,
            top=top,
            pooled=pooled,
            prevalence=prevalence,
            seed=seed,
        )
    if pairs:
        if documents.settings["interval"]:
            raise UsageError("--pairs goes with --settle, or with a measure other than RBP and P")
        show_grids(documents.grid("pairs"), format, output)
        return
    if not documents.wanted:
        if documents.settings["interval"]:
            raise InputError("nothing is left to judge: every document that counts is judged")
        show(f"{documents.sentence()}\n")
        return
    if record is not None:
        text = sample_text(documents.sample())
        check_new(record, text)
        show(text, record)
    if chosen_format != "qrels":
        show_grids(documents.grid(), chosen_format, output)
        return
    show(documents.task(), output)
