"""The picture of the README: what the judgments of the sample leave open, and the truth."""

from __future__ import annotations

import warnings
from typing import NamedTuple

from make_sample import collection

from unjudged import UnjudgedWarning, evaluate, sample

MEASURE = "nDCG@10"
WIDTH, LEFT, RIGHT, TOP, ROW = 760, 110, 110, 96, 34
STYLE = """\
text { font: 14px system-ui, sans-serif; fill: #1f2328 } .title { font-size: 20px; font-weight: 650 }
.small { font-size: 12px; fill: #59636e } .grid { stroke: #d1d9e0 } .end { text-anchor: end }
.middle { text-anchor: middle } .page { fill: #fff } .bar { fill: #c9d1d9 } .dot { fill: #1f2328 }
.truth { fill: #fff; stroke: #0969da; stroke-width: 2 } .open .bar { fill: #f4b183 }
.open .dot { fill: #bc4c00 } .open text { fill: #bc4c00; font-weight: 650 }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117 } text, .dot { fill: #f0f6fc } .small { fill: #9198a1 } .grid { stroke: #2f353d } .bar { fill: #3d444d }
.truth { fill: #0d1117; stroke: #4493f8 }
.open .bar { fill: #7a3d12 } .open .dot, .open text { fill: #f0883e } }"""


PLACES = ("", "first", "second", "third", "fourth", "fifth", "sixth")
WHY = (
    "Its score counts every document that nobody judged as worthless, and that is two thirds of its top ten."
)


class System(NamedTuple):
    """A system of the sample: its score today, the range of scores, the score if all is judged."""

    name: str
    score: float
    low: float
    high: float
    truth: float
    judged: float


def systems() -> list[System]:
    """Return the systems, the best score first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        today = evaluate(sample.qrels, sample.runs, [MEASURE, "Judged@10"])
        truth = evaluate(collection().complete, sample.runs, MEASURE)
        ends = today.estimate("bounds")
    found = [
        System(name, own[0].value, own[0].low, own[0].high, truth.value(MEASURE, run=name), row[1])
        for name, own, row in zip(today.runs, ends, today.means.tolist(), strict=True)
    ]
    return sorted(found, key=lambda one: -one.score)


def title(found: list[System]) -> str:
    """Return how `dense` looks, and what it is with everything judged."""
    by_truth = sorted(found, key=lambda one: -one.truth)
    looks, place = ([one.name for one in order].index("dense") + 1 for order in (found, by_truth))
    return f"dense looks {PLACES[looks]} of six. It is {PLACES[place]}."


def hero() -> str:
    """The picture as SVG, for light and dark pages."""
    found = systems()
    height = TOP + ROW * len(found) + 66
    bottom = TOP + ROW * len(found)
    drawn = [
        f'<rect class="page" width="{WIDTH}" height="{height}" rx="6"/>',
        f'<text class="title" x="12" y="28">{title(found)}</text>',
        f'<text class="small" x="12" y="50">{WHY}</text>',
        f'<text class="small" x="{LEFT}" y="82">{MEASURE}, mean of 30 queries</text>',
        f'<text class="small end" x="{WIDTH - 12}" y="82">top ten judged</text>',
    ]
    for tick in range(0, 11, 2):
        x = _x(tick / 10)
        drawn.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{TOP - 6}" y2="{bottom}"/>')
        drawn.append(f'<text class="small middle" x="{x}" y="{bottom + 18}">{tick / 10:g}</text>')
    for place, one in enumerate(found):
        drawn.append(_row(one, TOP + ROW * place + 12))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            f"<title>Scores of six systems, and what unjudged documents leave open</title><style>{STYLE}</style>",
            *drawn,
            *_legend(height - 18),
            "</svg>\n",
        ]
    )


def _row(one: System, y: int) -> str:
    kind = "open" if one.judged < 0.5 else "known"
    return (
        f'<g class="{kind}"><text class="end" x="{LEFT - 14}" y="{y + 5}">{one.name}</text>'
        f'<rect class="bar" x="{_x(one.low)}" width="{_x(one.high) - _x(one.low):.1f}" y="{y - 7}" height="14" rx="2"/>'
        f'<circle class="dot" cx="{_x(one.score)}" cy="{y}" r="5"/>{_truth(_x(one.truth), y)}'
        f'<text class="end" x="{WIDTH - 12}" y="{y + 5}">{100 * one.judged:.0f} %</text></g>'
    )


def _legend(y: int) -> list[str]:
    return [
        f'<circle class="dot" cx="18" cy="{y - 4}" r="5"/><text class="small" x="30" y="{y}">score today</text>',
        f'<rect class="bar" x="124" y="{y - 11}" width="30" height="14" rx="2"/>',
        f'<text class="small" x="162" y="{y}">what judging could make of it</text>',
        f'{_truth(376.0, y - 4)}<text class="small" x="390" y="{y}">score with every document judged</text>',
    ]


def _truth(x: float, y: int) -> str:
    return f'<path class="truth" d="M{x} {y - 7} L{x + 7} {y} L{x} {y + 7} L{x - 7} {y} Z"/>'


def _x(value: float) -> float:
    return round(LEFT + value * (WIDTH - LEFT - RIGHT), 1)
