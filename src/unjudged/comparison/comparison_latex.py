"""A comparison as a LaTeX table: systems x measures, with superscripts for whom a system beats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unjudged.base.wording import counted
from unjudged.comparison.comparison_grids import MARKS, mark_of
from unjudged.grids.escapes import latex

if TYPE_CHECKING:
    from unjudged.comparison.by_measure import MeasureComparison
    from unjudged.comparison.comparison_result import Comparison


def comparison_latex(comparison: Comparison, decimals: int = 4) -> str:
    """A `table` for the booktabs package; the caption says how it was tested and corrected."""
    results = comparison.results
    head = " & ".join(["", "System", *(latex(str(result.measure)) for result in results)])
    rows = []
    for system in results[0].order():
        cells = [_cell(comparison, result, system, decimals) for result in results]
        rows.append(" & ".join([comparison.letters[system], latex(comparison.runs[system]), *cells]) + r" \\")
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{_caption(comparison)}}}"]
    lines += [rf"\begin{{tabular}}{{ll{'l' * len(results)}}}", r"\toprule", rf"{head} \\", r"\midrule", *rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def _cell(comparison: Comparison, result: MeasureComparison, system: int, decimals: int) -> str:
    mean = f"{result.means[system]:.{decimals}f}"
    if result.means[system] == result.means.max():
        mean = rf"\textbf{{{mean}}}"
    marks = [
        comparison.letters[o] + latex(mark_of(result, system, o))
        for o in comparison.results[0].order()
        if result.beats[system, o]
    ]
    return mean + (rf"\textsuperscript{{{','.join(marks)}}}" if marks else "")


def _caption(comparison: Comparison) -> str:
    parts = [
        f"Means over {counted(len(comparison.queries), 'query')}; the highest is in bold.",
        f"Superscripts: significantly better than these; {MARKS}.",
        comparison.method,
        *comparison.notes,
    ]
    return " ".join(map(latex, parts))
