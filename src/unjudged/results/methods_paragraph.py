"""How a result was made, as a paragraph for a paper with the works that it cites."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from unjudged.base.wording import counted, percent, shortlist
from unjudged.citation import PACKAGE, entries, version, works_of
from unjudged.inference.gate_checks import UNKNOWN
from unjudged.inference.significance import t as students
from unjudged.results.gate_result import ASSUMED

TOLD = ("test", "correction", "family", "alpha", "baseline", "interval", "margin", "said", "collections")
"""Settings of a result that its methods are made of."""
RULE = (
    "A system is called better than another if this test holds with the judgments as they are, and also if "
    "the unjudged documents that favour the other system are relevant as often as the judged ones at the "
    "same ranks that favour it."
)
RULE_WITHOUT = "A system is called better than another if this test holds."
SKEWED = "The larger of Student's p value and Hall's, which allows for skewness{}, decides."
SEVERAL = "This was repeated under other choices of measure, cutoff, relevant grades and unjudged documents."


class Methods(NamedTuple):
    """A paragraph with the keys of works in brackets, and these keys."""

    text: str
    works: Sequence[str]

    @property
    def bibtex(self) -> str:
        """BibTeX of the works."""
        return entries(*self.works)


def facts_of(result: Any) -> dict[str, Any]:
    """Return what `methods_of` says of a result: plain values, which a saved result keeps."""
    told, found = result.settings, result.source
    several = list(found.values()) if isinstance(found, Mapping) else [found]
    facts = {name: told[name] for name in TOLD if told.get(name) not in (None, "", [])}
    facts |= {"version": version(), "systems": list(told["systems"]), "queries": len(several[0].queries)}
    families = dict.fromkeys(row["family"] for row in result.rows.get("choices", ()))
    facts["measures"] = [*families] or [str(one.measure) for one in several[0].find(False)]
    names = [one.name for one in several if one.name]
    facts |= {"collection": names[0]} if len(several) == 1 and names else {}
    judged = [(one.rankings.judgments.grade, one.origin) for one in several if one.rankings is not None]
    facts["judgments"] = [
        {"judged": int((grade >= 0).sum()), "relevant": int((grade >= 1).sum()), "made": made}
        for grade, made in judged
    ]
    rows = [row for own in (result.rows[view] for view in result.views) for row in own]
    clusters = next((row["clusters"] for row in rows if row.get("clusters")), None)
    assumed = next((row["judging"] for row in rows if row.get("judging")), None)
    return facts | ({"clusters": clusters} if clusters else {}) | ({"judging": assumed} if assumed else {})


def methods_of(facts: Mapping[str, Any]) -> Methods:
    """Return how a result was made, by its facts.

    >>> facts = {"systems": ["a", "b"], "queries": 9, "measures": ["AP"], "judgments": [], "version": "1"}
    >>> methods_of(facts).text[:54]
    'a and b were evaluated on 9 queries. Scores came from '
    """
    cited: dict[str, None] = {}

    def works(*names: str) -> str:
        keys = dict.fromkeys(key for name in names for key in works_of(name))
        cited.update(keys)
        return f" [{', '.join(keys)}]" if keys else ""

    made = f"Computed with {PACKAGE} {facts['version']} [{PACKAGE}]."
    text = " ".join([*_data(facts), *_tests(facts, works), made])
    return Methods(text, [*cited, PACKAGE])


def _data(facts: Mapping[str, Any]) -> Iterator[str]:
    """Say what was compared on which queries, and how their judgments were made."""
    systems, asked = facts["systems"], "compared" if {*facts} & {"test", "margin"} else "evaluated"
    who = " and ".join(systems) if len(systems) < 3 else counted(len(systems), "system")
    where = counted(facts["queries"], "query")
    where += f" in {facts['clusters']} clusters" if "clusters" in facts else ""
    where += f" of {facts['collection']}" if "collection" in facts else ""
    if "collections" in facts:
        sizes = [f"{name}, {counted(size, 'query')}" for name, size in facts["collections"].items()]
        where = f"{len(sizes)} collections ({'; '.join(sizes)}) and by the mean over them"
    yield f"{who} {'was' if len(systems) == 1 else 'were'} {asked} on {where}."
    for own in facts["judgments"]:
        relevant = f"{own['judged']:,} documents were judged, {own['relevant']:,} of them relevant."
        yield f"{relevant} How they were made: {own['made']}."
    if facts["judgments"]:
        yield "Unjudged documents count as not relevant."
    else:
        yield "Scores came from another tool, or from predictions beside people's judgments."


def _tests(facts: Mapping[str, Any], works: Callable[..., str]) -> Iterator[str]:
    """Say by which measures, tests, corrections and rules the result was made."""
    measures = [f"{name}{works(name)}" for name in facts["measures"]]
    yield f"The {'measure is' if len(measures) == 1 else 'measures are'} {', '.join(measures)}."
    if "said" in facts:
        yield SEVERAL
    if "interval" in facts:
        yield f"Intervals are of the kind {facts['interval']}{works(facts['interval'].partition('(')[0])}."
    if "margin" in facts:
        losses = facts["margin"] if isinstance(facts["margin"], Mapping) else {"": facts["margin"]}
        loss = shortlist([f"{name} {loss:g}".strip() for name, loss in losses.items()])
        unknown = "with nothing known of what judging could change"
        assumed = ASSUMED.get(facts.get("judging", UNKNOWN), unknown)
        yield f"The new system passes if it is shown not to be worse by more than {loss}, {assumed}."
        yield f"The level is {percent(facts['alpha'])}. {SKEWED.format(works('hall1992'))}"
        yield f"Failures are corrected over all checks by Holm's method{works('holm')}."
    elif "test" in facts:
        by = facts.get("correction")
        over = f", corrected over {facts['family']} ({by}{works(by)})" if facts.get("family") else ""
        test = f"the {facts['test']}{works(facts['test'])} at the level {percent(facts['alpha'])}{over}"
        yield f"Differences over queries were tested by {test}."
        if facts["test"] == students.title:
            yield SKEWED.format(works("hall1992"))
        yield RULE if facts["judgments"] else RULE_WITHOUT
