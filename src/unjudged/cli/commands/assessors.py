"""`unjudged judge` and `unjudged merge`: a page to judge documents with, and the answers as judgments."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, get_args

from unjudged.base.choices import Conflicts, Form
from unjudged.base.errors import UsageError
from unjudged.base.wording import shortlist
from unjudged.cli.arguments import File, Header, InputFile, Output
from unjudged.cli.given_arguments import made_by, usage
from unjudged.cli.option import Option
from unjudged.cli.output import show, terminal_width
from unjudged.cli.sampling_options import check_new, warn_of_missing_queries
from unjudged.cli.standard_streams import warn
from unjudged.formats.writing import FORMS, judgments_text
from unjudged.rankings.judgments import Judgments
from unjudged.results.rendering import render


def judge(
    to_judge: File,
    /,
    *,
    documents: Annotated[str, Option(reads=True)],
    queries: InputFile = None,
    grades: Annotated[str, Option("-g", "--grades")] = "0,1",
    output: Output = None,
) -> None:
    """Make one offline page to judge documents with: keys for grades, saved in the browser, export as qrels.

    Open the page in a browser; it needs no network. The keys are the grades, x (cannot judge), arrows, n
    (next unjudged) and u (undo). Answers are saved one by one, and several tabs share them. Give the exported
    file to `unjudged merge`, which refuses it if it was cut, or to --judged.

    Parameters
    ----------
    to_judge
        Documents to judge, from `unjudged sample --to-judge`, `next` or `pool`: qrels with -1 for each.
    documents
        The texts: JSONL (docno, title, text), TSV (name, text) or TREC SGML (`<DOC>`), also compressed, or
        irds:ID for a dataset of ir_datasets. They are shown whole, as they are.
    queries
        The topics: JSONL (id, title, description, narrative), TSV, TREC topics (`<top>`) or irds:ID.
    grades
        The grades that an assessor may give, whole numbers from 0 to 9.
    output
        Write the page to this file. Default: standard output.

    Examples
    --------
    unjudged judge tasks/to-judge.qrels --documents docs.tsv -o page.html
    unjudged judge pool.qrels --documents docs.tsv --queries q.tsv -o page.html
    unjudged judge pool.qrels --documents docs.tsv --grades 0,1,2,3 -o page.html
    """
    from unjudged.judging.judging_page import judging_page
    from unjudged.judging.texts import read_texts, read_topics

    scale = [word.strip() for word in grades.split(",")]
    if not all(word.isascii() and word.isdecimal() for word in scale):
        raise UsageError(f"grades are {grades!r}: use whole numbers from 0 to 9, as 0,1,2")
    task = Judgments.read(to_judge)
    names = list(task.queries)
    rows = zip(task.query.tolist(), task.documents, task.waiting.tolist(), strict=True)
    items = [(names[q], document) for q, document, waiting in rows if waiting]
    texts = read_texts(documents, {document for _, document in items})
    topics = read_topics(queries) if queries else {}
    marks = [f"# {mark}" for mark in task.marks("qrels")]
    name = Path(to_judge).stem
    show(
        judging_page(items, texts, topics, grades=[int(word) for word in scale], name=name, marks=marks),
        output,
    )
    without = [document for _, document in items if document not in texts]
    if without:
        have = "has" if len(without) == 1 else "have"
        warn(f"{len(without)} of {len(items)} documents {have} no text in {documents}: {shortlist(without)}.")
    unknown = [query for query in names if query not in topics] if queries else []
    if unknown:
        are = "is" if len(unknown) == 1 else "are"
        warn(f"{len(unknown)} of {len(names)} queries {are} not in {queries}: {shortlist(unknown)}.")


def merge(
    design: File,
    /,
    *judged: File,
    conflicts: Annotated[Conflicts, Option(choices=get_args(Conflicts))] = "error",
    allow_missing: bool = False,
    form: Annotated[Form | None, Option("-f", "--format", choices=FORMS)] = None,
    header: Header = True,
    output: Output = None,
) -> None:
    """Merge the files of assessors with the design of the sample that they judged.

    A file is one assessor, who is called like the file. The report names documents that are missing, foreign,
    not drawn, judged with different grades or answered with "cannot judge" (-2). It goes to standard output,
    or to standard error if the judgments go there. An output file with other content is not replaced.

    Parameters
    ----------
    design
        The design file of `unjudged sample --to-judge` or `unjudged next --record`.
    judged
        The files of the assessors; the order matters for --conflicts last.
    conflicts
        Which grade counts if a document has several: that of the majority, the highest or the last. error,
        and a tie of the majority, list the documents and stop.
    allow_missing
        Merge although documents have no answer yet. The judged documents of a stratum then stand for them,
        which is right if answers are missing at random.
    form
        qrels; strata, for xinfAP and infNDCG (the default if the design has several strata); prels, for
        statAP (the default if documents of a stratum were drawn with different probabilities). Where a form
        does not tell the probabilities, a comment says so, and estimates refuse the file.
    output
        Write the judgments to this file. Default: standard output.

    Examples
    --------
    unjudged merge tasks/design.txt a.qrels -o judged.qrels
    unjudged merge tasks/design.txt a.qrels b.qrels --conflicts last -o judged.txt
    unjudged merge tasks/design.txt a.qrels --format strata -o judged.strata
    """
    from unjudged.judging.merging import merge as merged_with
    from unjudged.judging.sample_file import read_sample

    if not judged:
        raise UsageError(f"no judged file given: {usage()}")
    people: dict[str, str] = {}
    for file in judged:
        name = Path(file).stem if Path(file).stem not in people else file
        if name in people:
            raise UsageError(f"the same file is given twice: {file}")
        people[name] = file
    sample = read_sample(design)
    chosen_form = form or sample.form
    if sample.chosen and chosen_form != "qrels":
        raise UsageError(f"--format {form} needs a random sample; these documents were chosen: use qrels")
    merged = merged_with(sample, people, conflicts=conflicts, allow_missing=allow_missing)
    text = judgments_text(merged.judgments, chosen_form, [made_by()] if header else [])
    if output is not None:
        check_new(output, text)
    show(text, output)
    report = render(merged.result().grids(), "table", width=terminal_width())
    show(report) if output is not None else sys.stderr.write(str(report))
    remedy = f"means leave them out, but not if you evaluate {design} with --judged"
    warn_of_missing_queries(merged.judgments, chosen_form, remedy)
