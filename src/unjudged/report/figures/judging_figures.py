"""Figures about judging: the pool of a collection, and the audit of predictions."""

from __future__ import annotations

from typing import Any

from unjudged.judging.pooling.contributions import Groups, contributions, sizes
from unjudged.judging.pooling.designs import DEPTHS
from unjudged.judging.pooling.pool import Pool
from unjudged.predictions.audit_grids import Audit
from unjudged.report.figures.charts import COLOURS, altair_module, finished

SHARED, OWN = "also pooled from others", "only from this one"


def pool_figure(pool: Pool, depth: int, groups: Groups | None = None, *, judged: bool) -> Any:
    """Draw the number of documents by depth, and beside it the documents of each run or group, most first.

    With judgments, the relevant documents have a line of their own.
    """
    alt = altair_module()
    grown = [
        {"depth": size.depth, "documents": documents, "what": what}
        for size in sizes(pool, [*(k for k in DEPTHS if k < depth), depth])
        for what, documents in [("all", size.documents), *([("relevant", size.relevant)] if judged else [])]
    ]
    base = alt.Chart(alt.Data(values=grown)).encode(
        alt.X("depth:Q", title="pool depth (ranks)"),
        alt.Y("documents:Q", title="documents", axis=alt.Axis(format=",d")),
        alt.Color("what:N", scale=alt.Scale(domain=["all", "relevant"], range=COLOURS[1:3]), legend=None),
        tooltip=["what:N", "depth:Q", alt.Tooltip("documents:Q", format=",d")],
    )
    last = base.transform_filter(f"datum.depth == {depth}")
    names = last.mark_text(align="left", dx=8, fontSize=12).encode(text="what:N")
    size = alt.layer(base.mark_line(point=True), names).properties(width=280, height=240)
    contributed = sorted(contributions(pool, depth, groups), key=lambda one: -one.documents)
    bars = [
        {"name": one.name, "what": what, "documents": documents}
        for one in contributed
        for what, documents in ((OWN, one.unique), (SHARED, one.documents - one.unique))
    ]
    order = [one.name for one in contributed]
    shades = alt.Scale(domain=[OWN, SHARED], range=[COLOURS[1], "#9ec3e0"])
    title = f"documents in the pool of depth {depth}"
    legend = alt.Legend(title=None, orient="top", labelLimit=0)
    given = (
        alt.Chart(alt.Data(values=bars))
        .mark_bar()
        .encode(
            alt.X("documents:Q", title=title, axis=alt.Axis(format=",d", tickCount=5)),
            alt.Y("name:N", sort=order, title=None, axis=alt.Axis(labelLimit=200)),
            alt.Color("what:N", scale=shades, sort=[OWN, SHARED], legend=legend),
            alt.Order("what:N", sort="descending"),
            tooltip=["name:N", "what:N", alt.Tooltip("documents:Q", format=",d")],
        )
    )
    right = given.properties(width=280, height=max(240, 18 * len(contributed)))
    return finished(alt.hconcat(size, right).resolve_scale(color="independent"))


def audit_figure(audit: Audit) -> Any:
    """Draw the share of relevant documents by prediction, and the bias of each run, with intervals."""
    chart = altair_module()
    points = [
        {"x": p.mean, "y": p.relevant.value, "low": p.relevant.low, "high": p.relevant.high}
        for p in audit.curve
    ]
    panels = [_with_bars(points, ("prediction", "share relevant, by people"), [0, 1])]
    if audit.biases:
        rows = [{"x": b.run, "y": b.bias.value, "low": b.bias.low, "high": b.bias.high} for b in audit.biases]
        zero = chart.Chart(chart.Data(values=[{"y": 0}])).mark_rule(strokeDash=[4, 4]).encode(chart.X("y:Q"))
        panels.append(_by_run(rows, f"bias of {audit.measure}, predictions minus people") + zero)
    return finished(chart.hconcat(*panels))


def _by_run(rows: list[dict[str, Any]], title: str) -> Any:
    """Draw a row for each run: a point with its interval."""
    chart = altair_module()
    base = chart.Chart(chart.Data(values=rows)).encode(chart.Y("x:N", title=None))
    bars = base.mark_rule(color=COLOURS[2]).encode(chart.X("low:Q", title=title), chart.X2("high:Q"))
    dots = base.mark_point(filled=True, size=50, color=COLOURS[2], opacity=1).encode(chart.X("y:Q"))
    return (bars + dots).properties(width=260, height=chart.Step(18))


def _with_bars(rows: list[dict[str, Any]], titles: tuple[str, str], domain: list[float]) -> Any:
    """Points with their intervals, by numbers."""
    chart = altair_module()
    scale = chart.Scale(domain=domain)
    base = chart.Chart(chart.Data(values=rows)).encode(chart.X("x:Q", title=titles[0]))
    base = base.properties(width=260, height=220)
    bars = base.mark_rule(color=COLOURS[2]).encode(
        chart.Y("low:Q", title=titles[1], scale=scale), chart.Y2("high:Q")
    )
    dots = base.mark_point(filled=True, size=50, color=COLOURS[2], opacity=1).encode(
        chart.Y("y:Q", scale=scale)
    )
    return bars + dots
