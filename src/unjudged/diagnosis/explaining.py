"""`explain`: measures, words of the output and of papers, methods, notes, errors, and saved results."""

from __future__ import annotations

import inspect
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from unjudged.base import errors
from unjudged.base.choices import shown
from unjudged.base.errors import InputError, UsageError
from unjudged.base.notes import WORDS as NOTES
from unjudged.base.wording import meant
from unjudged.citation import REFERENCES, cite, methods
from unjudged.measures.kernel.names import other_names, parse
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.results.fields import FIELDS
from unjudged.results.methods_paragraph import methods_of

_GLOSSARY = """
query, queries, topic: What a user asked; also called a topic.
run, system, runs, systems: A system returns one ranking per query. A run is all of its rankings, in one file.
grade, grades, relevant: A number from 0 (not relevant) upwards that a person gave a document for a query. A
    document is relevant if its grade is at least `rel`, which is 1 unless the collection says otherwise.
judgments, qrels: The grades of one collection.
known, drawn, unknown: The three states of a document. Known: somebody judged it. Drawn: it could have been
    judged, with a recorded chance. Unknown: nobody could have judged it.
judged, unjudged: Whether somebody graded the document for the query. An unjudged one may be pooled (a line
    with -1), looked at and impossible to judge (-2), or in no line at all.
pool, pooled, depth pool: The documents that were candidates for judging, usually the first ones of several
    runs.
sample, stratum: Judgments of documents that were drawn at random from the pool. The file records with what
    probability, or in which stratum (a part of the pool with a rate of its own).
hole, holes: An unjudged document of a run that counts for the measure. `unjudged next --design "holes(50)"`
    draws fifty of them.
chosen: Judgments of documents that were selected for what they would show, as `unjudged next` does. They are
    not a random sample.
range, could be, low, high, bounds of a score: The lowest and the highest value that judging could make of a
    score or of a difference. It is not a probability.
interval for other queries, for other queries: What another random sample of queries could have given, with
    these judgments.
estimate, estimated: What the score would be with every document judged that could be drawn, from those that
    were; *estimated* in tables is its 95 % interval.
effective number of labels, labels: How many labels of equal bearing on this measure and these systems the
    drawn documents are worth. Below 3 there is no estimate.
calibrated interval: As wide as the errors of the pooled groups when each of them was left out.
group, groups: The runs of one team, or of one family of systems.
other queries, hold, may differ: The first answer of a comparison: "hold" if a test over queries finds the
    difference, else "may differ".
more judging, cannot change it, is unlikely to change it, could blur it, could flip it: The second answer of a
    comparison. Judging cannot change the result, is unlikely to change it, could blur it (the order stays,
    the test does not hold), could flip the order, or nobody knows.
headline, better, needs judging, needs queries, needs both, few queries: What follows from both answers.
    "better": other queries would say the same, and more judging cannot or is unlikely to change it. "needs
    judging": judging could blur or flip it. "needs queries": other queries could say the opposite. "needs
    both": either could. "few queries": fewer than ten, so nothing follows.
share seen, seen: The share of relevant documents among the judged ones that favour the system behind. It is
    what to expect of the unjudged ones.
flip share, flip: How many of the unjudged documents that favour the system behind must be relevant for it to
    catch up.
loss share, loss: How many of them must be relevant for the test to fail.
careful p: The larger of Student's p and of Hall's, which allows for skewed differences.
place: From 1 + the number of systems that are better than this one, to all but those that it is better than.
tau, tau_AP, rho, RMS error, RBO: How well two orders of systems agree. tau (Kendall) and tau_AP, with more
    weight on the top, are from -1 to 1; rho is the linear correlation of the means, RMS error their distance;
    RBO, rank-biased overlap, is from 0 to 1.
"""
_PAPERS = """
inferred AP = infAP; induced AP = indAP; subcollection AP = subAP; bpref-10 = Bpref10;
normalised cumulative precision = NCP; rank-biased precision = RBP; stopping population = NCP;
residual: What RBP would gain if every unjudged document were relevant: the width of its range. `RBPResidual`
    has it, `RBPUpper` the upper bound.
margin: The loss that does not matter to a gate.
design: A rule that decides which documents of a pool are judged.
epsilon, epsilon of infAP, infAP epsilon, smoothing, smoothing constant: infAP estimates the precision above a
    relevant document from the judged ones above it. With none it would be 0/0, so both counts get a little
    more: (r + eps) / (r + n + c eps). `infAP(eps=0.00001)` is the epsilon of Yilmaz and Aslam (2006),
    `infAP(c=1.5)` the smoothing constant that they vary in 2008.
AP as a random experiment, random experiment, expected AP of a user: Pick a relevant document at random, then
    a rank at random from the first one to its own: AP is the probability that a relevant document stands
    there (Yilmaz and Aslam, 2006). Robertson (2008) has users who each stop at one relevant document: see
    NCP.
user model, AP as a user model, stopping, stopping populations: What a measure assumes of users. RBP: a user
    goes on to the next rank with probability p. AP: users stop at each relevant document equally often; NCP
    takes any other population (Robertson, 2008), as in `NCP(stop=(0.5, 0.3, 0.2))`.
sampling rate, sampling rates, judged share: `unjudged experiment QRELS RUN... --design "uniform(5%, 30%)"`
    judges a share of the documents and measures tau, rho and RMS error; `--plot` draws them. `--against AP`
    compares with AP; by default a measure is compared with its own target.
against itself, itself: A measure from few judgments compared with the same measure from all of them. An
    experiment written to a file has both: against the target, and against itself.
depth pools, shallow pool: Judge the first documents of every run: `--design "pool(5, 10)"`.
mixed pool, mixed pools: A depth pool and as many documents drawn from the rest: `--design "mixed(5)"`.
upper bound of RBP = RBPUpper; upper bound = RBPUpper; RBP upper bound = RBPUpper; RBP residual = RBPResidual;
uncertainty of RBP, quantile, density, distribution of the uncertainty, distribution of RBP, mean of RBP,
    variance of RBP, quantiles of RBP, density of RBP, uncertainty of the mean: What
    unjudged documents may add to RBP is a random variable if each is relevant with some probability (Park,
    2016).
    `unjudged.studies.uncertainty_of_rbp(qrels, run, prevalence)` has its mean, variance, quantiles and
    density, by query and of the mean; `--interval "model(prevalence=0.2)"` the interval of each run.
urn, urn model, unequal probabilities, unequal probabilities of relevance: Rankings drawn from an urn in which
    a nonrelevant document is w times as likely to come next as a relevant one: `unjudged.studies.simulate`. A
    prevalence per rank, `model(prevalence=(0.5, 0.3, 0.1))`, is for probabilities that differ.
expected AP, exact expected AP, approximate expected AP, random ranking, expected AP of a random ranking,
    random baseline: What AP is on average if documents are in random order (Bestgen, 2015):
    `unjudged.studies.expected("AP", documents=1000, relevant=20)`, exactly; R/N is its usual approximation,
    and too low.
nAP, normalised AP, normalized AP, AP corrected for chance, corrected for chance, chance: `AP(chance=N)` is
    (AP - E) / (1 - E), with E the expected AP of a random ranking of N documents: 0 by chance, 1 at best.
p of a random ranking, p value of a random ranking, p value of a ranking, probability of a random ranking,
    probability that a random ranking does as well, Bestgen's p: The probability that random rankings
    do as well: `unjudged.studies.p_of_random_ranking(values, documents, relevant)`.
kappa, Cohen's kappa, weighted kappa: Agreement of two judges beyond chance: 1 - observed / expected distance
    of their grades. Weighted kappas count how far grades differ, linearly or by the square.
alpha, Krippendorff's alpha: Agreement of judges beyond chance, who are taken as interchangeable.
exit code, exit codes: A gate: 0 pass, 1 fail, 2 undecided, 3 nothing could be asked. Other commands: 0 done,
    1 the input cannot be used, 2 the command line is wrong, 130 interrupted.
"""


def plainly(word: str) -> str:
    """Return a word without what people write differently: case, hyphens, quotes and other marks."""
    return " ".join(re.sub(r"['\"]s?\b|[^\w@]", " ", word.casefold().replace("_", " ")).split())


def _entries(text: str) -> list[tuple[list[str], str]]:
    """Return names and meaning of each entry; a name may stand for a measure, `name = measure`."""
    found = []
    for part in re.findall(r"^(\S.*(?:\n    .*)*)", text, re.MULTILINE):
        whole = " ".join(part.split())
        if " = " in whole.partition(": ")[0]:
            pairs = (one.partition(" = ") for one in whole.strip(";").split("; "))
            found += [([name.strip()], f"={measure.strip(' ;')}") for name, _, measure in pairs]
        else:
            names, _, means = whole.partition(": ")
            found.append((names.split(", "), means))
    return found


GLOSSARY = {tuple(names): means for names, means in _entries(_GLOSSARY)}
"""What words of the output mean, by all their names."""
MEANINGS = {plainly(name): means for names, means in _entries(_GLOSSARY + _PAPERS) for name in names}
"""What each word means; an equals sign and a measure stands for the page of the measure."""


@dataclass(frozen=True)
class Explanation:
    """A text, and the names whose works it rests on."""

    text: str
    cited: Sequence[str] = ()

    @property
    def bibtex(self) -> str:
        """Return BibTeX of the works; of the package if there are none."""
        return cite(*self.cited)

    def __str__(self) -> str:
        return self.text


def explain(word: str | os.PathLike[str] | None = None) -> Explanation:
    """Say what a measure, a word of the output, a method, a note or an error means.

    Parameters
    ----------
    word
        Such as `"nDCG@10"`, `"place"`, `"needs judging"`, `"induced AP"`, `"holm"`, `"few-judged"`, or a JSON
        file that a command wrote. Without a word the measures are listed by family.

    >>> print(explain("place"))
    From 1 + the number of systems that are better than this one, to all but those that it is better than.
    >>> explain("induced AP").cited
    ['indAP']
    >>> explain("holm").bibtex.splitlines()[0]
    '@article{holm1979,'
    """
    if word is None:
        return Explanation("\n".join(_families()))
    if not isinstance(word, str | os.PathLike):
        raise UsageError(f"word is {shown(word)}, expected a name such as 'nDCG@10'")
    text = os.fspath(word)
    if text.endswith(".json") or os.path.isfile(text):
        return _of_file(text)
    for look in (_of_word, _of_method, _of_measure, _of_field, _of_note, _of_error):
        found = look(text)
        if found is not None:
            return found
    hint = meant(plainly(text), [*MEANINGS, *methods(), *FIELDS, *NOTES]) or meant(text, MEASURES)
    expected = "a measure, a word of the output, a method, a note, an error or a saved result"
    raise UsageError(f"nothing is known of {text!r}{hint or f', expected {expected}'}")


def _families() -> Iterator[str]:
    for family, title in FAMILIES.items():
        own = [measure for measure in MEASURES.values() if family_of(measure) == family]
        if own:
            yield title
        yield from (f"  {measure.name:16} {measure.help.splitlines()[0]}" for measure in own)
    yield "unjudged explain NAME explains one; words of the output, methods and notes, too."


def _of_word(text: str) -> Explanation | None:
    means = MEANINGS.get(plainly(text))
    if means is None:
        return None
    return _of_measure(means[1:]) if means.startswith("=") else Explanation(means)


def _of_method(text: str) -> Explanation | None:
    method = methods().get(text)
    if method is None:
        return None
    made: Callable[..., Any] = getattr(method, "function", None) or method.make
    title = getattr(method, "title", "") or getattr(method, "covers", "")
    said = inspect.cleandoc(inspect.getdoc(made) or "").partition("\n\n>>>")[0]
    takes = f"\n\nIt takes {', '.join(method.uses)}." if getattr(method, "uses", ()) else ""
    return Explanation(f"{text}: {title or 'a design'}\n\n{said}{takes}", [text] if method.cite else [])


def _of_measure(text: str) -> Explanation | None:
    try:
        measures = parse(text)
    except UsageError:
        return None
    return Explanation(page(measures[0]).rstrip(), [measures[0].name])


def _of_field(text: str) -> Explanation | None:
    wanted = plainly(text)
    for field in FIELDS.values():
        if wanted in (plainly(field.name), plainly(field.heading)) and field.means:
            return Explanation(f"{field.heading}: {field.means}.")
    return None


def _of_note(text: str) -> Explanation | None:
    if text not in NOTES:
        return None
    weight, words = NOTES[text]
    why = "A reason why another conclusion may be right." if weight else "How to read the results."
    return Explanation(f"{why}\n\n{words}")


def _of_error(text: str) -> Explanation | None:
    found = getattr(errors, text, None)
    return Explanation(inspect.getdoc(found) or "") if inspect.isclass(found) else None


def _of_file(file: str) -> Explanation:
    """Say how a saved result was made, with the works to cite, what its fields are and what its notes say."""
    try:
        with open(file, encoding="utf-8") as stream:
            saved = json.load(stream)
        tables = saved.get("tables", [saved])
        fields = dict.fromkeys(name for table in tables for row in table["rows"] for name in row)
        notes = [note for table in tables for note in table.get("notes", ())]
        facts = next((table["made"] for table in tables if "made" in table), None)
        made = None if facts is None else methods_of(facts)
    except OSError as error:
        raise InputError(errors.reason_of(error), source=file) from None
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        raise InputError("it is not a result that a command wrote as JSON", source=file) from None
    means = {name: known.means for name in fields if (known := FIELDS.get(name))}
    said = [f"  {name}: {means.get(name) or 'as it is named'}" for name in fields]
    told = [note["text"] if isinstance(note, dict) else str(note) for note in notes]
    first = [] if made is None else [made.text, made.bibtex]
    return Explanation("\n\n".join([*first, "\n".join(said), *told]), () if made is None else made.works)


FAMILIES = {
    "precision": "Precision, recall and average precision",
    "gain": "Gain",
    "rank_biased": "Rank-biased precision and models of users",
    "incomplete": "Average precision from uniform samples",
    "stratified": "Estimates from stratified samples",
    "weighted": "Estimates from weighted samples",
    "sets": "Sets without an order, and counts",
    "own": "Your own",
}


def family_of(measure: Measure) -> str:
    """Return the family of a measure."""
    home, _, family = measure.function.__module__.rpartition(".")
    return family if home == "unjudged.measures" else "own"


def signature(measure: Measure) -> str:
    """`AP(rel=1)[@cutoff]`: what is optional is in brackets."""
    inside = [f"{k}={v!r}" for k, v in measure.parameters.items() if k != measure.traits.at]
    after = ""
    if measure.traits.at is not None:
        required = measure.parameters[measure.traits.at] is inspect.Parameter.empty
        after = f"@{measure.traits.at}" if required else f"[@{measure.traits.at}]"
    return measure.name + (f"({', '.join(inside)})" if inside else "") + after


def page(measure: Measure) -> str:
    """Formula, value where undefined, treatment of the unjudged, when to use it, example, citation."""
    names = other_names(MEASURES[measure.name])
    also = [f"Also called {', '.join(names)}."] if names else []
    low, high = measure.range
    facts = f"Values from {low:g} to {high:g}; over queries the {measure.traits.summary}."
    if "R = 0" in measure.help:
        facts = f"R is the number of documents judged relevant. {facts}"
    cited = [key.strip() if key.startswith("@") else REFERENCES[key].text for key in measure.traits.cite]
    return "\n\n".join([signature(measure), measure.help, " ".join([facts, *also]), *cited]) + "\n"
