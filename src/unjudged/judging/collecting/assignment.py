"""Who judges which topic: a file that people may edit, and that later rounds read again.

# unjudged-assignment: who judges which topic. Edit it; later rounds read it again.
# twice 0.05: the share of a topic's documents that its second assessor judges too
topic	assessor	role
401	ann	own
401	bob	second
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from unjudged.base.choices import checked_int
from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.wording import counted
from unjudged.formats.small_files import number_in_file, read_small_text
from unjudged.formats.streams import display_name
from unjudged.formats.writing import query_id
from unjudged.grids.grid import Column, Grid, Shown
from unjudged.judging.collecting.drawn_sample import DrawnSample
from unjudged.judging.pooling import sampling
from unjudged.rankings.judged import Mask

OWN, SECOND = "own", "second"
HEAD = ("topic", "assessor", "role")
MARK = "# unjudged-assignment: who judges which topic. Edit it; later rounds read it again."
TWICE = "the share of a topic's documents that its second assessor judges too"
_NAME = re.compile(r"[^\W_][\w.-]{0,63}")
_TWICE = re.compile(r"# twice (\S+?)(:.*)?")


@dataclass(frozen=True, repr=False)
class Assignment(Shown):
    """Topics with their own assessor, and the `second` ones, who judge the share `twice` of them too."""

    own: Mapping[str, str]
    second: Mapping[str, Sequence[str]] = field(default_factory=dict)
    twice: float = 0.0

    @property
    def assessors(self) -> list[str]:
        """Every assessor, sorted by name."""
        return sorted({*self.own.values(), *(name for several in self.second.values() for name in several)})

    def rows(self) -> list[tuple[str, str, str]]:
        """Return topic, assessor and role, topic by topic."""
        return [
            (topic, name, role)
            for topic, own in self.own.items()
            for name, role in ((own, OWN), *((other, SECOND) for other in self.second.get(topic, ())))
        ]

    def grid(self) -> Grid:
        return Grid([Column(name, "label") for name in HEAD], self.rows(), "Assignment")

    def text(self) -> str:
        """Return the file, from which `read_assignment` restores the assignment."""
        lines = [
            MARK,
            f"# twice {self.twice!r}: {TWICE}",
            "\t".join(HEAD),
            *("\t".join((query_id(t), n, r)) for t, n, r in self.rows()),
        ]
        return "".join(f"{line}\n" for line in lines)


def read_assignment(path: str | os.PathLike[str]) -> Assignment:
    """Read an assignment; topics need one own assessor each, and names must be good for files."""
    own: dict[str, str] = {}
    second: dict[str, dict[str, None]] = {}
    twice, source = 0.0, display_name(path)
    for number, line in enumerate(read_small_text(path, "an assignment of topics").split("\n"), 1):
        if share := _TWICE.fullmatch(line.strip()):
            try:
                twice = number_in_file("the share judged twice", share[1], 0, 1, text=True)
            except InputError as error:
                raise InputError(error.problem, source=source, line=number) from None
        words = tuple(line.split())
        if not words or line.startswith("#") or words == HEAD:
            continue
        if problem := _problem(words, own, second):
            raise InputError(f"{quoted(line)}: {problem}", source=source, line=number)
        topic, name, role = words
        if role == OWN:
            own[topic] = name
        else:
            second.setdefault(topic, {})[name] = None
    if not own:
        raise InputError(
            "no topic with an own assessor, expected lines of topic, assessor and role", source=source
        )
    if alone := [topic for topic in second if topic not in own]:
        problem = f"topic {quoted(alone[0])} has a second assessor and no own one"
        raise InputError(f"{problem}: add a line with the role {OWN}", source=source)
    return Assignment(own, {topic: list(several) for topic, several in second.items()}, twice)


def _problem(words: Sequence[str], own: Mapping[str, str], second: Mapping[str, Container[str]]) -> str:
    """Say what is wrong with a line; nothing if all is right."""
    if len(words) != len(HEAD):
        return f"expected {len(HEAD)} columns ({', '.join(HEAD)})"
    topic, name, role = words
    if role not in (OWN, SECOND):
        return f"the role is {quoted(role)}, expected {OWN} or {SECOND}"
    if problem := bad_name(name):
        return problem
    if role == OWN and topic in own:
        return f"topic {quoted(topic)} has an own assessor already, {own[topic]}: call one of them {SECOND}"
    if name in ([own.get(topic)] if role == SECOND else []) or name in second.get(topic, ()):
        return f"{name} judges topic {quoted(topic)} already"
    return ""


def bad_name(name: str) -> str:
    """Say why an assessor cannot have this name, which is also that of a file; nothing if they can."""
    if _NAME.fullmatch(name):
        return ""
    return f"the assessor is {quoted(name)}, expected letters, digits, '_', '-' or '.', at most 64 of them"


def assign(
    sample: DrawnSample,
    assessors: int | Sequence[str] | None = None,
    *,
    twice: float | None = None,
    twice_topics: int | None = None,
    since: Assignment | None = None,
    seed: int | None = None,
) -> Assignment:
    """Return who judges which topic of a sample: `assessors` by number or name, or those of `since`.

    Topics of `since`, an earlier assignment, keep their assessors. The others go to the assessor with the
    fewest documents, counting those of earlier rounds, the largest topics first. `twice` is the share of a
    topic's documents that a second assessor judges too, that of `since` unless given. With `twice_topics`
    only so many topics have a second assessor, who judges them whole unless `twice` is given.

    >>> from unjudged import sample
    >>> from unjudged.judging import Pool
    >>> from unjudged.judging.collecting.drawn_sample import draw
    >>> made = assign(draw(Pool.of_runs(sample.runs, 10), "random", 0.5), ["ann", "bob"], twice_topics=2)
    >>> made.rows()[:2], made.twice
    ([('q01', 'ann', 'own'), ('q02', 'ann', 'own')], 1.0)
    """
    queries, drawn = list(sample.pooled.queries), sample.by_topic(sample.drawn).tolist()
    names = _assessors(assessors, since)
    share = _share(twice, twice_topics, since)
    own = dict(since.own) if since else {}
    second = {topic: list(several) for topic, several in since.second.items()} if since else {}
    load = dict.fromkeys(names, 0.0)
    for topic, documents in zip(queries, drawn, strict=True):
        for name in [own[topic], *second.get(topic, ())] if topic in own else []:
            load[name] += documents if name == own[topic] else share * documents
    order = sorted(range(len(queries)), key=lambda q: (-drawn[q], q))
    for q in order:
        if queries[q] not in own:
            own[queries[q]] = name = min(names, key=load.__getitem__)
            load[name] += drawn[q]
    all_doubled = since is None or not since.second or len(since.second) == len(since.own)
    doubled = _doubled(sample, second, twice_topics, sample.seed if seed is None else seed)
    for q in (q for q in order if share and doubled[q] and (all_doubled or twice_topics is not None)):
        if len(names) == 1:
            problem = "one assessor cannot judge a document twice"
            raise UsageError(f"{problem}: give --assessors 2 or more, or omit it for one file per topic")
        others = [name for name in names if name != own[queries[q]]]
        second[queries[q]] = [min(others, key=load.__getitem__)]
        load[second[queries[q]][0]] += share * drawn[q]
    known = dict.fromkeys([*queries, *own])
    return Assignment({topic: own[topic] for topic in known}, second, share)


def _assessors(given: int | Sequence[str] | None, since: Assignment | None) -> list[str]:
    """Return the names of all assessors."""
    if given is None and since is None:
        raise UsageError("no assessors: give their number or their names, or an assignment")
    if isinstance(given, str) or (isinstance(given, Sequence) and not given):
        raise UsageError(f"assessors are {given!r}, expected a number or a list of names")
    names = list(given) if isinstance(given, Sequence) else []
    if given is not None and not names:
        number = checked_int("assessors", given, least=1)
        if since is not None:
            if number != len(since.assessors):
                known = counted(len(since.assessors), "assessor")
                raise UsageError(f"the assignment names {known}, not {number}: edit it, or omit --assessors")
            return since.assessors
        return [f"assessor-{i:0{len(str(number))}d}" for i in range(1, number + 1)]
    if problem := next(filter(None, map(bad_name, names)), ""):
        raise UsageError(problem)
    if len(set(names)) < len(names):
        raise UsageError(f"assessors are {', '.join(names)}: a name is there twice")
    return list(dict.fromkeys([*(since.assessors if since else ()), *names]))


def _share(twice: float | None, topics: int | None, since: Assignment | None) -> float:
    share = twice if twice is not None else since.twice if since else 0.0
    share = 1.0 if topics is not None and twice is None and not share else share
    if not 0 <= share <= 1:
        raise UsageError(f"twice is {share}, expected a share from 0 to 1")
    return share


def _doubled(sample: DrawnSample, second: Collection[str], topics: int | None, seed: int) -> Mask:
    """True for topics that get a second assessor, so that `topics` or all have one; names and seed decide."""
    queries = sample.pooled.queries
    wanted = len(queries) if topics is None else checked_int("twice_topics", topics, least=1)
    known = np.array([topic in second for topic in queries], bool)
    number = sampling.numbers(sampling.identities_of(queries.tolist()), seed)
    cell = np.where(~known & (sample.by_topic(sample.drawn) > 0), 0, 1)
    return sampling.smallest(number, cell, np.array([max(wanted - len(second), 0), 0]))


def by_topic(sample: DrawnSample, *, twice: float | None, twice_topics: int | None, seed: int) -> Assignment:
    """Return an assignment in which every topic is a file of its own, and so is what is judged twice."""
    queries = list(sample.pooled.queries)
    safe = [re.sub(r"[^A-Za-z0-9_-]", "_", query)[:40] for query in queries]
    digits, share = len(str(len(queries))), _share(twice, twice_topics, None)
    own = {query: f"topic-{i:0{digits}d}-{safe[i - 1]}" for i, query in enumerate(queries, 1)}
    doubled = _doubled(sample, {}, twice_topics, seed)
    second = {q: [f"{own[q]}-second"] for q, chosen in zip(queries, doubled, strict=True) if share and chosen}
    return Assignment(own, second, share)
