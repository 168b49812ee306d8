"""Score six systems of a small sample collection, compare two of them, and judge more.

unjudged demo
unjudged demo --files practice

    unjudged demo
    unjudged demo --files practice
    unjudged compare practice/collection.toml
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unjudged.base.errors import UsageError
from unjudged.cli.options import Option, a_path, options
from unjudged.cli.output import on_terminal, show, wrapped
from unjudged.cli.standard_streams import already_said, terminal_width, warn

if TYPE_CHECKING:
    from pathlib import Path

    from unjudged.cli.command_line import Given

USAGE = ""
FILES = Option(
    "--files",
    dest="folder",
    writes=True,
    made=True,
    type=a_path,
    metavar="FOLDER",
    help="Write the sample collection to this new or empty folder instead, to try the commands on.",
)
OPTIONS = options(FILES)

_BEFORE = """\
Six systems, thirty queries. The first five systems were pooled and partly
judged. `dense` came later: what only it retrieves was never judged.

"""
_AFTER = """
`dense` looks poor, but its score could be much higher. Is `{ahead}` better?
`unjudged compare` says:

{said}
{again}
Try it:                   unjudged demo --files practice
Score your own files:     unjudged evaluate QRELS RUN...
Compare two systems:      unjudged compare QRELS RUN RUN
Choose what to judge:     unjudged next QRELS RUN RUN
Look up a word:           unjudged explain WORD
"""
_AGAIN = """
Then people judged the {many} documents that `unjudged next` lists. Now `dense` has
{mean:.4f}, the {rank} best mean of six.
"""
RANKS = ("", "", "second ", "third ", "fourth ", "fifth ", "sixth ")


def run(given: Given) -> None:
    """Show what the commands say of the sample, or write its files."""
    if given.folder is not None:
        write_sample(given.folder)
        return
    from unjudged import compare, sample
    from unjudged.results.rendering import render

    found = compare(sample.qrels, sample.runs)
    pair = compare(sample.qrels, {name: sample.runs[name] for name in ("dense", "reranked")})
    already_said([*found.notes_of("systems"), *pair.notes])
    after = _AFTER.format(
        ahead=pair.ahead, said=wrapped(pair.sentences(), "  ").rstrip(), again=_judged_more()
    )
    table = replace(found.grid("systems"), notes=())
    shown = render(table, "table", width=terminal_width(), bold=on_terminal(None))
    show(f"{_BEFORE}{shown!s}{after}")


def _judged_more() -> str:
    """Say what the answers change."""
    import numpy as np

    from unjudged import Judgments, compare, judging, sample

    listed = judging.next(sample.qrels, sample.runs).wanted
    answers = Judgments.of(sample.answers)
    rows_of_all = answers.pooled.names(np.arange(len(answers.grade)))
    known = dict(zip(rows_of_all, answers.grade.tolist(), strict=True))
    given: dict[str, dict[str, int]] = {}
    for one in listed:
        given.setdefault(one["query"], {})[one["document"]] = known[one["query"], one["document"]]
    judged = judging.merge(sample.qrels, {"people": given}).judgments
    rows = compare(judged, sample.runs).systems
    (mean,) = (row["mean"] for row in rows if row["system"] == "dense")
    rank = 1 + sum(row["mean"] > mean for row in rows)
    return _AGAIN.format(many=len(listed), mean=mean, rank=RANKS[rank].strip())


def write_sample(folder: Path) -> None:
    """Write the files of the sample and a description of them to a new or an empty folder, all or none."""
    import shutil

    from unjudged import sample
    from unjudged.data.streams import removed_if_ended
    from unjudged.diagnosis.describing import write_description

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists: give a new or an empty folder")
    try:
        with removed_if_ended(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for path in (sample.qrels, sample.answers, *sample.runs.values()):
                show(path.read_bytes(), folder / path.name)
            files = [folder / path.name for path in (sample.qrels, *sample.runs.values())]
            write_description(files, folder / "collection.toml")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    warn(f"Wrote {folder}: judgments, six runs, answers.qrels and collection.toml.")
