"""Judgments as a command reads them: with further files, or from the design of a sample."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from unjudged.base.choices import Conflicts
from unjudged.base.errors import InputError
from unjudged.cli.shell.standard_streams import warn
from unjudged.formats.streams import name_file_in_errors
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judgments import Judgments

DESIGN = b"unjudged-design"
"""How the file of a drawn sample begins."""

CONDITION = "if every document of the pool could be drawn"
"""Assumption of estimates from a sample; a design for P@10, for example, draws among the first ten only."""


def read_judgments(
    qrels: str, judged: Sequence[str] | None, conflicts: Conflicts = "error", *, fractions: bool = False
) -> Judgments:
    """Return the judgments with those of further files; say on standard error where the files differ."""
    read = Judgments.with_fractions if fractions else Judgments.read
    judgments = _from_design(qrels) if _is_design(qrels) else read(qrels)
    if judged:
        from unjudged.judging.collecting.merging import merge

        for file in judged:
            with name_file_in_errors(file):
                merged = merge(judgments, {Path(file).stem: file}, conflicts=conflicts)
            judgments = merged.judgments
            for note in merged.notes():
                warn(f"{file}: {note}")
    return judgments


def suggest_estimates(judgments: Judgments, measures: Sequence[Measure]) -> None:
    """Where judgments are a recorded sample, name the measures that use it, unless one was asked for."""
    asked_for = any(measure.traits.estimates for measure in measures if measure.name != "infAP")
    if asked_for or not judgments.origin.sampled or not (judgments.grade >= 0).any():
        return
    if (rank := judgments.origin.depth) is not None:
        below = f"nothing is known of documents that every run has below rank {rank}"
        warn(f"These judgments are a sample: statP@{rank} estimates P@{rank} from them; {below}.")
    elif judgments.probability is not None:
        warn(f"These judgments record inclusion probabilities: statAP estimates AP from them, {CONDITION}.")
    elif judgments.stratum is not None:
        warn(f"These judgments record strata: xinfAP and statAP estimate AP from them, {CONDITION}.")


def _is_design(file: str) -> bool:
    """Whether a file records a drawn sample; pipes are left alone, because they can be read only once."""
    if not os.path.isfile(file):
        return False
    with suppress(OSError), open(file, "rb") as stream:
        return stream.read(len(DESIGN)) == DESIGN
    return False


def _from_design(file: str) -> Judgments:
    from unjudged.judging.collecting.sample_file import read_sample

    sample = read_sample(file)
    if sample.chosen:
        raise InputError("the documents were chosen for what they show: no random sample", source=file)
    return sample.judgments
