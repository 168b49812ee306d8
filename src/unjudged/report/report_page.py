"""`report_page`: an evaluation as one HTML file that needs neither a network nor a server."""

from __future__ import annotations

import html
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files as resources
from typing import Any

from unjudged.base.choices import CorrectionName, TestName, checked_int
from unjudged.base.errors import UnjudgedWarning
from unjudged.base.segments import Floats
from unjudged.base.wording import percent, shortlist
from unjudged.collection.description import MODEL, Description
from unjudged.data.writing import write_whole
from unjudged.evidence.calibration import Calibration
from unjudged.evidence.contrast import Evidence, alone
from unjudged.evidence.intervals import Asked, How
from unjudged.inference.pair_tests import Settings
from unjudged.inference.significance import DRAWS
from unjudged.inference.system_rows import as_rows
from unjudged.judging.judging_page import policy_hash
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.questions.calibrating import calibration_of
from unjudged.questions.comparing import compare_gathered
from unjudged.questions.defensible_choices import compare_choices
from unjudged.questions.fitting_measures import FROM_SAMPLES, fitting_measures
from unjudged.questions.gathering import Source, asked_about, gather
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import RunsSource
from unjudged.report.figure import style_of_page
from unjudged.report.page_data import PageInput, packed, page_data
from unjudged.report.page_documents import NONE, documents_of
from unjudged.results.comparison import Comparison

TITLE = "Evaluation report"
REPORT_MEASURES = ("nDCG@10", "AP", "RBP(p=0.8)")


def report_page(
    qrels: Source,
    runs: RunsSource | None = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    interval: str | None = None,
    baseline: str | None = None,
    test: TestName | None = None,
    correction: CorrectionName = "holm",
    alpha: float | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    title: str = TITLE,
    command: str = "",
    source: str | None = None,
) -> Page:
    """Make a page that shows the runs, what is known about their differences, and what is not.

    Parameters
    ----------
    qrels, runs, measures, baseline, test, correction, alpha, draws, seed
        As in `compare`. A `Collection` has segments, a model's labels and a calibration too. Nothing is shown
        of documents if these are `Scores`. Of a sample with strata or probabilities, the default measures
        are those that estimate from it.
    interval
        As in `evaluate`; a calibrated one if there is a calibration.
    title
        The title; the name of the collection if it has one.
    command, source
        The command that makes the page again, and the words of the one that lists what to judge next.

    >>> from unjudged import sample
    >>> page = report_page(sample.qrels, sample.runs, ["AP", "P@10"])
    >>> page.save("page.html")  # doctest: +SKIP
    """
    collection = asked_about(qrels, runs)
    described, by = collection.described, collection.segments(None)
    test, alpha, baseline = collection.test(test), collection.alpha(alpha), collection.baseline(baseline)
    settings = Settings.of(test, correction, alpha, draws, checked_int("seed", seed))
    gathered = gather(collection, measures, usual=REPORT_MEASURES)
    shared, chosen = gathered.shared, [one.measure for one in gathered.evidence]
    found = compare_gathered(gathered, settings, baseline, by)
    notes, sources, documents, calibration = list[str](), list[tuple[str, Any]](), NONE, None
    if shared is not None:
        sources = [*(("judgments", file) for file in _files(described)), *collection.runs.items()]
        notes = [*_about_scale(shared.original.scale), *_about_sample(shared.original, chosen)]
        calibration = calibration_of(collection, chosen)
        choices = None
        if len(shared.runs) == 2:
            with warnings.catch_warnings():  # what they warn of was said
                warnings.simplefilter("ignore", UnjudgedWarning)
                choices = compare_choices(collection, None, chosen[0], segments=by, test=test, alpha=alpha)
        documents = documents_of(shared, found.source.origin, described, choices)
    if interval or calibration is not None:
        notes += _add_interval(found, gathered.evidence, interval or "calibrated", calibration)
    title = described.name or title if title == TITLE else title
    shown = PageInput(found, sources, command, source, title, by is not None, notes, documents)
    return Page.of(page_data(shown))


def _files(described: Description) -> list[Any]:
    """Return where the judgments by people are from, or else a model's."""
    people = [labels.file for labels in described.judgments if labels.by != MODEL]
    return people or [labels.file for labels in described.judgments]


def _add_interval(
    result: Comparison, evidence: Sequence[Evidence], interval: str, calibration: Calibration | None
) -> Iterator[str]:
    """Give the rows of systems their intervals, and say which these are and of which there are none."""
    measures, level, problem = [one.measure for one in evidence], 1 - result.settings["alpha"], ""
    if calibration is not None:
        problem, level = calibration.too_few_groups(level, measures), calibration.level(level, measures)
    asked = Asked.of(interval, How(level))
    sure = "" if asked.method.name == "bounds" else f" ({percent(asked.how.confidence)})"
    yield f"Intervals: {asked}{sure}{f'; {problem}' if problem else ''}."
    rows = {(row["system"], row["measure"]): row for row in result.systems}
    without = dict[str, list[str]]()
    for one in evidence:
        contrast, name = alone(one), str(one.measure)
        if calibration is not None:
            contrast = replace(contrast, calibration=lambda: calibration)
        found = asked.columns(contrast)
        if isinstance(found, Refusal):
            without.setdefault(f"no interval: {found.reason.partition(';')[0]}", []).append(name)
            continue
        for system, own in zip(one.systems, as_rows(found, len(contrast)), strict=True):
            if own["confidence"] == 1 and "low" not in own:  # a run unlike the pooled ones has its bounds
                without.setdefault(own["method"].replace(", so these are bounds", ""), []).append(name)
                continue
            ends = {f"estimate_{end}": own.get(f"calibrated_{end}") for end in ("low", "high")}
            rows[system, name] |= {**own, **(ends if "calibrated_low" in own else {})}
    for reason, names in without.items():
        yield f"{', '.join(dict.fromkeys(names))}: {reason}."


def _about_scale(scale: Floats | None) -> list[str]:
    """Say which gain each grade on the page stands for, if grades are fractions."""
    if scale is None:
        return []
    named = shortlist([f"{place} is {gain:g}" for place, gain in enumerate(scale.tolist())], 10)
    return [f"Grades are fractions, and rankings show their places on the scale: {named}."]


def _about_sample(judgments: Judgments, shown: Sequence[Measure]) -> list[str]:
    """Say that the judgments are a sample, what that means for the measures shown, and what fits it."""
    if judgments.origin.kind not in FROM_SAMPLES or any(measure.traits.estimates for measure in shown):
        return []
    names, fit = ", ".join(map(str, shown)), fitting_measures(judgments, ())[0]
    wide = f"{names} and their ranges know nothing of the documents that were not drawn"
    return [f"The judgments are {judgments.origin}: {wide}. {parse_measure(fit)} allows for them."]


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
        folder = resources("unjudged.report") / "page"
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
