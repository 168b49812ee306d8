"""The figure of Robertson (2008): user models and what they say of one ranking."""

from __future__ import annotations

from typing import Any

import numpy as np
from charts import COLOURS, altair_module, finished

from unjudged.measures.rank_biased import NCP, RBP, stopping_weights
from unjudged.rankings.judged import JudgedRankings

USER_MODELS: dict[str, dict[str, Any]] = {
    "uniform (AP)": {},
    "first (RR)": {"stop": "first"},
    "geometric, decay 0.5": {"stop": "geometric", "decay": 0.5},
    "power, exponent 1": {"stop": "power", "exponent": 1.0},
}


def user_model_values(ranking: JudgedRankings, p: float = 0.8) -> dict[str, float]:
    """The value of one ranking under each user model, and its RBP, whose user may stop at any rank."""
    values = {name: float(NCP(**model).compute(ranking)[0]) for name, model in USER_MODELS.items()}
    return {**values, f"RBP(p={p})": float(RBP(p=p).compute(ranking)[0])}


def user_models(ranking: JudgedRankings, p: float = 0.8) -> Any:
    """How many relevant documents users want under each model, and the value of one ranking."""
    chart = altair_module()
    relevant = int(ranking.known(1)[0])
    rows = []
    for name, model in USER_MODELS.items():
        weights = stopping_weights(model.get("stop", "uniform"), relevant)
        shares = weights / weights.sum()
        rows += [{"model": name, "wanted": i, "share": share} for i, share in enumerate(shares.tolist(), 1)]
    values = [{"model": name, "value": value} for name, value in user_model_values(ranking, p).items()]
    names = [value["model"] for value in values]
    colour = chart.Color("model:N", legend=None, scale=chart.Scale(domain=names, range=COLOURS[: len(names)]))
    wanted = chart.X("wanted:O", title="relevant documents a user wants", axis=chart.Axis(labelAngle=0))
    share = chart.Y("share:Q", title="share of users")
    left = (
        chart.Chart(chart.Data(values=rows))
        .mark_line(point=chart.OverlayMarkDef(size=50))
        .encode(wanted, share, colour, chart.Shape("model:N", legend=None, scale=chart.Scale(domain=names)))
        .properties(width=300, height=230)
    )
    highest = np.ceil(10 * max(user_model_values(ranking, p).values())) / 10
    bars = chart.Chart(chart.Data(values=values)).encode(
        chart.X("value:Q", title="value for the ranking", scale=chart.Scale(domain=[0, highest])),
        chart.Y("model:N", title=None, sort=names),
    )
    labels = bars.mark_text(align="left", dx=4).encode(chart.Text("value:Q", format=".3f"))
    right = (bars.mark_bar(height=14).encode(colour) + labels).properties(width=260, height=230)
    return finished(left | right)
