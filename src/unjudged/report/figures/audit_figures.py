"""The figure of an audit: calibration of the predictions, and the bias of each run."""

from __future__ import annotations

from typing import Any

from unjudged.predictions.auditing import Audit
from unjudged.report.figures.charts import COLOURS, altair_module, finished

WIDTH, HEIGHT = 260, 220


def audit_figure(found: Audit) -> Any:
    """The share of relevant documents by prediction, and beside it the bias of each run, with intervals."""
    chart = altair_module()
    points = [
        {"x": p.mean, "y": p.relevant.value, "low": p.relevant.low, "high": p.relevant.high}
        for p in found.curve
    ]
    panels = [_with_bars(points, ("prediction", "share relevant, by people"), [0, 1])]
    if found.biases:
        rows = [{"x": b.run, "y": b.bias.value, "low": b.bias.low, "high": b.bias.high} for b in found.biases]
        zero = chart.Chart(chart.Data(values=[{"y": 0}])).mark_rule(strokeDash=[4, 4]).encode(chart.Y("y:Q"))
        panels.append(zero + _with_bars(rows, ("run", f"bias of {found.measure}, predictions minus people")))
    return finished(chart.hconcat(*panels))


def _with_bars(rows: list[dict[str, Any]], titles: tuple[str, str], domain: list[float] | None = None) -> Any:
    """Points with their intervals; x is a number or a name."""
    chart = altair_module()
    numeric = bool(rows) and not isinstance(rows[0]["x"], str)
    scale = chart.Scale(domain=domain) if domain else chart.Scale()
    x = chart.X("x:Q" if numeric else "x:N", title=titles[0])
    base = chart.Chart(chart.Data(values=rows)).encode(x).properties(width=WIDTH, height=HEIGHT)
    bars = base.mark_rule(color=COLOURS[2]).encode(
        chart.Y("low:Q", title=titles[1], scale=scale), chart.Y2("high:Q")
    )
    dots = base.mark_point(filled=True, size=50, color=COLOURS[2], opacity=1).encode(
        chart.Y("y:Q", scale=scale)
    )
    return bars + dots
