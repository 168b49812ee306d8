"""A figure of systems over several collections."""

from __future__ import annotations

from typing import Any

from unjudged.comparison.collections_result import MACRO, CollectionsComparison
from unjudged.report.descriptions import INK
from unjudged.report.figures.charts import COLOURS, altair_module, finished

WIDTH, STEP = 460, 26


def collections_figure(found: CollectionsComparison) -> Any:
    """Draw a dot per collection, and the mean over collections with its interval; highest mean first."""
    alt = altair_module()
    low, high = found.interval
    order = [found.runs[i] for i in found.order]
    dots = [
        {"run": run, "collection": name, "value": float(found.means[i, c])}
        for i, run in enumerate(found.runs)
        for c, name in enumerate(found.collections)
    ]
    means = [
        {"run": run, "value": float(found.macro_means[i]), "low": float(low[i]), "high": float(high[i])}
        for i, run in enumerate(found.runs)
    ]
    y = alt.Y("run:N", sort=order, title=None, scale=alt.Scale(type="band"))
    title = f"{found.measure}: collections, and their {MACRO} with its interval for other queries"
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=False))
    colours = alt.Scale(
        domain=list(found.collections), range=COLOURS[1:] if len(found.collections) < 7 else alt.Undefined
    )
    points = alt.Chart(alt.Data(values=dots)).mark_point(filled=True, opacity=0.75, size=45)
    points = points.encode(x=x, y=y, color=alt.Color("collection:N", scale=colours, title=None))
    base = alt.Chart(alt.Data(values=means))
    ends = {"x": alt.X("low:Q"), "x2": "high:Q", "y": y}
    bars = base.mark_rule(color=INK, strokeWidth=2).encode(**ends)
    above, below = alt.Y("run:N", sort=order, bandPosition=0.2), alt.Y2("run", bandPosition=0.8)
    ticks = base.mark_rule(color=INK, strokeWidth=3).encode(x=x, y=above, y2=below)
    return finished((points + bars + ticks).properties(width=WIDTH, height=alt.Step(STEP)))
