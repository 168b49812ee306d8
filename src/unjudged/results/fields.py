"""Every field that a row of a result may have: its name, its heading, how it is shown and what it means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from unjudged.base.wording import percent
from unjudged.results.grid import Cell, Column, Kind

Row = dict[str, Any]
"""One system, or one minus another, on some queries by one measure."""
Text = Callable[[Row, int], Cell]


@dataclass(frozen=True)
class Field:
    """A field, which `of` makes of other fields if no row has it; `text` is what people see instead."""

    name: str
    heading: str
    kind: Kind = "number"
    means: str = ""
    decimals: int | None = None
    text: Text | None = None
    of: Callable[[Row], Any] | None = None

    def value(self, row: Row) -> Any:
        """Return its value in a row, as programs get it."""
        return row.get(self.name) if self.of is None else self.of(row)

    def column(self, decimals: int) -> Column:
        """Return the column that shows it."""
        return Column(self.heading, self.kind, decimals if self.decimals is None else self.decimals)

    def cell(self, row: Row, decimals: int) -> Cell:
        """Return what a table shows of a row."""
        value = self.value(row) if self.text is None else self.text(row, decimals)
        cell: Cell = known(value)
        return cell


def known(value: Any) -> Any:
    """Return a value, None if it is not a finite number."""
    return None if isinstance(value, float) and not isfinite(value) else value


FIELDS: dict[str, Field] = {}


def field(name: str, heading: str = "", kind: Kind = "number", means: str = "", **more: Any) -> Field:
    """Register a field."""
    FIELDS[name] = Field(name, heading or name.replace("_", " "), kind, means, **more)
    return FIELDS[name]


def share_text(value: float | None) -> str:
    """Return a share as people read it."""
    if value is None or not isfinite(value):
        return ""
    return percent(value, 1 if value < 0.1 else 0)


def _range(low: str, high: str) -> Text:
    def text(row: Row, decimals: int) -> Cell:
        ends = known(row.get(low)), known(row.get(high))
        if None in ends:
            return None
        shown = min(decimals, 2)
        return f"{ends[0]:.{shown}f} \N{EN DASH} {ends[1]:.{shown}f}"

    return text


def _estimated(row: Row, decimals: int) -> Cell:
    """The estimate with its ends."""
    ends, value = _range("estimate_low", "estimate_high")(row, decimals), known(row.get("estimate"))
    return ends if value is None or ends is None else f"{value:.{decimals}f} ({ends})"


def _mean(row: Row, _: int) -> Cell:
    """The mean; that of how much was judged is a share."""
    value = known(row.get("mean"))
    return share_text(value) if value is not None and is_judged_share(row) else value


def is_judged_share(row: Row) -> bool:
    """Whether the row is of how much of the first documents was judged."""
    return str(row.get("measure")).startswith("Judged")


LITTLE = 0.5
"""The judged share of the top ten below which a score says little."""


def _hardly_judged(row: Row, _: int) -> Cell:
    share = row.get("row of Judged@10", {}).get("mean")
    return "!" if share is not None and share < LITTLE else None


def _place(row: Row, _: int) -> Cell:
    low, high = row.get("place_low"), row.get("place_high")
    return None if low is None else str(low) if low == high else f"{low}\N{EN DASH}{high}"


def _outcomes(row: Row, _: int) -> Cell:
    return None if row.get("wins") is None else f"{row['wins']}/{row['ties']}/{row['losses']}"


def _agreed(row: Row, decimals: int) -> Cell:
    spread = known(row.get("deviation"))
    mean = f"{row['mean']:.{decimals}f}"
    return mean if spread is None else f"{mean} \N{PLUS-MINUS SIGN}{spread:.{decimals}f}"


def _share(name: str) -> Text:
    return lambda row, _: share_text(row.get(name)) or None


def _seen(row: Row, _: int) -> Cell:
    """What was seen, beside a share that is needed."""
    return share_text(row.get("seen")) or None if isfinite(row.get("flip", inf)) else None


def _headline(row: Row, _: int) -> Cell:
    """The headline with the name of the system that is better."""
    other, better = row.get("in_other_orders"), row.get("better")
    said = f"{better} is {row['headline']}" if better else row.get("headline")
    return f"{said} ({other} if ties are broken otherwise)" if other else said


field("file", kind="label")
field("other", "with", "label")
field("kind", kind="label")
field("description", kind="text")
field("common", kind="text", means="what two files have in common")
field("problem", kind="text")
field("question", kind="text")
field("command", kind="text")
field("refusal", kind="text")
field("collection", kind="label")
field("segment", kind="label")
field("measure", kind="label")
field("letter", " ", "label")
field("judge", kind="label", means="a model or a person who is compared with people")
field("against", kind="label", means="the measure whose values with all judgments are to be estimated")
field("system", kind="label")
field("a", kind="label", means="the system that the difference is of")
field("b", kind="label", means="the system that is subtracted")
field("query", kind="label")
field("queries", kind="integer")
field("coefficient", kind="label", means="how far a judge agrees with people")
field("documents", kind="integer", means="documents that both judged")
field("grade", kind="label", means="by people")
field("other_grade", "other grade", "label", means="by the judge")
field("share", means="of the documents, each weighted by 1 / its probability of being judged")
field("mean_prediction", "mean label")
field("over_rating", "over-rating", means="by how much the judge's labels are too high")
field("by_people", "by people", means="the mean by people's judgments")
field("bias", means="how much higher the mean is by the judge")
field("value")
field("method", kind="text", means="how an interval was made, or why there is none")
field("group", kind="label")
field("mean_left_out", "left out", means="the mean without the documents that only its group has")
field("change", "change (%)", decimals=2)
field("level_name", "level", "label")
field("judged", kind="number", decimals=1, means="judged documents per query")
field("statistic", kind="label")
field("deviation", means="the standard deviation over repeats")
field("agreed", text=_agreed, means="the mean over repeats, and the standard deviation")
field("probability", means="how likely the document was to be drawn")
field("graded", "judged", "integer")
field("cannot_judge", kind="integer", means="documents that people looked at and could not judge")
field("missing", kind="integer", means="drawn and not judged yet")
field("judged_twice", kind="integer")
field("conflicts", kind="integer", means="documents with different grades")
field("undrawn", kind="integer", means="judged and not drawn")
field("grades", kind="text", means="who gave which grade")
field("rank_left_out", kind="integer")
field("rank", kind="integer", means="1 and the number of systems with a better mean")
field("mean", text=_mean)
field("marked", "Mean", means="a mean, with marks for the systems that it is better than")
field("mean_a", "a's mean")
field("mean_b", "b's mean")
field("difference", means="a minus b")
field("low", means="the lowest value that judging could make of it")
field("high", means="the highest value that judging could make of it")
field("could be", kind="text", text=_range("low", "high"), means="what judging could make of it")
field("estimate_low", means="the lower end of an estimate's interval")
field("estimate_high", means="the upper end of an estimate's interval")
field("estimate", means="what the method of the interval estimates, if that is not the mean")
field("estimated", kind="text", text=_estimated)
field("estimated_measure", kind="label", means="the measure of the estimate")
field("calibrated_low", means="the lower end for a run like the pooled groups")
field("calibrated_high", means="the upper end for a run like the pooled groups")
field("calibrated", kind="text", text=_range("calibrated_low", "calibrated_high"))
field("confidence", means="the share of cases in which the interval holds")
field("hardly judged", " ", "text", text=_hardly_judged, means="the score says little")
field("query_low", "query low", means="the lower end for other queries")
field("query_high", "query high", means="the upper end for other queries")
field("other queries would give", "for other queries", "text", text=_range("query_low", "query_high"))
field("p", kind="p value", means="of the test over queries")
field("p_adjusted", "adjusted", "p value", means="the same, corrected for many comparisons")
field("p_careful", "careful p", "p value", means="with skewness, corrected too, where it decides")
field("wins", kind="integer")
field("ties", kind="integer")
field("losses", kind="integer")
field("W/T/L", "W/T/L", "text", text=_outcomes, means="queries won, tied and lost by a")
field("effect", decimals=2, means="the difference in standard deviations")
field("effect_low", "from", decimals=2)
field("effect_high", "to", decimals=2)
field("flip", kind="text", text=_share("flip"), means="the share of relevant documents that turns the order")
field("loss", kind="text", text=_share("loss"), means="the share at which the test does not hold any more")
field("seen", kind="text", text=_seen, means="that share among the judged documents")
field("other_queries", "other queries", "text", means="whether other queries would say the same")
field("more_judging", "more judging", "text", means="whether more judging could change it")
field("headline", kind="text", text=_headline)
field("in_other_orders", "other orders", "text")
field("better", kind="text")
field("place_low")
field("place_high")
field("place", kind="text", text=_place, means="between which places the system may be")
field("better_than", "better than", "text")
field("value_a", "a")
field("value_b", "b")
field("document", kind="text", means="the unjudged document that matters most")
field("document_effect", "its effect", decimals=6, means="on the mean difference, if it is relevant")
field("favours", kind="text")
field("gain", decimals=6, means="how much a judgment narrows an interval, or says about an order")
field("margin", decimals=4)
field("judging", kind="text")
field("limit_low", "at worst", means="what the difference is above")
field("limit_high", "at best", means="what the difference is below")
field("p_not_worse", "p not worse", "p value")
field("p_worse", "p worse", "p value")
field("p_worse_adjusted", "p worse", "p value")
field("outcome", kind="text")
field("would_tell", "what would tell", "text")
field("detectable", means="the difference that so many queries would show with power .8")
field("interaction_p", "p between segments", "p value")
field("interaction_p_adjusted", "p between segments", "p value")
