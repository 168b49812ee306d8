"""`unjudged sample --for predictions`: documents for people to judge, drawn before anyone has judged them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.cli.options.arguments import InputFile, NamedFiles, OneMeasure, named_files
from unjudged.cli.options.input_options import JudgmentOptions, read_judgments
from unjudged.cli.options.option import Option, OptionGroup
from unjudged.cli.shell.command_given import made_by
from unjudged.cli.shell.output import show
from unjudged.cli.shell.progress import progress

if TYPE_CHECKING:
    from unjudged.cli.options.judging_folder import HandingOut


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
        for name, value in others.items():
            if value is not None:
                raise UsageError(f"--for {self.purpose} does not take --{name.replace('_', '-')}")
        if self.budget is None:
            raise UsageError(f"--for {self.purpose} needs --budget: how many documents people can judge")

    def draw(
        self,
        folder: Path | None,
        runs: Sequence[str],
        *,
        inputs: JudgmentOptions,
        seed: int,
        handing_out: HandingOut,
    ) -> None:
        """Draw the documents and write the folder; nothing there is overwritten."""
        from unjudged.cli.options.judging_folder import write_new
        from unjudged.predictions.poisson_sample import design_for_predictions
        from unjudged.predictions.predictions import Judges

        if folder is None:
            raise UsageError(f"--for {self.purpose} needs --to-judge FOLDER, where the files are written")
        known = inputs.further
        with progress("drawing"):
            design = design_for_predictions(
                inputs.runs(runs, f"sample --for {self.purpose} RUN..."),
                self.budget or 0,
                None if not self.predictions else Judges.of(named_files(self.predictions), kind=self.kind),
                self.measure,
                qrels=read_judgments(known[0], known[1:], inputs.conflicts) if known else None,
                among=self.among,
                seed=seed,
            )
        sample = replace(design, made_by=made_by())
        tasks, written = handing_out.tasks(sample, None, assessors="1")
        if not tasks:
            raise UsageError("no document was drawn: choose a larger budget or another seed")
        write_new(folder, written)
        where = f"{', '.join(tasks)} in {folder}"
        show(f"{counted(len(sample.rows_to_judge), 'document')} to judge, drawn {design.method}: {where}\n")


NO_PURPOSE = DrawingOptions()
