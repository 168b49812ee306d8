"""Every field that a row of a result may have: its name, its heading, how it is shown and what it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from unjudged.base.wording import percent
from unjudged.results.grid import Cell, Column, Kind

Row = dict[str, Any]
"""One system, or one minus another, on some queries by one measure."""
Text = Callable[[Row, int], Cell]


@dataclass(eq=False, repr=False)
class Field:
    """A field, which `of` makes of other fields if no row has it.

    People see `text` instead; programs also get its `parts`, which are fields.
    """

    name: str
    heading: str
    kind: Kind = "number"
    means: str = ""
    decimals: int | None = None
    text: Text | None = None
    of: Callable[[Row], Any] | None = None
    parts: Sequence[str] = ()
    beside: bool = False
    """It says something of the field before it, beside which it stands in a table."""

    def value(self, row: Row) -> Any:
        """Return its value in a row, as programs get it."""
        return row.get(self.name) if self.of is None else self.of(row)

    def column(self, decimals: int) -> Column:
        """Return the column that shows it."""
        return Column(
            self.heading, self.kind, decimals if self.decimals is None else self.decimals, self.beside
        )

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


def _range(row: Row, ends: Sequence[str], decimals: int) -> str | None:
    """Return two ends as people read them, None if one is unknown."""
    low, high = (known(row.get(end)) for end in ends)
    shown = min(decimals, 2)
    return None if low is None or high is None else f"{low:z.{shown}f} \N{EN DASH} {high:z.{shown}f}"


def _ends(name: str, ends: Sequence[str], heading: str = "", means: str = "") -> Field:
    """Register a field that shows two ends."""
    return field(
        name, heading, "text", means, text=lambda row, at: _range(row, ends, at), parts=ends, beside=True
    )


ESTIMATE, PLACES = ("estimate_low", "estimate_high"), ("place_low", "place_high")
OUTCOMES = ("wins", "ties", "losses")
ANSWERS = ("better", "other_queries", "more_judging", "in_other_orders")


def _estimated(row: Row, decimals: int) -> Cell:
    """Return the estimate with its ends."""
    ends, value = _range(row, ESTIMATE, decimals), known(row.get("estimate"))
    return ends if value is None or ends is None else f"{value:.{decimals}f} ({ends})"


def _mean(row: Row, _: int) -> Cell:
    """Return the mean; a mean of how much was judged is a share."""
    value = known(row.get("mean"))
    return share_text(value) if value is not None and is_judged_share(row) else value


def is_judged_share(row: Row) -> bool:
    """Whether the row is of how much of the first documents was judged."""
    return str(row.get("measure")).startswith("Judged")


LITTLE = 0.5
"""The judged share of the top ten below which a score says little."""


def is_estimated(row: Row) -> bool:
    """Whether a row is an estimate from drawn documents."""
    end = row.get("estimate_low")
    return end is not None and isfinite(end)


def _hardly_judged(row: Row, _: int) -> Cell:
    """Return a mark where a score says little because few first documents were judged."""
    share = row.get("row of Judged@10", {}).get("mean")
    if any(known(own.get("estimate_low")) is not None for own in row.values() if isinstance(own, dict)):
        return None
    return "!" if share is not None and share < LITTLE else None


def _place(row: Row, _: int) -> Cell:
    """Return the places that are left to a system."""
    low, high = row.get("place_low"), row.get("place_high")
    return None if low is None else str(low) if low == high else f"{low}\N{EN DASH}{high}"


def _outcomes(row: Row, _: int) -> Cell:
    """Return the queries won, tied and lost."""
    return None if row.get("wins") is None else f"{row['wins']}/{row['ties']}/{row['losses']}"


def _agreed(row: Row, decimals: int) -> Cell:
    """Return the mean and the deviation over repeats."""
    spread = known(row.get("deviation"))
    mean = f"{row['mean']:.{decimals}f}"
    return mean if spread is None else f"{mean} \N{PLUS-MINUS SIGN}{spread:.{decimals}f}"


def _flip(row: Row, _: int) -> Cell:
    """Return the share of relevant documents that turns the order."""
    return share_text(row.get("flip")) or None


def _seen(row: Row, _: int) -> Cell:
    """What was seen, beside a share that is needed."""
    return share_text(row.get("seen")) or None if isfinite(row.get("flip", inf)) else None


def _headline(row: Row, _: int) -> Cell:
    """The headline with the name of the system that is better."""
    other, better = row.get("in_other_orders"), row.get("better")
    said = f"{better} is {row['headline']}" if better else row.get("headline")
    return f"{said} ({other} if ties are broken otherwise)" if other else said


PLAIN: dict[Kind, str] = {
    "label": "table file collection segment measure system query group statistic",
    "text": "description problem question command refusal outcome",
    "integer": "queries judged_twice rank_left_out",
}
"""Fields that are named after what they are."""
for _kind, _names in PLAIN.items():
    for _name in _names.split():
        field(_name, kind=_kind)

field("other", "with", "label")
field("kind", kind="label")
field("listed", kind="integer", means="documents of the judgments")
field("stale", kind="integer", means="those that do not exist any more")
field("relevant", kind="integer", means="relevant documents of the judgments")
field("stale_relevant", "relevant, stale", "integer", means="those that do not exist any more")
field("common", kind="text", means="what two files have in common")
field("choice", kind="label", means="what could have been chosen as well, beside the measure")
field("family", "by", "label", "the measure, whose other choices are beside it")
field("least", "relevant", means="the lowest grade that counts as relevant")
field("leads", kind="text", means="who has the better mean; ? if that could change")
field("letter", " ", "label")
field("judge", kind="label", means="a model or a person who is compared with people")
field("against", kind="label", means="the measure whose values with all judgments are to be estimated")
field("a", kind="label", means="the system that the difference is of")
field("b", kind="label", means="the system that is subtracted")
field("coefficient", kind="label", means="how far a judge agrees with people")
field("documents", kind="integer", means="documents that both judged")
field("clusters", kind="integer", means="clusters of queries that are not independent of each other")
field("grade", kind="label", means="by people")
field("other_grade", "other grade", "label", means="by the judge")
field("share", means="of the documents, each weighted by 1 / its probability of being judged")
field("mean_prediction", "mean label")
field("over_rating", "over-rating", means="by how much the judge's labels are too high")
field("by_people", "by people", means="the mean by people's judgments")
field("bias", means="how much higher the mean is by the judge")
field("value")
field("method", kind="text", means="how an interval was made, or why there is none")
field("mean_left_out", "left out", means="the mean without the documents that only its group has")
field("change", "change (%)", decimals=2)
field("level_name", "level", "label", parts=("level",))
field("judged", kind="number", decimals=1, means="judged documents per query")
field("deviation", means="the standard deviation over repeats")
field("agreed", means="mean and standard deviation over repeats", text=_agreed, parts=("mean", "deviation"))
field("probability", means="how likely the document was to be drawn")
field("batch", "batch", "integer", "in which batch the document was drawn")
field("graded", "judged", "integer")
field("cannot_judge", kind="integer", means="documents that people looked at and could not judge")
field("missing", kind="integer", means="drawn and not judged yet")
field("conflicts", kind="integer", means="documents with different grades")
field("undrawn", kind="integer", means="judged and not drawn")
field("grades", kind="text", means="who gave which grade")
field("rank", kind="integer", means="1 and the number of systems with a better mean")
field("mean", text=_mean)
field("marked", "Mean", means="a mean, with marks for the systems that it is better than")
field("mean_a", "a's mean")
field("mean_b", "b's mean")
field("difference", means="a minus b")
field("low", means="the lowest value that judging could make of it")
field("high", means="the highest value that judging could make of it")
_ends("could be", ("low", "high"), means="what judging could make of it")
field("estimate_low", means="the lower end of an estimate's interval")
field("estimate_high", means="the upper end of an estimate's interval")
field("estimate", means="what the method of the interval estimates, if that is not the mean")
field(
    "estimated",
    kind="text",
    text=_estimated,
    parts=("estimate", *ESTIMATE, "estimated_measure"),
    beside=True,
)
field("estimated_measure", kind="text", means="the measure of the estimate")
field("as_judged", "as judged", means="without an estimate, where unjudged documents count as not relevant")
field("labels", decimals=0, means="how many labels of equal bearing an estimate rests on")
field("calibrated_low", means="the lower end for a run like the pooled groups")
field("calibrated_high", means="the upper end for a run like the pooled groups")
_ends("calibrated", ("calibrated_low", "calibrated_high"))
field("confidence", means="the share of cases in which the interval holds")
field("hardly judged", " ", "text", "the score says little", text=_hardly_judged, beside=True)
field("query_low", means="the lower end for other queries")
field("query_high", means="the upper end for other queries")
_ends("other queries would give", ("query_low", "query_high"), "for other queries")
field("p", kind="p value", means="of the test over queries")
field("p_adjusted", "adjusted", "p value", means="the same, corrected for many comparisons")
field("p_careful", "careful p", "p value", means="with skewness, corrected too, where it decides")
field("W/T/L", "W/T/L", "text", "queries won, tied and lost by a", text=_outcomes, parts=OUTCOMES)
field(
    "effect", means="the difference in standard deviations", decimals=2, parts=("effect_low", "effect_high")
)
field("flip", "", "text", "the share of relevant documents that turns the order", text=_flip, parts=("loss",))
field("loss", kind="text", means="the share at which the test does not hold any more")
field("seen", kind="text", text=_seen, means="that share among the judged documents")
field("other_queries", "other queries", "text", means="whether other queries would say the same")
field("more_judging", "more judging", "text", means="whether more judging could change it")
field("headline", kind="text", text=_headline, parts=ANSWERS)
field("place", "", "text", "between which places the system may be", text=_place, parts=PLACES)
field("better_than", "better than", "text")
field("value_a", "a")
field("value_b", "b")
field("document", kind="text", means="the unjudged document that matters most")
field("gain", decimals=6, means="how much a judgment narrows an interval, or says about an order")
field("limit_low", "at worst", means="what the difference is above")
field("limit_high", "at best", means="what the difference is below")
field("p_worse_adjusted", "p worse", "p value")
field("would_tell", "what would tell", "text")
field("detectable", means="the difference that so many queries would show with power .8")
