"""`report_page`: an evaluation as one HTML file that needs neither a network nor a server."""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files as resources
from typing import Any

from unjudged.base.choices import CorrectionName, TestName, checked_int
from unjudged.base.errors import AssumptionWarning, announce
from unjudged.base.wording import percent, shortlist
from unjudged.collection.description import MODEL, Description
from unjudged.collection.query_segments import SegmentsSource
from unjudged.data.writing import write_whole
from unjudged.evidence.calibration import Calibration
from unjudged.evidence.contrast import Evidence
from unjudged.evidence.intervals.methods import Asked, How
from unjudged.inference.infer import Settings
from unjudged.inference.significance import DRAWS
from unjudged.inference.systems import alone
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.questions.calibrating import calibration_of
from unjudged.questions.comparing import compare_gathered
from unjudged.questions.fitting_measures import FROM_SAMPLES, comparable, fitting_measures
from unjudged.questions.gathering import Source, gather, predicting, subject_of
from unjudged.rankings.judged import Floats
from unjudged.rankings.origin import Origin
from unjudged.rankings.runs import RunsSource
from unjudged.report.figure import style_of_page
from unjudged.report.page.data import PageInput, packed, page_data
from unjudged.results.comparison import Comparison
from unjudged.results.grid import Grid
from unjudged.results.words import method_of_segments, segment_sentences

TITLE = "Evaluation report"
REPORT_MEASURES = ("nDCG@10", "AP", "RBP(p=0.8)")


def report_page(
    qrels: Source,
    runs: RunsSource | None = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    baseline: str | None = None,
    test: TestName | None = None,
    correction: CorrectionName = "holm",
    alpha: float | None = None,
    calibration: Calibration | None = None,
    pool_depth: int | None = None,
    predictions: Any = None,
    by: SegmentsSource | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    title: str = TITLE,
    command: str = "",
    files: Sequence[str] = (),
    on_read: Callable[[str], None] | None = None,
) -> Page:
    """Make a page that shows the runs, what is known about their differences, and what is not.

    Most arguments are those of `compare`. `command` is shown as the way to make the page again, and `files`
    are those that the judgments were read from, where `qrels` is not itself a file. If the judgments are a
    sample with strata or probabilities, the default measures are those that estimate from it. `by` gives
    the segment of each query and adds the differences by segment. `Scores`, such as those of another tool,
    may stand for judgments and runs, and `predictions` may be used with the judgments; then nothing is
    shown of documents.

    >>> from unjudged import sample
    >>> page = report_page(sample.qrels, sample.runs, ["AP", "P@10"])
    >>> page.save("page.html")  # doctest: +SKIP
    """
    subject = subject_of(qrels, runs, on_read=on_read)
    source, described, by = subject.collection, subject.described, subject.segments(by)
    test, alpha, baseline = subject.test(test), subject.alpha(alpha), subject.baseline(baseline)
    settings = Settings.of(test, correction, alpha, draws, checked_int("seed", seed))
    if source is None or predictions is not None:
        gathered = gather(subject, measures, predicted=predicting(predictions))
        found = compare_gathered(gathered, settings, baseline, by)
        sources = [("scores" if source is None else "judgments", file) for file in files]
        return Page.of(page_data(PageInput(found, sources, command, title, tables=_segments(found, by))))
    judgments, named = source.judgments, source.runs
    chosen = source.measures(measures, lambda: fitting_measures(source.judgments, REPORT_MEASURES))
    calibration = calibration_of(source, chosen) if calibration is None else calibration
    chosen, refused = comparable(chosen, judgments)
    gathered = gather(subject, chosen, pool_depth=pool_depth)
    found = compare_gathered(gathered, settings, baseline, by)
    announce(map(AssumptionWarning, refused))
    notes = [*refused, *_about_scale(judgments.scale)]
    if calibration is not None:
        notes += _calibrate(found, gathered.evidence, calibration)
    if judgments.origin.kind in FROM_SAMPLES and not any(measure.traits.estimates for measure in chosen):
        fitting = parse_measures(fitting_measures(judgments, ())[0])
        notes.append(_about_sample(judgments.origin, fitting, chosen))
    given = PageInput(
        found,
        [*(("judgments", file) for file in files or _files(described)), *named.items()],
        command,
        title,
        judgments=judgments,
        tables=_segments(found, by),
        notes=notes,
        described=described,
    )
    return Page.of(page_data(given))


def _files(described: Description) -> list[Any]:
    """Return where the judgments by people are from, or else those of a model."""
    people = [labels.file for labels in described.judgments if labels.by != MODEL]
    return people or [labels.file for labels in described.judgments]


def _calibrate(result: Comparison, evidence: Sequence[Evidence], calibration: Calibration) -> Iterator[str]:
    """Give the rows of systems their calibrated intervals, and say of which there are none."""
    measures, asked = [one.measure for one in evidence], 1 - result.settings["alpha"]
    level, problem = calibration.level(asked, measures), calibration.too_few_groups(asked, measures)
    yield f"The inner bars are calibrated intervals ({percent(level)}){f': {problem}' if problem else ''}."
    rows = {(row["system"], row["measure"]): row for row in result.systems}
    without: dict[str, list[str]] = {}
    for one in evidence:
        name = str(one.measure)
        found = Asked.of("calibrated", How(level)).columns(
            replace(alone(one), calibration=lambda: calibration)
        )
        if isinstance(found, Refusal):
            without.setdefault(f"no interval: {found.reason.partition(';')[0]}", []).append(name)
            continue
        parts = (found[part] for part in ("calibrated_low", "calibrated_high", "confidence", "method"))
        for run, low, high, sure, said in zip(one.systems, *parts, strict=True):
            if sure < 1:  # a run unlike the pooled ones has its bounds
                rows[run, name] |= {"estimate_low": float(low), "estimate_high": float(high)}
            else:
                without.setdefault(said.replace(", so these are bounds", ""), []).append(name)
    for reason, names in without.items():
        yield f"{', '.join(dict.fromkeys(names))}: {reason}."


def _about_scale(scale: Floats | None) -> list[str]:
    """Say which gain each grade on the page stands for, if grades are fractions."""
    if scale is None:
        return []
    named = shortlist([f"{place} is {gain:g}" for place, gain in enumerate(scale.tolist())], 10)
    return [f"Grades are fractions, and rankings show their places on the scale: {named}."]


Section = tuple[Sequence[str], Grid]


def _segments(result: Comparison, by: SegmentsSource | None) -> list[Section]:
    """Return the differences by segment of the queries, after whether segments differ."""
    if by is None:
        return []
    words = segment_sentences(result.segments, result.settings["alpha"])
    notes = [method_of_segments(result.settings)]
    return [(words, replace(result.grid("segments"), title="Differences by segment", notes=notes))]


def _about_sample(origin: Origin, fitting: Sequence[Measure], shown: Sequence[Measure]) -> str:
    """Say that the judgments are a sample, what that means for the measures shown, and what fits it."""
    names, fit = (", ".join(map(str, measures)) for measures in (shown, fitting))
    wide = f"{names} and their ranges know nothing of the documents that were not drawn"
    return f"The judgments are {origin}: {wide}. {fit} allows for them."


SCRIPTS = ("page", "systems", "pair", "documents")
"""Parts of the page's script, in the order in which they need each other."""


@dataclass(frozen=True, repr=False)
class Page:
    """A page in HTML; `save` writes it to a file, and a notebook shows it in a frame."""

    html: str

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Page:
        """Return the page that shows this data.

        Only its own script and style may run, as their hashes in its security policy say.
        """
        folder = resources("unjudged.report.page") / "files"
        style = style_of_page() + (folder / "page.css").read_text("utf-8")
        parts = [(folder / f"{name}.js").read_text("utf-8") for name in SCRIPTS]
        script = '"use strict";\n(() => {\n' + "\n".join(parts) + "\n})();\n"
        filled = {
            "title": html.escape(facts["title"]),
            "style": style,
            "script": script,
            "style-hash": policy_hash(style),
            "script-hash": policy_hash(script),
            "data": packed(facts),
        }
        template = (folder / "page.html").read_text("utf-8")
        return cls(re.sub(r"\{\{ ([a-z-]+) \}\}", lambda found: filled[found[1]], template))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        write_whole(path, self.html)

    def __repr__(self) -> str:
        return f"Page({len(self.html) / 1e6:.1f} MB)"

    def _repr_html_(self) -> str:
        inside = html.escape(self.html)
        return f'<iframe title="evaluation report" style="width:100%;height:80vh" srcdoc="{inside}"></iframe>'


def policy_hash(text: str) -> str:
    """Return the hash by which a security policy allows a script or a style."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
