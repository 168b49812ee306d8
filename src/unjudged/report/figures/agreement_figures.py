"""Figures of agreement: confusion of two judges, and two leaderboards against each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from unjudged.agreement.agreeing import DocumentAgreement, SourceAgreement
from unjudged.agreement.leaderboards import LeaderboardAgreement
from unjudged.base.errors import UsageError
from unjudged.grids.escapes import shortened
from unjudged.report.figures.charts import COLOURS, altair_module, finished
from unjudged.uncertainty.quantiles import t_half


def agreement_figure(agreement: SourceAgreement) -> Any:
    """Draw the first two sources: documents by grade, then for each measure scatter and ranks."""
    alt = altair_module()
    panels = [] if agreement.documents is None else [confusion_chart(agreement.documents)]
    rows = [alt.hconcat(*panels)] if panels else []
    rows += [alt.hconcat(scatter_chart(board), slope_chart(board)) for board in agreement.leaderboards]
    if not rows:
        raise UsageError("there is nothing to draw: give judgments, runs or tables of scores")
    return finished(alt.vconcat(*rows).resolve_scale(color="independent"))


def confusion_chart(documents: DocumentAgreement) -> Any:
    """Draw how many documents have each pair of grades; the shade is the share of the first source's row."""
    alt = altair_module()
    first, second = documents.labels.sources[:2]
    counts = documents.labels.counts(0, 1).sum(0)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    names = [f"{grade:g}" for grade in documents.labels.grades]
    cells = [
        {"first": a, "second": b, "documents": int(counts[i, j]), "share": float(share[i, j])}
        for i, a in enumerate(names)
        for j, b in enumerate(names)
    ]
    base = alt.Chart(alt.Data(values=cells)).encode(
        alt.X("second:N", title=f"grade by {second}", axis=alt.Axis(orient="top", labelAngle=0)),
        alt.Y("first:N", title=f"grade by {first}"),
    )
    shade = alt.Color(
        "share:Q",
        scale=alt.Scale(domain=[0, 1], range=["#ffffff", COLOURS[2]], interpolate="rgb"),
        legend=None,
    )
    ink = alt.condition("datum.share > 0.5", alt.value("white"), alt.value("black"))
    side = 56 * len(documents.labels.grades)
    numbers = base.mark_text().encode(alt.Text("documents:Q", format=",d"), color=ink)
    return (base.mark_rect(stroke="#dddddd").encode(shade) + numbers).properties(width=side, height=side)


def scatter_chart(board: LeaderboardAgreement) -> Any:
    """Draw the means of the first two sources with their intervals over queries."""
    alt = altair_module()
    n = len(board.queries)
    half = [
        t_half(values.std(axis=1, ddof=1), n, board.draws.confidence) if n > 1 else np.zeros(len(values))
        for values in board.scores[:2]
    ]
    points = [
        {
            "system": system,
            "x": float(board.means[0, i]),
            "y": float(board.means[1, i]),
            "left": float(board.means[0, i] - half[0][i]),
            "right": float(board.means[0, i] + half[0][i]),
            "low": float(board.means[1, i] - half[1][i]),
            "high": float(board.means[1, i] + half[1][i]),
        }
        for i, system in enumerate(board.systems)
    ]
    scale = alt.Scale(zero=False)
    titles = [f"{board.measure} by {source}" for source in board.sources[:2]]
    across, up = alt.X("x:Q", title=titles[0], scale=scale), alt.Y("y:Q", title=titles[1], scale=scale)
    base = alt.Chart(alt.Data(values=points))
    faint = {"color": "#999999", "opacity": 0.5}
    return (
        base.mark_rule(**faint).encode(across, alt.Y("low:Q", title=titles[1], scale=scale), alt.Y2("high:Q"))
        + base.mark_rule(**faint).encode(alt.X("left:Q", title=titles[0], scale=scale), alt.X2("right:Q"), up)
        + base.mark_point(filled=True, size=50, color=COLOURS[2], opacity=1).encode(
            across,
            up,
            tooltip=["system:N", alt.Tooltip("x:Q", format=".4f"), alt.Tooltip("y:Q", format=".4f")],
        )
    ).properties(width=300, height=300)


def slope_chart(board: LeaderboardAgreement) -> Any:
    """Draw each system's rank by the first two sources, joined by a line; moves by three ranks stand out."""
    alt = altair_module()
    ranks = 1 + (board.means[:, :, None] < board.means[:, None, :]).sum(axis=2)
    rows = [
        {"system": name, "source": source, "rank": int(ranks[s, i]), "moved": moved}
        for i, name in enumerate(board.systems)
        for moved in [abs(int(ranks[0, i]) - int(ranks[1, i])) > 2]
        for s, source in enumerate(board.sources[:2])
    ]
    ranking = alt.Scale(domain=list(range(1, len(board.systems) + 1)), type="band")
    ends: dict[int, list[str]] = {}
    for i, name in enumerate(board.systems):
        ends.setdefault(int(ranks[1, i]), []).append(name)
    colour = alt.condition("datum.moved", alt.value(COLOURS[1]), alt.value("#777777"))
    across = alt.X(
        "source:N",
        scale=alt.Scale(domain=list(board.sources[:2])),
        title=None,
        axis=alt.Axis(labelAngle=0, orient="top", domain=False, grid=False),
    )
    base = alt.Chart(alt.Data(values=rows)).encode(
        across,
        alt.Y("rank:O", scale=ranking, title="rank", axis=alt.Axis(grid=False, labelOverlap=True)),
        color=colour,
    )
    shown = [
        {"rank": rank, "source": board.sources[1], "name": shortened(", ".join(names))}
        for rank, names in ends.items()
    ]
    names = alt.Chart(alt.Data(values=shown)).mark_text(align="left", dx=8)
    named = names.encode(across, alt.Y("rank:O", scale=ranking), text="name:N")
    lines = base.mark_line(point=True).encode(detail="system:N")
    frame = alt.ViewBackground(stroke=None)
    return (lines + named).properties(width=160, height=alt.Step(15), view=frame)
