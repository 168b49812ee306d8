"""Figures of the papers on uncertainty: Park (2016), figures 1 to 3, and Bestgen (2015), figure 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from charts import COLOURS, altair_module, finished
from random_rankings import difference_from_prevalence

from unjudged.base.segments import Floats


def densities(distributions: Mapping[str, tuple[Floats, Floats]], title: str, bins: int = 60) -> Any:
    """One panel per distribution, given as values and probabilities; their heights differ too much for one."""
    chart = altair_module()
    panels = []
    for name, (support, probability) in distributions.items():
        edges = np.linspace(0, _quantile(support, probability, 0.9999), bins + 1)
        mass, _ = np.histogram(support, edges, weights=probability)
        places = zip(edges[:-1].tolist(), edges[1:].tolist(), mass.tolist(), strict=True)
        rows = [{"from": left, "to": right, "share": share} for left, right, share in places]
        panels.append(
            chart.Chart(chart.Data(values=rows), title=f"q = {name}")
            .mark_bar(color=COLOURS[2])
            .encode(
                chart.X("from:Q", bin="binned", title=title, axis=chart.Axis(tickCount=5)),
                chart.X2("to:Q"),
                chart.Y("share:Q", title="probability"),
            )
            .properties(width=250, height=130)
        )
    rows_of_two = [chart.hconcat(*panels[i : i + 2]) for i in range(0, len(panels), 2)]
    return finished(chart.vconcat(*rows_of_two))


def cells(values: Sequence[Mapping[str, Any]], title: str, form: str) -> Any:
    """A grid of numbers over w and q, darker where larger."""
    chart = altair_module()
    base = chart.Chart(chart.Data(values=list(values)), title=title).encode(
        chart.X("q:O", title="expected share of relevant documents, q", axis=chart.Axis(labelAngle=0)),
        chart.Y("w:O", title="relevance ratio, w", sort="descending"),
    )
    highest = max(row["value"] for row in values)
    colour = chart.Color("value:Q", legend=None, scale=chart.Scale(scheme="blues", domain=[0, 1.3 * highest]))
    return (
        base.mark_rect().encode(colour) + base.mark_text().encode(chart.Text("value:Q", format=form))
    ).properties(width=300, height=220)


def side_by_side(left: Any, right: Any) -> Any:
    return finished((left | right).resolve_scale(color="independent"))


def baseline_difference(sizes: Sequence[int], shares: Sequence[float]) -> Any:
    """Expected AP of a random ranking minus R/N, over N; one line per share of relevant documents."""
    chart = altair_module()
    rows = [
        {
            "documents": n,
            "share": f"{share:g}",
            "difference": difference_from_prevalence(n, max(round(share * n), 1)),
        }
        for share in shares
        for n in sizes
    ]
    names = [f"{share:g}" for share in shares]
    figure = (
        chart.Chart(chart.Data(values=rows))
        .mark_line(point=chart.OverlayMarkDef(size=30))
        .encode(
            chart.X("documents:Q", title="documents, N", axis=chart.Axis(tickCount=5)),
            chart.Y("difference:Q", title="expected AP - R/N"),
            chart.Color("share:N", title="R/N", scale=chart.Scale(domain=names, range=COLOURS[: len(names)])),
            chart.Shape("share:N", title="R/N", scale=chart.Scale(domain=names)),
        )
        .properties(width=420, height=240)
    )
    return finished(figure)


def _quantile(support: Floats, probability: Floats, level: float) -> float:
    return float(support[min(int(np.searchsorted(np.cumsum(probability), level)), len(support) - 1)])
