"""Files around judging: texts and topics of the judging page, groups of runs, and predictions."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

from fuzz.doors import GRADES, SCORES, folder
from fuzz.kinds import Kind, compressed, json_text, standard_input
from fuzz.mutation import LINES, mutated
from fuzz.oracle import Difference, Outcome, agreed, outcome
from unjudged import audit, evaluate
from unjudged.judging import judge
from unjudged.judging.judging_page import Text, read_documents, read_queries
from unjudged.questions.calibrating import groups_of

TASK = [(query, document) for query, ids in GRADES.items() for document in ids]
TEXTS = [
    b'{"docno": "a", "title": "A title", "text": "words"}\n{"_id": "b", "contents": "more", "x": [1, {}]}\n',
    b"a\ta text\nb\ta title\ta text\nc\tx\ty\tz\n",
]
TOPICS = [
    b'{"id": "1", "title": "words", "description": "more", "narrative": "most"}\n{"qid": 2, "query": "q"}\n',
    b"1\twords\n2\ttitle\tdescription\n",
]
MARKUP = [
    *(b"</script>", b"<!--", b"&#0;", b"&#1114112;", b"&#" + b"9" * 30, b"&#x110000;", b"</DOC>", b"<DOC>"),
    *(b"</top>", b"<num>", b"\xe2\x80\xa8", b"\xff", b"\0", b"\x1b[2J", b"@data@", b"__proto__"),
    *(b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"\t", b"\n", b"<docno>", b"]]>", b'"', b"{", b"}"),
]
GROUPS = [
    b"one a\ntwo b\nthree a\n",
    b"(.*?)e",
    b"^(.)",
    b"(one|two)|(three)",
    b"one\ta\r\n\ntwo\tb\nthree b",
]
PATTERNS = [
    *(b"(", b")", b"(?:", b"[", b"]", b"{1,99999999999}", b"*", b"+", b"?", b"|", b"\\", b"(?P<x>", b"(?i)"),
    *(b"(?P=x)", b"\\1", b"$", b"(" * 3000, b"[a-", b"\\x", b"\\N{x}", b"(?<=a*)", b"(?(1)a|b)"),
]


def page_outcome(read: Any) -> Outcome:
    """A page holds exactly the texts that were read, and nothing in them ends the element that holds them."""

    def made() -> Any:
        texts, topics = read()
        page = judge(TASK, texts, topics)
        (island,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
        held = json.loads(island)
        if held["texts"] != [texts[name].whole if name in texts else None for name in held["documents"]]:
            raise Difference("a text of the page is not the one that was read")
        if held["queries"] != [[query, *topics.get(query, Text())] for query in GRADES]:
            raise Difference("a topic of the page is not the one that was read")
        return texts, topics

    return outcome(made)


def check_texts(data: bytes) -> Iterator[Outcome]:
    path = folder() / "texts"
    path.write_bytes(data)
    yield page_outcome(lambda: (read_documents(path, {document for _, document in TASK}), {}))


def check_topics(data: bytes) -> Iterator[Outcome]:
    path = folder() / "topics"
    path.write_bytes(data)
    yield page_outcome(lambda: ({}, read_queries(path, GRADES)))


def mutate_text(rng: random.Random, data: bytes) -> bytes:
    """As text, as JSON, or compressed."""
    choice = rng.random()
    if choice < 0.2:
        return compressed.mutate(rng, data)
    if choice < 0.4 and data[:1] == b"{":
        return json_text.mutate(rng, data.partition(b"\n")[0])
    return mutated(rng, data, LINES, MARKUP)


def check_groups(data: bytes) -> Iterator[Outcome]:
    """As a file, and as a pattern."""
    path = folder() / "groups"
    path.write_bytes(data)
    names = ("one", "two", "three")
    yield outcome(lambda: groups_of(path, names))
    if b"(" in data and len(data) < 10_000:
        yield outcome(lambda: groups_of(data.decode("utf-8", "surrogateescape"), names))


def check_predictions(data: bytes) -> Iterator[Outcome]:
    """A second judge of the same documents and of runs, and predictions of measures."""
    path = folder() / "predictions"
    path.write_bytes(data)
    yield agreed(lambda: str(audit(GRADES, path)), messages=False)
    runs = {"x": SCORES, "y": {query: {d: -s for d, s in ids.items()} for query, ids in SCORES.items()}}
    yield outcome(lambda: list(map(str, audit(GRADES, path, runs, draws=20).grids())))
    for measure in ("P@3", "AP"):
        yield outcome(lambda: str(evaluate(GRADES, SCORES, measure, predictions=path)))  # noqa: B023


KINDS = {
    "texts": Kind(lambda: TEXTS, mutate_text, check_texts),
    "topics": Kind(lambda: TOPICS, mutate_text, check_topics),
    "groups": Kind(lambda: GROUPS, lambda rng, data: mutated(rng, data, LINES, PATTERNS), check_groups),
    "predictions": Kind(standard_input.seeds, standard_input.mutate, check_predictions),
}
