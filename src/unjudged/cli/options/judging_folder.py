"""Samples for judging in a folder, where nothing is overwritten, and judgments as a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.cli.options.arguments import Output
from unjudged.cli.options.sampling_options import SamplingOptions
from unjudged.cli.shell.output import make_folder, show
from unjudged.cli.shell.standard_streams import warn
from unjudged.formats.tables import encode
from unjudged.formats.writing import judgments_text, queries_without_lines
from unjudged.judging.collecting.drawn_sample import draw
from unjudged.judging.collecting.handing_out import hand_out, task_texts
from unjudged.judging.collecting.sample_file import read_sample, sample_text
from unjudged.judging.pooling.levels import SHARE
from unjudged.judging.pooling.pool import Pool
from unjudged.rankings.judgments import Judgments

DESIGN = "design.txt"


def draw_into(
    folder: Path,
    pool: Pool,
    chosen: SamplingOptions,
    *,
    seed: int,
    made_by: str,
    assessors: int | None,
    twice: str | None,
    since: Path | None,
) -> None:
    """Draw documents for judging and write the design and the files for assessors."""
    sample = draw(
        pool,
        chosen.design,
        chosen.level,
        strata=chosen.strata,
        seed=seed,
        since=None if since is None else read_sample(since),
        made_by=made_by,
        **chosen.options,
    )
    tasks = hand_out(sample, assessors=assessors, twice=SHARE.read(twice) if twice else 0.0)
    if not tasks:
        raise UsageError("no document was drawn: choose a larger share or depth")
    write_new(folder, {DESIGN: sample_text(sample), **task_texts(tasks, sample.marks())})
    files = counted(len(tasks), "file")
    documents = sum(map(len, tasks.values()))
    show(f"{files} with {counted(documents, 'document')} to judge, and {DESIGN}, in {folder}\n")


def write_new(folder: Path, texts: Mapping[str, str]) -> None:
    """Write these files into the folder; if one of them would be overwritten, none is written."""
    for name, text in texts.items():
        check_new(folder / name, text)
    make_folder(folder)
    for name, text in texts.items():
        show(text, folder / name)


def check_new(path: Path, text: str) -> None:
    """Refuse to replace a file that has other content."""
    if path.is_file() and path.read_bytes() != encode(text):
        problem = "exists and has other content: move it away or choose another name"
        raise InputError(problem, source=str(path))


def show_judgments(judgments: Judgments, form: str, made_by: str, output: Output) -> None:
    """Write the judgments, and say which queries have no line; without `made_by` there are no comments."""
    show(judgments_text(judgments, form, [made_by] if made_by else None), output)
    warn_of_missing_queries(judgments, form)


def warn_of_missing_queries(judgments: Judgments, form: str, remedy: str = "") -> None:
    """Say which queries a reader of the file will not know of."""
    missing = queries_without_lines(judgments, form)
    if missing:
        have = "has" if len(missing) == 1 else "have"
        queries = f"{len(missing)} of {len(judgments.queries)} queries"
        more = f" ({remedy})" if remedy else ""
        warn(f"{queries} {have} no line in the file{more}: {shortlist(missing)}.")
