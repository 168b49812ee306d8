"""Options of `unjudged sample`: a design with its level, or a sample for predictions, and what is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal

from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.cli.arguments import InputFile, NamedFiles, OneMeasure, Output, named_files
from unjudged.cli.given_arguments import made_by
from unjudged.cli.input_options import JudgmentOptions, read_judgments
from unjudged.cli.option import Option, OptionGroup, refuse
from unjudged.cli.output import make_folder, show
from unjudged.cli.standard_streams import progress, warn
from unjudged.formats.tables import encode
from unjudged.formats.writing import judgments_text, queries_without_lines
from unjudged.judging.designs import DESIGNS, Design, options_for_budget
from unjudged.judging.drawn_sample import DrawnSample, documents_since, draw
from unjudged.judging.pooling import Pool
from unjudged.judging.sample_file import read_sample, sample_text
from unjudged.judging.sampling import DEPTH, SHARE
from unjudged.rankings.judgments import Judgments


@dataclass(frozen=True)
class SamplingOptions:
    """A design, and its level, a share for each depth, or a number of documents that decides the level."""

    design: Design
    level: float | None
    strata: Mapping[float, float] | None
    options: Mapping[str, Any]
    budget: float | None = None

    @classmethod
    def of(
        cls,
        design: str,
        levels: Mapping[str, str | None],
        strata: str | None,
        given: Mapping[str, Any],
        budget: float | None = None,
    ) -> SamplingOptions:
        """Check that the options fit the design; `levels` has the text of --share and --depth."""
        chosen = DESIGNS.find(design)
        options = {name: value for name, value in given.items() if value is not None}
        if strata is not None and design != "stratified":
            raise UsageError("--strata goes with --design stratified")
        needed = None if strata is not None or budget is not None else chosen.level.name
        for name, text in levels.items():
            if (text is None) == (name == needed):
                problem = f"needs --{name}" if text is None else f"does not take --{name}"
                beside = " beside --strata" if strata is not None else " beside --budget" if budget else ""
                raise UsageError(f"--design {design} {problem}{beside}")
        if strata is not None and budget is not None:
            raise UsageError("--strata has a share for each depth: omit --budget")
        chosen.check_options(options)
        if strata is not None and options:
            raise UsageError("--top does not go with --strata: name the depth in --strata")
        level = None if needed is None else chosen.level.read(str(levels[needed]))
        return cls(chosen, level, None if strata is None else strata_of_text(strata), options, budget)

    def within_budget(self, pool: Pool, seed: int) -> SamplingOptions:
        """Return the options with the level that the budget allows, if there is one."""
        if self.budget is None:
            return self
        level, options = options_for_budget(self.design, pool, self.budget, seed=seed, **self.options)
        return replace(self, level=level, options=options)

    def judged(self, pool: Pool, seed: int) -> Judgments:
        """Return the part of the judgments that the design keeps."""
        if self.level is None:
            return pool.stratified(self.strata or {}, seed=seed)
        return self.design.draw(pool, self.level, seed, **self.options)

    def draw_into(self, folder: Path, pool: Pool, *, seed: int, since: Path | None) -> None:
        """Draw documents for judging and write the design and what to judge."""
        earlier = None if since is None else read_sample(since)
        fresh = pool if earlier is None else documents_since(pool, earlier)
        chosen = self.within_budget(fresh.blank, seed)
        given = {"strata": self.strata, "seed": seed, "since": earlier, "made_by": made_by()}
        sample = draw(pool, self.design, chosen.level, **given, **chosen.options)  # type: ignore[arg-type]
        if not len(sample.rows_to_judge):
            raise UsageError("no document was drawn: choose a larger share or depth")
        write_drawn(folder, sample)
        how = f", {sample.method}" if sample.method else ""
        documents = counted(len(sample.rows_to_judge), "document")
        show(f"{documents} to judge{how}: {TASK} and {DESIGN} in {folder}\n")


def strata_of_text(text: str) -> dict[float, float]:
    """`10:100%,50:30%,rest:10%` as depths and shares."""
    strata: dict[float, float] = {}
    for part in text.split(","):
        depth, colon, share = part.partition(":")
        if not colon or not (depth == "rest" or depth.isdecimal()):
            raise UsageError(f"invalid stratum {part!r}: use a depth and a share, as 10:50% or rest:5%")
        end = inf if depth == "rest" else DEPTH.read(depth)
        if end in strata:
            raise UsageError(f"stratum {depth} is given twice in {text!r}")
        strata[end] = SHARE.read(share)
    return strata


@dataclass(frozen=True)
class DrawingOptions(OptionGroup, title="Purpose and size"):
    """Purpose and size of a sample.

    Parameters
    ----------
    purpose
        predictions: draw documents of the runs for people to judge, so that their judgments and predictions
        of the rest give narrow intervals (`evaluate --predictions`). All files are runs then, --judged are
        earlier human judgments, and --to-judge is the folder to write to.
    predictions
        With --for predictions: predicted relevance. Documents that are in doubt are drawn more often. Scores
        that are no probabilities help only together with --judged. May be repeated for several judges,
        NAME=FILE: what is judged decides what each one weighs.
    kind
        With --for predictions: read the predictions as grades or as scores, whatever the file looks like.
    budget
        The number of documents to judge, instead of a share or a depth: the highest level that does not
        exceed it; designs by depth judge the next rank in some queries, chosen at random. With --for
        predictions: about how many documents to draw.
    measure
        With --for predictions: the measure to estimate, a sum such as P@10, RBP(p=0.8) or DCG@10.
    among
        With --for predictions: draw only documents that this file of judgments or this pool lists.
    """

    purpose: Annotated[Literal["predictions"] | None, Option("--for")] = None
    predictions: NamedFiles = None
    kind: Literal["grades", "scores"] | None = None
    budget: Annotated[float | None, Option("-b", "--budget")] = None
    measure: OneMeasure = "RBP(p=0.8)"
    among: InputFile = None

    def check(self, **others: object) -> None:
        """Refuse options of the other kind of sample."""
        if self.purpose is None:
            if (self.predictions, self.among, self.kind) != (None, None, None):
                raise UsageError("--predictions, --kind and --among go with --for predictions")
            return
        given = {name: value is not None for name, value in others.items()}
        refuse(f"--for {self.purpose} does not take {{}}", given)
        if self.budget is None:
            raise UsageError(f"--for {self.purpose} needs --budget: how many documents people can judge")

    def draw(
        self,
        folder: Path | None,
        runs: Sequence[str],
        *,
        inputs: JudgmentOptions,
        seed: int,
    ) -> None:
        """Draw the documents and write the folder; nothing there is overwritten."""
        from unjudged.predictions.poisson_sample import design_for_predictions
        from unjudged.predictions.predictions import Judges

        if folder is None:
            raise UsageError(f"--for {self.purpose} needs --to-judge FOLDER, where the files are written")
        known = inputs.further
        with progress("drawing"):
            design = design_for_predictions(
                inputs.runs(runs),
                self.budget or 0,
                None if not self.predictions else Judges.of(named_files(self.predictions), kind=self.kind),
                self.measure,
                qrels=read_judgments(known[0], known[1:], inputs.conflicts) if known else None,
                among=self.among,
                seed=seed,
            )
        sample = replace(design, made_by=made_by())
        if not len(sample.rows_to_judge):
            raise UsageError("no document was drawn: choose a larger budget or another seed")
        write_drawn(folder, sample)
        drawn = f"{counted(len(sample.rows_to_judge), 'document')} to judge, drawn {sample.method}"
        show(f"{drawn}: {TASK} and {DESIGN} in {folder}\n")


DESIGN, TASK = "design.txt", "to-judge.qrels"


def write_drawn(folder: Path, sample: DrawnSample) -> None:
    """Write the design of a sample and what to judge; if a file would be overwritten, none is written."""
    texts = {DESIGN: sample_text(sample), TASK: sample.task()}
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


def show_judgments(judgments: Judgments, form: str, output: Output, *, header: bool) -> None:
    """Write the judgments, with a header of comments if asked for, and say which queries have no line."""
    show(judgments_text(judgments, form, [made_by()] if header else None), output)
    warn_of_missing_queries(judgments, form)


def warn_of_missing_queries(judgments: Judgments, form: str, remedy: str = "") -> None:
    """Say which queries a reader of the file will not know of."""
    missing = queries_without_lines(judgments, form)
    if missing:
        have = "has" if len(missing) == 1 else "have"
        queries = f"{len(missing)} of {len(judgments.queries)} queries"
        more = f" ({remedy})" if remedy else ""
        warn(f"{queries} {have} no line in the file{more}: {shortlist(missing)}.")
