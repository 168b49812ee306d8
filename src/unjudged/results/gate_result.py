"""Results of gates: the outcome, the numbers that decide it, and what would decide an undecided one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from unjudged.base.wording import p_text, percent, shortlist
from unjudged.collection.query_segments import EVERY
from unjudged.inference.gate_checks import AS_JUDGED, FAIL, MISSING, PASS, SEEN, UNDECIDED, UNKNOWN, WORST
from unjudged.results.fields import Row, is_estimated
from unjudged.results.result import Result
from unjudged.results.views import View
from unjudged.results.words import GAPS, how_many

ASSUMED = {
    SEEN: "if unjudged documents are relevant as often as judged ones",
    WORST: "unjudged documents at their worst",
    MISSING: "missing values at their worst",
    AS_JUDGED: "as judged",
    UNKNOWN: "scores as they are",
}
"""What is assumed of unjudged documents; of scores alone nothing is."""


CODES = {PASS: 0, FAIL: 1, UNDECIDED: 2}


@dataclass(frozen=True, eq=False, repr=False)
class GateResult(Result):
    """Whether the new system passes; a row per measure and segment. It is true if the system passes."""

    @property
    def checks(self) -> Sequence[Row]:
        """Rows of the gate."""
        return self.rows["gate"]

    @property
    def outcome(self) -> str:
        """Return fail if any check fails, pass if every measure passes over all queries, else undecided."""
        if any(check["outcome"] == FAIL for check in self.checks):
            return FAIL
        whole = (check["outcome"] for check in self.checks if check["segment"] == EVERY)
        return PASS if all(outcome == PASS for outcome in whole) else UNDECIDED

    @property
    def passed(self) -> bool:
        """Whether the new system passes."""
        return self.outcome == PASS

    def __bool__(self) -> bool:
        return self.passed

    def code(self) -> int:
        """Return the exit code: 0 for pass, 1 for fail, 2 for undecided, or what that counts as."""
        return CODES[self.outcome if self.outcome != UNDECIDED else self.settings["undecided"] or UNDECIDED]

    def sentence(self) -> str:
        """Say the outcome and the numbers that decide it."""
        return sentence_of_gate(self.checks, self.outcome, self.settings)

    def title(self, view: str) -> str:  # noqa: ARG002 (there is one)
        """Say the outcome."""
        return verdict_of_gate(self.checks, self.outcome, self.settings)

    def shown(self, view: str) -> tuple[Sequence[Row], View]:
        """Return the rows, with what would decide those that are undecided."""
        rows, view_of = super().shown(view)
        return [{**row, "would_tell": would_tell(row)} for row in rows], view_of

    def sentences(self) -> list[str]:
        """Say the same of one check; a table has several."""
        return [self.sentence()] if len(self.checks) == 1 else []


def would_tell(row: Row) -> str:
    """Say what would decide a row that is undecided."""
    if row["outcome"] != UNDECIDED:
        return ""
    if row["open_to"] == "correction":
        alone = f"alone it fails ({p_text(row['p_worse'])})"
        return f"{alone}, but not after Holm's correction over all checks; more queries would tell"
    if row["open_to"] in ("judging", "both"):
        asked = row["queries_needed"] if row["open_to"] == "both" else None
        more = "" if asked is None else f", and use about {asked:,} queries"
        what = f"find the {GAPS}" if row["gaps"] else "judge the unjudged documents that matter"
        return f"{what}{more}"
    return _queries_would_tell(row)


def _queries_would_tell(row: Row) -> str:
    """Say how many queries would decide a row."""
    if row.get("clusters") == 1:
        return "one cluster of queries does not show how far others differ: use more"
    if row["queries"] == 1:
        return "one query does not show how far others differ: use more"
    if row["constant"] and row["queries_needed"] is None:
        remedy = "" if isfinite(row["limit_low"]) else ", unless the range of the measure is known"
        return f"differences that are all the same do not show how far others differ{remedy}"
    if row["queries_needed"] is None:
        return "no number of queries like these would tell: the difference is at the margin"
    return f"about {row['queries_needed']:,} queries like these would tell"


def _margin_text(margin: float | Mapping[str, float]) -> str:
    """Say by how much, if that is more than nothing."""
    if not isinstance(margin, Mapping):
        return f" by more than {margin:g}" if margin else ""
    return f" by more than the margin ({shortlist([f'{name} {one:g}' for name, one in margin.items()])})"


def verdict_of_gate(checks: Sequence[Row], outcome: str, settings: Mapping[str, Any]) -> str:
    """Say the outcome, of which checks it is, what the others say, and what an undecided one counts as."""
    old, new = settings["old"], settings["new"]
    two = f"worse than {old}{_margin_text(settings['margin'])}"
    own = {which: [c for c in checks if c["outcome"] == which] for which in (PASS, FAIL, UNDECIDED)}
    where = "" if outcome == PASS or len(checks) == 1 else f"{_where(own[outcome], checks)}, "
    told = {
        PASS: f"{new} is not {two}",
        FAIL: f"{new} is {two}",
        UNDECIDED: f"whether {new} is {two} cannot be told",
    }
    others = [
        f"; {_where(own[other], checks)} {said}"
        for other, said in ((PASS, "it is not"), (UNDECIDED, "that cannot be told"))
        if other != outcome and own[other]
    ]
    first = f"{outcome.upper()}  {where}{told[outcome]}{''.join(others)}."
    counts_as = settings["undecided"]
    if outcome != UNDECIDED or not counts_as:
        return first
    return f"{first} The build {counts_as}{'es' if counts_as == PASS else 's'}, as asked for."


def sentence_of_gate(checks: Sequence[Row], outcome: str, settings: Mapping[str, Any]) -> str:
    """Say the outcome and the numbers that decide it."""
    deciding = [c for c in checks if c["outcome"] == outcome and (outcome == FAIL or c["segment"] == EVERY)]
    numbers = ". ".join(_numbers(check, settings) for check in deciding)
    return f"{verdict_of_gate(checks, outcome, settings)} {numbers}."


def _numbers(row: Row, settings: Mapping[str, Any]) -> str:
    """Say the numbers that decide a row of a gate."""
    where = "" if row["segment"] == EVERY else f" in {row['segment']}"
    start = f"{row['measure']}{where}: difference {row['difference']:+.4f}"
    sure, many = percent(1 - settings["alpha"]), how_many(row)
    often = " at every look" if settings["test"] == "sequential" else ""
    if row["identical"]:
        return f"{start}: the two score the same on each of {many}"
    assumed = ASSUMED[row["judging"]]
    if is_estimated(row) and row["judging"] in (SEEN, UNKNOWN) and not isfinite(row.get("flip", inf)):
        assumed = "estimated from drawn documents"
    if row["outcome"] != UNDECIDED:
        above = (row["outcome"] == PASS) != row["lower_is_better"]
        limit = f"above {row['limit_low']:+.4f}" if above else f"below {row['limit_high']:+.4f}"
        return f"{start}, {limit} with {sure} confidence{often} ({many}, {assumed})"
    finite = isfinite(row["limit_low"] + row["limit_high"])
    ends = f"from {row['limit_low']:+.4f} to {row['limit_high']:+.4f}" if finite else "unknown"
    remedy = would_tell(row)
    return f"{start}, {ends} ({many}, {assumed}). {remedy[0].upper()}{remedy[1:]}"


def _where(some: Sequence[Row], checks: Sequence[Row]) -> str:
    """Say of which measures and segments some checks are, as far as there are several."""
    segmented = any(check["segment"] != EVERY for check in checks)
    segments: dict[str, list[str]] = {}
    for check in some:
        segments.setdefault(check["measure"], []).append(check["segment"])
    places = []
    for measure, own in segments.items():
        named = [segment for segment in own if segment != EVERY]
        words = [f"by {measure}"] if len({c["measure"] for c in checks}) > 1 else []
        inside = [f"in {shortlist(named)}"] if named else []
        whole = ["over all queries"] if segmented and EVERY in own else []
        places.append(" ".join([*words, " and ".join([*inside, *whole])]).strip())
    return ", ".join(places)
