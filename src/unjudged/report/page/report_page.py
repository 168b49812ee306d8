"""`report_page`: an evaluation as one HTML file that needs neither a network nor a server."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files as resources
from importlib.util import find_spec
from itertools import chain
from typing import Any, cast

import numpy as np

from unjudged.base.choices import CorrectionName, CorrectOver, IntervalName, TestName
from unjudged.base.errors import AssumptionWarning, UsageError, announce, missing_package
from unjudged.base.wording import shortlist
from unjudged.comparison.comparison_result import Comparison
from unjudged.comparison.systems import comparable, compare
from unjudged.comparison.testing.significance import DRAWS
from unjudged.evaluation.collection import Collection, RunsSource, name_runs
from unjudged.evaluation.evaluation import FROM_SAMPLES, fitting_measures
from unjudged.evaluation.query_segments import SegmentsSource
from unjudged.evaluation.scores import Scores
from unjudged.formats.writing import write_whole
from unjudged.measures.kernel.estimand import ALL_JUDGED, Estimand
from unjudged.measures.kernel.measure import compute_all
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.origin import below_pool
from unjudged.report.descriptions import IN_THE_DARK
from unjudged.report.page.data import (
    PageInput,
    page_data,
    sample_section,
    segments_section,
    words_for_sample,
)
from unjudged.uncertainty.calibration import Calibration
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import NoIntervalError
from unjudged.uncertainty.shared import SharedRankings

TITLE = "Evaluation report"
REPORT_MEASURES = ("AP", "nDCG@10", "RBP(p=0.8)")


def report_page(
    qrels: JudgmentsSource | Scores,
    runs: RunsSource | None = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    baseline: str | None = None,
    test: TestName = "t",
    correction: CorrectionName = "holm",
    correct_over: CorrectOver = "pairs",
    alpha: float = 0.05,
    calibration: Calibration | None = None,
    confidence: float = 0.95,
    pool_depth: int | None = None,
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
    sample with strata or probabilities, the default measures are those that estimate from it; beside
    others, a section has the estimates that fit. `by` gives the segment of each query and adds the
    differences by segment. `Scores` of two or more systems, such as those of another tool, may stand for
    judgments and runs; then nothing is shown of documents.

    >>> from unjudged import sample
    >>> page = report_page(sample.qrels, sample.runs, ["AP", "P@10"])
    >>> page.save("page.html")  # doctest: +SKIP
    """
    tests: dict[str, Any] = {"test": test, "correction": correction, "correct_over": correct_over}
    tests |= {"alpha": alpha, "draws": draws, "seed": seed}
    if isinstance(qrels, Scores):
        compared = compare(qrels, runs, measures, baseline=baseline, **tests)
        scores = qrels.chosen(measures)
        of_scores = PageInput(
            scores=scores,
            bounds=_bounds_of(compared),
            queries=_estimated(scores, "queries", confidence=confidence, seed=seed),
            sources=[("scores", file) for file in files],
            command=command,
            title=title,
            comparison=compared,
            extras=_segments(compared, by),
        )
        return Page.of(*page_data(of_scores))
    judgments = Judgments.with_fractions(qrels)
    chosen = parse_measures(measures or fitting_measures(judgments, REPORT_MEASURES))
    chosen = [measure.on_scale(judgments.scale) for measure in chosen]
    scale, judgments = judgments.scale, judgments.by_whole_grades()
    chosen, refused = comparable(chosen, judgments)
    named = name_runs(cast("RunsSource", runs))
    comparison = None
    if len(named) > 1:
        comparison = compare(
            judgments,
            named,
            chosen,
            baseline=baseline,
            pool_depth=pool_depth,
            on_read=on_read,
            **tests,
        )
        shared, scores = comparison.documents, _scores_of(comparison)
        bounds: Sequence[Sequence[Estimate]] = _bounds_of(comparison)
    else:
        shared = Collection.of(judgments, named, on_read=on_read).shared()
        reach = judgments.origin.pool_depth(pool_depth)
        scores = _evaluated(shared, chosen)
        if reach is not None:
            closed = shared.judged_to_pool_depth(reach)
            scores = replace(scores, bounding=closed, pool_depth=reach)
        bounds = _estimated(scores, "bounds")
        announce(scores.warnings)
    announce(map(AssumptionWarning, refused))
    calibrated, notes = None, [*refused, *_about_scale(scale)]
    if comparison is None and scores.pool_depth is not None:
        notes.append(f"Bounds: {below_pool(scores.pool_depth)}.")
    if calibration is not None:
        level, pooled = calibration.level(confidence, chosen), _evaluated(shared, chosen)
        estimates = pooled.estimate("calibrated", calibration=calibration, confidence=level)
        calibrated = [[_calibrated_alone(estimate) for estimate in row] for row in estimates]
        problem = calibration.too_few_groups(confidence, chosen)
        notes += [f"Calibrated intervals: {problem}."] if problem else []
        alone: dict[str, list[str]] = {}
        for e in chain.from_iterable(calibrated):
            if not e.has_interval and e.of.measure not in alone.setdefault(e.method, []):
                alone[e.method].append(e.of.measure)
        notes += [f"{', '.join(names)}: {reason}." for reason, names in alone.items()]
    sampled = []
    if judgments.origin.kind in FROM_SAMPLES and not any(measure.traits.estimates for measure in chosen):
        fitting = parse_measures(fitting_measures(judgments, ())[0])
        sampled = [sample_section(_evaluated(shared, fitting))]
        notes.append(words_for_sample(judgments.origin, fitting, chosen))
    given = PageInput(
        scores=scores,
        bounds=bounds,
        queries=_estimated(scores, "queries", confidence=confidence, seed=seed),
        sources=[*(("judgments", file) for file in files or [qrels]), *named.items()],  # type: ignore[list-item]
        command=command,
        title=title,
        comparison=comparison,
        judgments=judgments,
        shared=shared,
        calibrated=calibrated,
        extras=[*sampled, *_segments(comparison, by)],
        notes=notes,
    )
    return Page.of(*page_data(given))


def _about_scale(scale: Floats | None) -> list[str]:
    """Say which gain each grade on the page stands for, if grades are fractions."""
    if scale is None:
        return []
    named = shortlist([f"{place} is {gain:g}" for place, gain in enumerate(scale.tolist())], 10)
    return [f"Grades are fractions, and rankings show their places on the scale: {named}."]


def _segments(comparison: Comparison | None, by: SegmentsSource | None) -> list[dict[str, Any]]:
    if by is None:
        return []
    if comparison is None:
        raise UsageError("segments of a page are differences of two systems: give two or more runs")
    return [segments_section(comparison.by(by))]


def _evaluated(shared: SharedRankings, measures: Sequence[Measure]) -> Scores:
    """Return scores of runs that were read, as `evaluate` returns them."""
    shape = len(shared.runs), len(shared.queries), len(measures)
    across = any(measure.traits.across_queries for measure in measures)
    rankings = shared.with_judged_elsewhere() if across else shared.judged_rankings
    values = compute_all(measures, rankings).reshape(shape)
    return Scores(values, shared.runs, list(shared.queries), measures, rankings)


def _scores_of(comparison: Comparison) -> Scores:
    values = np.stack([result.values for result in comparison.results], axis=-1)
    measures: list[Measure] = [result.measure for result in comparison.results]
    return Scores(values, comparison.runs, comparison.queries, measures, comparison.documents.judged_rankings)


def _bounds_of(comparison: Comparison) -> Sequence[Sequence[Estimate]]:
    """Return the bounds of each run's mean over the pool of all runs, as in the table of `compare`."""
    rows: list[list[Estimate]] = [[] for _ in comparison.runs]
    for result in comparison.results:
        how = "exact" if result.judging.exact else "enclosed"
        ends = zip(result.means, result.judging.run_low, result.judging.run_high, strict=True)
        for i, (mean, low, high) in enumerate(ends):
            of = Estimand(str(result.measure), judgments=ALL_JUDGED)
            known = Estimate(float(mean), float(low), float(high), 1.0, how, of)
            missing = result.judging.missing
            rows[i].append(Estimate.without_interval(float(mean), missing, of) if missing else known)
    return rows


def _estimated(scores: Scores, interval: IntervalName, **given: Any) -> Sequence[Sequence[Estimate]]:
    """Return the means with an interval, or alone where no measure can have it."""
    try:
        return scores.estimate(interval, **given)
    except NoIntervalError as error:
        about = list(zip(scores.measures, scores.means.T.tolist(), strict=True))
        return [
            [Estimate.without_interval(means[i], str(error), Estimand(str(m))) for m, means in about]
            for i in range(len(scores.runs))
        ]


def _calibrated_alone(estimate: Estimate) -> Estimate:
    """Return a calibrated interval, or the value of a run unlike the pooled ones: the page has its bounds."""
    if estimate.confidence < 1 or not estimate.has_interval:
        return estimate
    return Estimate.without_interval(
        estimate.value, estimate.method.replace(", so these are bounds", ""), estimate.of
    )


SCRIPTS = ("data", "elements", "charts", "plots", "systems", "pair", "holes", "start")
"""Parts of the page's script, in the order in which they need each other."""


@dataclass(frozen=True, repr=False)
class Page:
    """A page in HTML; `save` writes it to a file, and a notebook shows it in a frame."""

    html: str

    @classmethod
    def of(cls, facts: dict[str, Any], arrays: str) -> Page:
        """Return the page that shows this data.

        Only its own script and style may run, as their hashes in its security policy say.
        """
        check_report()
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup

        folder = resources("unjudged.report.page") / "files"
        colours = "".join(f"--{c[1:].lower()}: light-dark({c}, {dark});" for c, dark in IN_THE_DARK.items())
        style = (folder / "page.css").read_text("utf-8").replace("/* colours of the charts */", colours)
        parts = [(folder / f"{name}.js").read_text("utf-8") for name in SCRIPTS]
        script = '"use strict";\n(() => {\n' + "\n".join(parts) + "\n})();\n"
        environment = Environment(
            autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        # Escaped so that no name in the data can end the element or start a comment.
        island = json.dumps(facts, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
        template = environment.from_string((folder / "page.html").read_text("utf-8"))
        text = template.render(
            title=facts["title"],
            style=Markup(style),  # noqa: S704 (our own file)
            script=Markup(script),  # noqa: S704 (our own files)
            style_hash=policy_hash(style),
            script_hash=policy_hash(script),
            facts=Markup(island),  # noqa: S704 (escaped above)
            arrays=arrays,
            systems=len(facts["runs"]),
            ranked=facts["ranked"],
            extras=facts["extras"],
        )
        return cls(text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        write_whole(path, self.html)

    def __repr__(self) -> str:
        return f"Page({len(self.html) / 1e6:.1f} MB)"

    def _repr_html_(self) -> str:
        inside = html.escape(self.html)
        return f'<iframe title="evaluation report" style="width:100%;height:80vh" srcdoc="{inside}"></iframe>'


def check_report() -> None:
    """Raise an error if pages cannot be made."""
    if find_spec("jinja2") is None:
        raise missing_package("jinja2", "a report")


def policy_hash(text: str) -> str:
    """Return the hash by which a security policy allows a script or a style."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
