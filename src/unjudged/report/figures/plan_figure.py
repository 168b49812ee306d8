"""The figure of a plan: what each design reaches with how many judgments."""

from __future__ import annotations

from math import isfinite
from typing import Any

from unjudged.experiments.judgment_plan import JudgmentPlan
from unjudged.report.figures.charts import COLOURS, altair_module, finished
from unjudged.report.figures.line_labels import end_labels

SIZE = WIDTH, HEIGHT = 460, 280
TITLES = {
    "tau": "Kendall's tau with the order by all judgments",
    "width": "width of a 95 % interval of a run's mean AP",
}


class PlanPlots:
    """`plan.plot`: figures as Altair charts, to change further and to save with `.save(file)`."""

    def __init__(self, plan: JudgmentPlan) -> None:
        self._plan = plan

    def designs(self) -> Any:
        """What each design reaches with how many judgments."""
        return plan_figure(self._plan)


def plan_figure(plan: JudgmentPlan) -> Any:
    """A line per design over the number of judgments, and the target; ringed: the level that reaches it."""
    alt, statistic = altair_module(), plan.statistic
    reached = {(one.design, one.level) for one in plan.designs}
    rows = [
        {
            "design": f"{one.design}, {one.measure}",
            "level": one.shown,
            "judgments": one.judgments,
            "value": getattr(one, statistic),
            "needed": (one.design, one.level) in reached,
        }
        for one in plan.tried
        if one.judgments and isfinite(getattr(one, statistic))
    ]
    names = list(dict.fromkeys(row["design"] for row in rows))
    values = [plan.value, *(row["value"] for row in rows)]
    domain = (0.0, 1.05 * max(values)) if statistic == "width" else (min(values) - 0.02, 1.0)
    scale = alt.Scale(domain=names, range=COLOURS[: len(names)])
    colour = alt.Color("design:N", scale=scale, legend=None)
    x = alt.X(
        "judgments:Q",
        title=f"judgments for {plan.queries} topics (logarithmic)",
        scale=alt.Scale(type="log", nice=False, padding=10),
        axis=alt.Axis(format=",d", tickCount=6),
    )
    y = alt.Y("value:Q", title=TITLES[statistic], scale=alt.Scale(domain=domain, zero=False, nice=False))
    number = alt.Tooltip("value:Q", format=".4f", title=statistic)
    tooltip = ["design:N", "level:N", alt.Tooltip("judgments:Q", format=",d"), number]
    base = alt.Chart(alt.Data(values=rows)).encode(x, y, colour, tooltip=tooltip)
    target = [{"value": plan.value, "text": f"target: {plan.target}"}]
    rule = alt.Chart(alt.Data(values=target)).encode(alt.Y("value:Q"))
    above = "top" if statistic == "tau" else "bottom"
    ends = ("design", "judgments", "value")
    places = end_labels(rows, ends, domain, SIZE, alt.Color("name:N", scale=scale, legend=None))
    return finished(
        alt.layer(
            rule.mark_rule(strokeDash=[4, 4], color="#555555"),
            rule.mark_text(align="left", baseline=above, dx=4, dy=4 if above == "top" else -4).encode(
                x=alt.value(0), text="text:N"
            ),
            base.mark_line(point=alt.OverlayMarkDef(size=30)),
            base.transform_filter("datum.needed").mark_point(size=180, strokeWidth=2, filled=False),
            places,
        ).properties(width=WIDTH, height=HEIGHT)
    )
