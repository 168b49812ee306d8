"""The figure of a pool: how it grows with its depth, and what each run or group contributed."""

from __future__ import annotations

from typing import Any

from unjudged.judging.pooling.contributions import Groups, contributions, sizes
from unjudged.judging.pooling.designs import DEPTHS
from unjudged.judging.pooling.pool import Pool
from unjudged.report.figures.charts import COLOURS, altair_module, finished

WIDTH, HEIGHT, ROW = 280, 240, 18
SHARED, OWN = "also pooled from others", "only from this one"


def pool_figure(pool: Pool, depth: int, groups: Groups | None = None, *, judged: bool) -> Any:
    """Left, the number of documents by depth; right, the documents of each run or group, most first.

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
    size = alt.layer(base.mark_line(point=True), names).properties(width=WIDTH, height=HEIGHT)
    found = sorted(contributions(pool, depth, groups), key=lambda one: -one.documents)
    bars = [
        {"name": one.name, "what": what, "documents": documents}
        for one in found
        for what, documents in ((OWN, one.unique), (SHARED, one.documents - one.unique))
    ]
    order = [one.name for one in found]
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
    right = given.properties(width=WIDTH, height=max(HEIGHT, ROW * len(found)))
    return finished(alt.hconcat(size, right).resolve_scale(color="independent"))
