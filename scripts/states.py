"""The picture of known, drawn and unknown documents: the first ranks of `dense` in the sample."""

from __future__ import annotations

from collections.abc import Iterator

from command_outputs import SAMPLE

from unjudged import Judgments, Run, judging, sample
from unjudged.report.figure import Figure, box, line, words

DESIGN, SYSTEM = "holes(50)", "dense"
QUERIES, RANKS = 8, 16
CELL, LEFT, TOP = 30, 52, 24
WIDTH = LEFT + CELL * RANKS + 8
KEYS = {
    "known": "known: judged before",
    "drawn": "drawn: judged by lot",
    "left": "could have been drawn",
    "unknown": "unknown",
}


def states() -> str:
    """Return the picture as SVG, for light and dark pages."""
    drawn = judging.next(sample.qrels, sample.runs, design=DESIGN).sample
    assert drawn is not None  # noqa: S101
    found = dict(state_of(drawn))
    grade = {
        (query, document): int(grade)
        for query, _, document, grade in map(str.split, (SAMPLE / "answers.qrels").read_text().splitlines())
    }
    run = Run.read(sample.runs[SYSTEM])
    keys = [
        (f'<g transform="scale(.6) translate(-4 -15)">{cell(0, 0, kind)}</g>', said)
        for kind, said in KEYS.items()
    ]
    many = sum(state in ("drawn", "left") for state in found.values())
    title = f"50 of {many} unjudged documents are drawn, each with a recorded chance"
    why = f"The first documents of {SYSTEM} for {QUERIES} queries, with the grades that people give."
    figure = Figure(TOP + CELL * QUERIES + 8, title, keys, WIDTH, why)
    for rank in range(RANKS):
        x = LEFT + CELL * (rank + 0.5)
        figure.add(words(x, TOP - 8, str(rank + 1), anchor="middle", size=12, colour="quiet"))
    for row, query in enumerate(sorted({query for query, _ in grade})[:QUERIES]):
        figure.add(words(4, TOP + CELL * (row + 0.65), query, size=12, colour="quiet"))
        for rank, document in enumerate(run.ranking(query)[:RANKS]):
            state = found.get((query, document), "unknown")
            shown = str(grade.get((query, document), 0)) if state in ("known", "drawn") else ""
            figure.add(cell(LEFT + CELL * rank, TOP + CELL * row, state, shown))
    return figure.svg()


def state_of(drawn: Judgments) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the state of each listed document."""
    frame = drawn.frame
    assert frame is not None  # noqa: S101
    for row, (query, document) in enumerate(zip(drawn.query.tolist(), drawn.documents, strict=True)):
        name = (str(drawn.queries[query]), str(document))
        if frame.order[row]:
            yield name, "drawn" if frame.batch[row] else "left"
        else:
            yield name, "known" if drawn.grade[row] >= 0 else "unknown"


def cell(x: float, y: float, state: str, text: str = "") -> str:
    """Return a document: a square of its state, with its grade if that is known."""
    size = CELL - 4
    fill = {"known": "range", "drawn": "hot-range"}.get(state)
    at = (x + 2, y + 2)
    if fill:
        mark = box(*at, size, size, fill)
        return mark + words(x + CELL / 2, y + CELL * 0.65, text, anchor="middle", size=12)
    corners = [(at[0] + dx * size, at[1] + dy * size) for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))]
    return line(
        corners,
        "hot" if state == "left" else "quiet",
        1.5 if state == "left" else 0.8,
        "" if state == "left" else "3 3",
    )
