"""Commands that study judgments, and that say what files and words are."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from unjudged.base.errors import UsageError
from unjudged.base.threads import cores
from unjudged.cli.opening import opened, threshold_of
from unjudged.cli.options import Option, a_measure, a_path, command
from unjudged.cli.output import (
    already_said,
    form_of,
    progress,
    show,
    show_figure,
    show_result,
    terminal_width,
    warn,
    wrapped,
)
from unjudged.collection.description import description_of
from unjudged.rankings.runs import file_name

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given


@command("audit", "[PEOPLE JUDGE... RUN... | SOURCE...]", "measure set seed format output decimals")
def audit(given: Given) -> None:
    """Compare a model, or a second person, with people's judgments: on documents, and on runs.

    Sources are people's judgments, then judges (grades as judgments, or probabilities as a run), then runs.
    The first file after people's is a judge, and so are further files of judgments and NAME=FILE. Of a
    description the judgments by people are compared with those by models.

        unjudged audit people.qrels model.qrels
        unjudged audit people.qrels llama=llama.qrels bob=bob.qrels *.run -m nDCG@10
        unjudged audit collection.toml --set relevant=2 -o audit.json
    """
    from unjudged.studies.auditing import audit

    form_of(given)
    given.words = _with_judge(given.words)
    with opened(given) as collection:
        pass
    options = {"threshold": threshold_of(collection, given.set), "seed": given.seed}
    with progress("comparing"):
        found = audit(collection, measures=given.measure, **options)
    show_result(found, given)


def _with_judge(words: list[str]) -> list[str]:
    """Return the words with the name of the first judge: of files it is the one after people's."""
    if not words or description_of(words[0]) is not None or not all(map(os.path.isfile, words[:2])):
        return words
    if len(words) < 2:
        raise UsageError(f"no judge given beside {words[0]}")
    return [words[0], f"{file_name(words[1])}={words[1]}", *words[2:]]


DESIGN = Option(
    "-d",
    "--design",
    known="judging.designs.DESIGNS",
    default="uniform",
    help="What is judged, with levels. Such as uniform(5%, 30%) of the judged documents; pool(5, 10), the "
    "first documents of every run; mixed(5), that pool and as many drawn from the rest; stratified(10%, "
    "top=10), the pool to depth 10 and a share of the rest. Also repeats=10; with redraw=False, samples "
    "without a relevant document are kept.",
)
AGAINST = Option(
    "--against",
    type=a_measure,
    metavar="MEASURE",
    help="The measure whose values are to be estimated. By default each measure's own target: AP of infAP, "
    "nDCG@10 of itself.",
)


@command("experiment", "[SOURCE...]", "measure set", DESIGN, AGAINST, "seed format output plot")
def experiment(given: Given) -> None:
    """Find out how few judgments would have been enough: judge less, and compare with the actual values.

    For each level and repeat of a design, every run's mean by each measure is compared with its value under
    all judgments: Kendall's tau, tau_AP, linear correlation, RMS error and bias, with their means and
    standard deviations over the repeats. The table names what a measure is compared with.

        unjudged experiment qrels.txt *.run -d "uniform(10%, 30%)"
        unjudged experiment qrels.txt *.run -d "pool(5, 10)" -m AP infAP --against AP
        unjudged experiment qrels.txt *.run -d "stratified(30%, top=5)" --plot a.svg
    """
    from unjudged.studies.experimenting import experiment

    form_of(given)
    with opened(given) as collection, progress("judging less") as on_step:
        options = {"against": given.against, "seed": given.seed, "workers": cores(), "on_step": on_step}
        found = experiment(collection, None, given.design, given.measure, **options)
    show_result(found, given)
    if given.plot is not None:
        from unjudged.report.experiment_figures import curves, scatter

        show_figure(curves(found) if len(found.source.levels) > 1 else scatter(found), given.plot)


if TYPE_CHECKING:
    from pathlib import Path

    from unjudged.cli.command_line import Given


@command("check", "[FILE...]", "format output")
def check(given: Given) -> int:
    """Say what files are, what is wrong with them, and which questions they answer by which command.

    Files may come in any order: judgments, runs, tables of scores, groups, documents and topics, or a
    description, which is this folder's if none is given. With documents it says which judgments are
    of documents that do not exist any more. With groups and the pooled runs it says how far off runs of a
    new group would be, in score and in place. `-o collection.toml` writes a description of the files, and
    never over another. The exit code is 1 if no file is recognised.

        unjudged check qrels.txt *.run
        unjudged check qrels.txt *.run groups.txt
        unjudged check qrels.txt *.run -o collection.toml
    """
    from unjudged.cli.opening import found_description
    from unjudged.diagnosis.checking import check
    from unjudged.diagnosis.describing import write_description

    files = given.files() or [found_description([], given.usage).place.file]
    if given.output is not None and given.output.suffix == ".toml":
        write_description(files, given.output)
        warn(f"Wrote {given.output}.")
        return 0
    form = form_of(given)
    found = check(*files)
    if form == "table":
        show(f"{found.text(terminal_width())}\n", given.output)
    else:
        show_result(found, given)
    return 0 if found.recognised else 1


BIBTEX = Option("--bibtex", action="store_true", help="Write BibTeX of what a paper should cite.")


@command("explain", "[WORD...]", BIBTEX, "output")
def explain(given: Given) -> None:
    """Say what a measure, a word of the output, a method, a note, an error or a saved JSON result means.

    Words of the papers are known, too: induced AP, user model, residual. Without a word the measures are
    listed by family.

        unjudged explain nDCG@10 --bibtex
        unjudged explain needs judging
        unjudged explain result.json
    """
    from unjudged.diagnosis.explaining import explain

    found = explain(" ".join(given.words) or None)
    show(found.bibtex if given.bibtex else wrapped([*_flowing(str(found))]), given.output)


def _flowing(text: str) -> Iterator[str]:
    """Yield paragraphs as one line each; lists, formulas and examples stay as they are."""
    for place, paragraph in enumerate(text.split("\n\n")):
        lines = paragraph.splitlines()
        as_is = any(line.startswith((" ", ">>>")) for line in lines)
        yield from [""] if place else []
        yield from lines if as_is else [" ".join(lines)]


FILES = Option(
    "--files",
    dest="folder",
    writes=True,
    made=True,
    type=a_path,
    metavar="FOLDER",
    help="Write the sample collection to this new or empty folder instead, to try the commands on.",
)

_BEFORE = """\
Six systems, thirty queries. The first five systems were pooled and partly
judged. `dense` came later: what only it retrieves was never judged.

"""
_AFTER = """
`dense` looks poor, but its score could be much higher. Is `{ahead}` better?
`unjudged compare` says:

{said}

Once the rest is judged, as in answers.qrels, `dense` has {mean:.4f}: the {rank} best of six.

Try it:                   unjudged demo --files practice
Score your own files:     unjudged evaluate QRELS RUN...
Compare two systems:      unjudged compare QRELS RUN RUN
Choose what to judge:     unjudged next QRELS RUN RUN
Look up a word:           unjudged explain WORD
"""
RANKS = ("", "second ", "third ", "fourth ", "fifth ", "sixth ")


@command("demo", "", FILES)
def demo(given: Given) -> None:
    """Score six systems of a small sample collection, compare two of them, and judge the rest.

    With --files the collection is written, to try the commands on.

        unjudged demo
        unjudged demo --files practice
        unjudged compare practice/collection.toml
    """
    if given.folder is not None:
        write_sample(given.folder)
        return
    from unjudged import compare, sample
    from unjudged.results.rendering import render

    found = compare(sample.qrels, sample.runs)
    pair = compare(sample.qrels, {name: sample.runs[name] for name in ("dense", "reranked")})
    best = [(row["system"], row["mean"]) for row in compare(sample.answers, sample.runs).systems]
    rank, mean = next((k, mean) for k, (name, mean) in enumerate(best) if name == "dense")
    already_said([*found.notes_of("systems"), *pair.notes])
    said = wrapped(pair.sentences(), "  ").rstrip()
    shown = render(replace(found.grid("systems"), notes=()), "table", width=terminal_width())
    show(
        f"{_BEFORE}{shown!s}{_AFTER.format(ahead=pair.ahead, said=said, mean=mean, rank=RANKS[rank].strip())}"
    )


def write_sample(folder: Path) -> None:
    """Write the files of the sample and a description of them to a new or an empty folder, all or none."""
    import shutil

    from unjudged import sample
    from unjudged.data.writing import removed_if_ended
    from unjudged.diagnosis.describing import write_description

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists: give a new or an empty folder")
    try:
        with removed_if_ended(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for path in (sample.qrels, sample.answers, *sample.runs.values()):
                show(path.read_bytes(), folder / path.name, said=False)
            files = [folder / path.name for path in (sample.qrels, *sample.runs.values())]
            write_description(files, folder / "collection.toml")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    what = "judgments, six runs, answers.qrels and collection.toml"
    warn(f"Wrote {folder}: {what}. Try: {shlex.join(['unjudged', 'compare', str(folder)])}")
