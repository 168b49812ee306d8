"""Notes: what a reader of results must know, as data, and the words of every note in one place.

    note("left-out", ["infAP"], why=refusal)

makes a sentence that knows its code, what it is about, its values and its weight. Tables show the sentence,
JSON has all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from unjudged.base.wording import counted, percent, shortlist

BELOW = ("shares", "collections", "choices", "method", "placing")
"""Codes of notes that stand below their table, because they say how to read it."""
READING, DOUBT = 0, 1
"""Weights: how to read the results, or why another conclusion may be right."""

FORMS = {"has": "have", "is": "are", "it": "them"}
FORMS |= {f"{verb}s": verb for verb in ("score", "count", "need", "look")}
"""Words that agree with a number or with how many names there are: `{about:has}`."""
NOUNS = ("query", "run", "mean")
NAMED = 5
"""How many runs stand in a sentence before it counts them."""

_TEXT = """
missing-queries: {about:names} returned nothing for {missing:list} ({missing:number} of {queries:query}) and
    {about:scores} 0 there.
many-missing!: {about:names} returned nothing for {missing:list} ({missing:number} of {queries:query}) and
    {about:scores} 0 there.
extra-queries: {about:names} {about:has} rankings for {ignored:query} that the judgments do not have. They
    are ignored.
nothing-judged-of-run!: No document that {about:list} retrieved is judged, so its scores say nothing about
    it. Check that the run names documents as the judgments do{example}.
nothing-judged!: Nothing is judged: every grade is negative, so the scores say nothing.
wrong-order!: The judgments look like scores, and {about:list} like grades: are they in the wrong order?
    Judgments come before runs (unjudged check says which file is which).
positives!: The judgments list relevant documents alone: all others count as not relevant. How many of those
    are relevant, a random check would tell: --design "holes(50)" of unjudged next.
model-alone!: The judgments are by a model, {about:list}: there are none by people.
only-judges!: People's labels are not a recorded sample, so the labels of {about:list} are not used, only
    compared by `unjudged audit`. If people's documents were drawn at random, say so (--set
    judgments.how=sample).
complete-list: {about:list} {about:needs} every relevant document to be listed.
refused!: {why}.
stale!: {gone:,} of {listed:,} documents of the judgments {gone:is} not in {file} any more and {gone:is}
    dropped: {about:list}. `unjudged check` says of which queries; --set stale=keep keeps them.
stale-queries!: {about:query} {about:has} no document left and {about:is} left out: {about:list}.
stale-relevant!: {about:query} {about:has} no relevant document left and {about:scores} 0: {about:list}.
few-judged!: Only {share}, and the others count as nonrelevant: bounds (--interval bounds) show what that
    leaves open. If the labels were drawn at random, say so (--set
    judgments.how=sample).
hardly-judged!: {unseen:share} of {about:list}'s top ten was never judged: its score says little.{remedy}
queries-without-judged!: {none:number} of {queries:query} {none:has} no judged document, so all that
    runs have for {none:it} counts as nonrelevant: {none:list}.
queries-without-relevant!: {none:number} of {queries:query} {none:has} no sampled relevant document, and
    {about:all} {about:counts} them as 0: {none:list}.
no-such-grade!: No judged document has a grade of {rel} or more, so nothing is relevant with rel={rel}.
below-sample!: The sample was drawn from the first {rank} documents of each run, so nothing is known of
    the others: {about:all} {about:counts} them as nonrelevant.
not-uniform!: {about:all} {about:needs} a uniform sample, but {why}.
tied: Tied scores in {tied} of {runs:run}: --set ties=expected has the means over all orders of them.
tied-means: Tied scores: other orders of them move {means:mean} by more than {least}, for instance {widest}.
    --set ties=expected has the mean over all orders.
expected: Values are expected over all orders of documents with the same score, each as likely as another.
drawn-orders: {about:all}: orders of some rankings were drawn at random; standard error of a mean {error:.1g}.
drawn!: {drawn:,} of {of:,} unjudged documents {how}: {measure} of {about:list} is {value:.2f} [{low:.2f},
    {high:.2f}], as judged {judged:.2f}.{looks}
few-labels: At most {labels:.1f} of {drawn:,} labels bear on {measure} of {about:list}: too few for an
    estimate, so {about:list} {about:has} only a range.
no-estimate!: At most {labels:.1f} of {drawn:,} labels bear on {measure} of any system: too few for
    estimates, so there are only ranges.
sampled: {about:list} {about:is} estimated from {drawn:,} of {of:,} documents, drawn at random{unseen}.
undrawn!: In estimates of {about:list} unjudged documents that could not be drawn count as not relevant.
    Bounds (--interval bounds) show what they leave open.
few-sampled!: {measure} of {about:list} is not estimated: {why}.
not-estimated: {about:list} {about:is} not estimated from the drawn documents: {why}.
left-out!: {about:list} is left out: {why}.
estimates: {what} with the pool judged{how}.
outside-pool: Documents outside the pool count as not relevant.
pool-depth: Bounds: {what}.
lower-better: {about:list}: the lower value counts as better.
higher-better: {about:list}: the higher value counts as better (--set
    scores.lower=NAME if the lower one should; in Python lower=).
like-costs!: {about:list} {about:looks} like what should be low, and the higher value counts as better: --set
    scores.lower=NAME (in Python lower=).
of-logarithms: {about:list}: differences, their tests and intervals are of logarithms.
per-query: {about:list}: means per query, where `evaluate` has sums.
same-queries!: {about:list} have the same {what}: their queries are not independent, and intervals and p
    values of the mean are too small.
rests-on-few!: {about:list} has {queries:query}, on which up to {share:share} of the uncertainty of a mean
    or difference over collections rests: its interval and p value may be too small or too large, less so
    from {enough} queries on.
one-query!: One query says nothing about other queries: every p is 1.
one-cluster!: One cluster of queries says nothing about other queries: every p is 1.
clusters: {queries:,} queries are in {clusters} clusters: for other queries all are worth {worth:.0f}
    independent ones.
identical: {some} the same on every query: p is 1.
constant!: {some} by the same amount on every query: p is 2^-{power}.
alike!: Differences that are all equal do not show how far others vary: they have no interval.
exact-p: All {flips:,} sign flips of the {parts} were taken: p is exact.
resampled-p: {draws:,} resamples of the queries were drawn: p is at least 1/{least:,}.
shares: flip: the share of relevant documents that turns the order; seen: this share among judged documents.
judging-unknown!: What more judging could change is unknown: {why}.
judging-unknown-of!: {about:list}: what more judging could change is unknown: {why}.
collections: mean: {geometric}over collections, each counts alike. queries: {sizes}.
missing-range!: {lacking}. Each counts as the worst value, and ranges and headlines allow for any
    (scores.missing=zero or drop if you know better).
missing-zero!: {lacking}. Missing values count as 0.
missing-drop!: {lacking}. {left:query} left out for all systems: {left:list}.
choices: ?: leads, but other queries or more judging could change that. {test}, {alpha:level}.
method: {doubt}{test}, {alpha:level}{against}.
placing: {of}{said}
few-draws!: With {draws:,} draws a pair that alone differs has p = {p:.2g} after correction: draw at least
    {enough:,}.
"""
"""A note per paragraph; those that are a reason for doubt have an exclamation mark behind their code."""

WORDS = {
    code: (DOUBT if mark else READING, " ".join(words.split()))
    for code, mark, words in re.findall(r"^([a-z-]+)(!?): (.*(?:\n    .*)*)", _TEXT, re.MULTILINE)
}
"""Weight and words of each note by its code."""


class Note(str):
    """A sentence, with its code, the names that it is about, its values and its weight."""

    code: str
    about: tuple[str, ...]
    values: Mapping[str, Any]
    weight: int

    def __new__(
        cls,
        text: str,
        code: str = "",
        about: Iterable[str] = (),
        values: Mapping[str, Any] | None = None,
        weight: int = READING,
    ) -> Self:
        made = super().__new__(cls, text)
        made.code, made.about, made.values, made.weight = code, tuple(about), values or {}, weight
        return made

    def said_of(self, names: Sequence[str]) -> Note:
        """Return the same said of these names, which come first."""
        return Note(f"{', '.join(names)}: {self}", self.code, names, self.values, self.weight)

    def data(self) -> dict[str, Any]:
        """Return what JSON has of it."""
        known = {"code": self.code, "about": list(self.about), "values": dict(self.values)}
        return {**{name: own for name, own in known.items() if own}, "weight": self.weight, "text": str(self)}


def note(code: str, about: Sequence[str] = (), /, **values: Any) -> Note:
    """Make a note of these names with these values.

    >>> note("lower-better", ["p50_latency"])
    'p50_latency: the lower value counts as better.'
    >>> note("queries-without-judged", none=["q1", "q7"], queries=50)
    '2 of 50 queries have no judged document, so all that runs have for them counts as nonrelevant: q1, q7.'
    """
    weight, words = WORDS[code]
    said = {name: _Said(value) for name, value in {"about": list(about), **values}.items()}
    return Note(words.format(**said), code, about, values, weight)


def folded(notes: Iterable[str], where: str, codes_shown: Sequence[str] = ()) -> list[str]:
    """Return reasons for doubt and notes with these codes, then how many others there are, and `where`.

    >>> folded([note("outside-pool"), note("alike"), "By hand."], "-v")[1:]
    ['2 notes (outside pool): -v']
    """
    every = list(dict.fromkeys(notes))
    shown = [
        one
        for one in every
        if getattr(one, "weight", READING) == DOUBT or getattr(one, "code", "") in codes_shown
    ]
    if not (others := [one for one in every if one not in shown]):
        return shown
    codes = dict.fromkeys(code.replace("-", " ") for one in others if (code := getattr(one, "code", "")))
    about = f" ({', '.join(codes)})" if codes else ""
    return [*shown, f"{counted(len(others), 'note')}{about}: {where}"]


def said_once(said: Iterable[tuple[str, Note]], every: int) -> Iterator[Note]:
    """Yield each note once, after the names of what it is said of, unless that is `every` one."""
    names: dict[Note, list[str]] = {}
    for name, own in said:
        names.setdefault(own, []).append(name)
    for own, all_names in names.items():
        once = list(dict.fromkeys(all_names))
        yield own if len(once) == every else own.said_of(once)


class _Said:
    """A value as a note writes it: `{queries:query}` is `30 queries`."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __format__(self, form: str) -> str:
        if form in _FORMATS:
            return _FORMATS[form](self.value)
        if form not in ("number", *FORMS, *NOUNS):
            return format(self.value, form)
        number = self.value if isinstance(self.value, int) else len(self.value)
        if form in NOUNS:
            return counted(number, form)
        return f"{number:,}" if form == "number" else form if number == 1 else FORMS[form]


def _named(runs: Sequence[str]) -> str:
    """Return runs by name in a note, or how many there are."""
    if len(runs) > NAMED:
        return f"{len(runs)} runs ({', '.join(runs[:3])}, ...)"
    return " and ".join(filter(None, [", ".join(runs[:-1]), runs[-1]]))


_FORMATS: dict[str, Callable[[Any], str]] = {
    "list": shortlist,
    "all": ", ".join,
    "names": _named,
    "level": percent,
    "share": lambda value: percent(value, 0),
}
