"""Score six systems of a small sample collection, compare two of them, and judge the rest.

With --files the collection is written, to try the commands on.

    unjudged demo
    unjudged demo --files practice
    unjudged compare practice/collection.toml
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unjudged.base.errors import UsageError
from unjudged.cli.options import Option, a_path, options
from unjudged.cli.output import wrapped
from unjudged.cli.standard_streams import already_said, show, terminal_width, warn

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

Once the rest is judged, as in answers.qrels, `dense` has {mean:.4f}: the {rank} best of six.

Try it:                   unjudged demo --files practice
Score your own files:     unjudged evaluate QRELS RUN...
Compare two systems:      unjudged compare QRELS RUN RUN
Choose what to judge:     unjudged next QRELS RUN RUN
Look up a word:           unjudged explain WORD
"""
RANKS = ("", "second ", "third ", "fourth ", "fifth ", "sixth ")


def run(given: Given) -> None:
    """Show what the commands say of the sample, or write its files."""
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
