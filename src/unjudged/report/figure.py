"""Pictures in SVG that are light or dark like the page around them, and their copies as PNG and PDF."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from importlib.util import find_spec
from math import ceil, floor, log10
from pathlib import Path
from textwrap import wrap

from unjudged.base.errors import UsageError, missing_package
from unjudged.base.wording import plain, shortened
from unjudged.data.writing import write_whole

COLOURS = {
    "ink": ("#1f2328", "#f0f6fc"),
    "quiet": ("#59636e", "#9198a1"),
    "rule": ("#d8dee4", "#30363d"),
    "paper": ("#ffffff", "#0d1117"),
    "range": ("#c3cbd3", "#444c56"),
    "hot": ("#bc4c00", "#f0883e"),
    "hot-range": ("#f4b183", "#7a3d12"),
    "truth": ("#0969da", "#58a6ff"),
    "s0": ("#0072b2", "#56b4e9"),
    "s1": ("#8a6d00", "#e6b84c"),
    "s2": ("#a83279", "#e29cc4"),
    "s3": ("#00805d", "#35cfa0"),
    "s4": ("#5b2a86", "#c9a6ff"),
    "s5": ("#6f4e37", "#cfae94"),
}
"""Every colour by its name, on light and on dark paper; those with s are systems' own."""
OWN = [name for name in COLOURS if name[1:].isdigit()]
KINDS = ("svg", "png", "pdf")
WIDTH, FONT, TITLE = 440, 13, 15
"""In pixels: at a width of 85 mm text has 7 points."""
LETTER = 0.6
"""Width of a letter, as a share of its height."""
LONGEST = 24


def style() -> str:
    """Return the rules of the colours, which a dark page changes."""

    def rules(which: int) -> str:
        return "".join(f".{name}{{color:{both[which]}}}" for name, both in COLOURS.items())

    return f"{rules(0)}@media (prefers-color-scheme:dark){{{rules(1)}}}"


def style_of_page() -> str:
    """Return the same for a page whose reader may choose between light and dark."""
    return "".join(f".{name}{{color:light-dark({','.join(both)})}}" for name, both in COLOURS.items())


def ink(colour: str) -> str:
    """Return what fills a mark with a colour."""
    return f'class="{colour}" fill="currentColor"'


def colour_of(place: int) -> str:
    """Return a system's own colour by its place among all."""
    return OWN[place % len(OWN)]


@dataclass
class Figure:
    """Marks under a title that says what they show, and a line that explains each kind of mark.

    It shows itself in a notebook, and `save` writes it; a PDF for a paper has no title.
    """

    height: float
    title: str
    keys: Sequence[tuple[str, str]] = ()
    width: float = WIDTH
    why: str = ""
    """A sentence under the title."""
    parts: list[str] = field(default_factory=list)

    def add(self, *parts: str | Iterable[str]) -> None:
        """Add marks, in the order in which they are drawn."""
        for part in parts:
            self.parts += [part] if isinstance(part, str) else part

    def svg(self, *, titled: bool = True, styled: bool = True) -> str:
        """Return the picture; without its own rules of colours it needs the page's."""
        most = int((self.width - 8) / (TITLE * LETTER))
        lines = wrap(plain(self.title), most) if titled else []
        head = [words(4, 18 + 20 * k, line, size=TITLE, bold=True) for k, line in enumerate(lines)]
        down = 20 * len(lines) + (6 if lines else 0)
        if self.why and titled:
            for line_of in wrap(self.why, int((self.width - 8) / (12 * LETTER))):
                head.append(words(4, down + 11, line_of, size=12, colour="quiet"))
                down += 18
        keyed, rows = self._keyed(down)
        down += 20 * rows
        height = down + self.height
        size = f'viewBox="0 0 {self.width:g} {height:g}" width="{self.width:g}" height="{height:g}"'
        sheet = f'<rect width="100%" height="100%" rx="6" {ink("paper")}/>'
        own = f"<style>{style()}</style>{sheet}" if styled else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-size="{FONT}" '
            f'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">'
            f"<title>{escape(plain(self.title))}</title>{own}{''.join([*head, *keyed])}"
            f'<g transform="translate(0 {down:g})">{"".join(self.parts)}</g></svg>\n'
        )

    def _keyed(self, top: float) -> tuple[list[str], int]:
        """Return each mark with its words, in as many rows as they need, and the number of these."""
        x, row, parts = 4.0, 0, []
        for mark, said in self.keys:
            wide = 32 + width_of(said, 12)
            if x > 4 and x + wide > self.width:
                x, row = 4.0, row + 1
            parts.append(f'<g transform="translate({x:g} {top + 20 * row + 9:g})">{mark}</g>')
            parts.append(words(x + 24, top + 20 * row + 13, said, size=12, colour="quiet"))
            x += wide + 6
        return parts, row + 1 if self.keys else 0

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, whole or not at all; the suffix of its name is the kind."""
        write_whole(Path(path), picture(self, Path(path).suffix.removeprefix(".")))

    def _repr_html_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"Figure({self.title!r})"


def check_plot(path: Path) -> None:
    """Raise an error if no figure can be written to this file."""
    if path.suffix.removeprefix(".") not in KINDS:
        raise UsageError(f"{path}: a figure needs a name that ends in .svg, .png or .pdf")
    if path.suffix != ".svg" and find_spec("vl_convert") is None:
        raise missing_package("vl-convert-python", f"a figure as {path.suffix}")


def picture(figure: Figure, kind: str) -> str | bytes:
    """Return a figure as the content of a file: svg, png or pdf."""
    check_plot(Path(f"figure.{kind}"))
    if kind == "svg":
        return figure.svg()
    convert = import_module("vl_convert")
    made: bytes = (
        convert.svg_to_pdf(figure.svg(titled=False))
        if kind == "pdf"
        else convert.svg_to_png(figure.svg(), scale=4)
    )
    return made


def width_of(text: str, size: float = FONT) -> float:
    """Return about how wide text is."""
    return size * LETTER * len(text)


def words(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    size: float = FONT,
    colour: str = "ink",
    bold: bool = False,
) -> str:
    """Return text; `anchor` is which part of it lies at x."""
    more = f' text-anchor="{anchor}"' if anchor != "start" else ""
    more += f' font-size="{size:g}"' if size != FONT else ""
    more += ' font-weight="600"' if bold else ""
    return f'<text x="{_at(x)}" y="{_at(y)}" {ink(colour)}{more}>{escape(text)}</text>'


def named(name: str, most: int = LONGEST) -> str:
    """Return a name from the data as a figure shows it."""
    return shortened(plain(name), most)


def dot(x: float, y: float, colour: str = "ink", radius: float = 4.5) -> str:
    """Return a filled circle."""
    return f'<circle cx="{_at(x)}" cy="{_at(y)}" r="{radius:g}" {ink(colour)}/>'


def ring(x: float, y: float, colour: str = "ink") -> str:
    """Return a hollow circle."""
    at = f'<circle cx="{_at(x)}" cy="{_at(y)}" r="3.6"'
    return (
        f'{at} {ink("paper")}/>{at} class="{colour}" fill="none" stroke="currentColor" stroke-width="1.8"/>'
    )


def diamond(x: float, y: float) -> str:
    """Return a hollow diamond."""
    path = f'd="M{_at(x)} {_at(y - 6)}l6 6l-6 6l-6 -6z"'
    edge = 'class="truth" fill="none" stroke="currentColor" stroke-width="2"'
    return f"<path {path} {ink('paper')}/><path {path} {edge}/>"


def box(x: float, y: float, width: float, height: float, colour: str = "range") -> str:
    """Return a filled box, never too narrow to be seen."""
    size = f'width="{_at(max(width, 1.5))}" height="{_at(max(height, 1.5))}"'
    return f'<rect x="{_at(x)}" y="{_at(y)}" {size} rx="2" {ink(colour)}/>'


def line(
    points: Iterable[tuple[float, float]],
    colour: str = "ink",
    thick: float = 1.5,
    dash: str = "",
    *,
    filled: bool = False,
) -> str:
    """Return a line through points, or the area that they enclose."""
    path = "M" + "L".join(f"{_at(x)} {_at(y)}" for x, y in points)
    if filled:
        return f'<path d="{path}z" {ink(colour)} fill-opacity="0.15"/>'
    more = f' stroke-dasharray="{dash}"' if dash else ""
    edge = f'fill="none" stroke="currentColor" stroke-width="{thick:g}"'
    return f'<path d="{path}" class="{colour}" {edge}{more}/>'


def _at(x: float) -> str:
    """Return a coordinate as SVG writes it."""
    return f"{x:.1f}".removesuffix(".0")


@dataclass(frozen=True)
class Scale:
    """Values from low to high between two pixels."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        low, high, one = self.low, self.high, value
        if self.logarithmic:
            low, high, one = log10(low), log10(high), log10(value)
        return self.start + (one - low) / (high - low or 1) * (self.end - self.start)

    @property
    def ticks(self) -> list[float]:
        """About five round values."""
        step = _round_step((self.high - self.low) / 5)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(k * step, 12) for k in range(first, last + 1)]


def _round_step(rough: float) -> float:
    """Return a round distance between ticks, at least this large."""
    unit = 10 ** floor(log10(rough)) if rough > 0 else 1.0
    return float(next(unit * size for size in (1, 2, 5, 10) if unit * size >= rough - 1e-12))


def around(values: Iterable[float], *, zero: bool = False) -> tuple[float, float]:
    """Return round numbers around values, for the ends of an axis."""
    known = [*values, *([0.0] if zero else [])] or [0.0, 1.0]
    low, high = min(known), max(known)
    step = _round_step((high - low) / 5)
    return floor(low / step + 1e-9) * step, max(ceil(high / step - 1e-9), floor(low / step) + 1) * step


def axis_across(
    x: Scale, top: float, bottom: float, title: str, ticks: Sequence[float] = ()
) -> Iterator[str]:
    """Yield an axis from left to right with lines up to the top."""
    for tick in ticks or x.ticks:
        yield line([(x(tick), top), (x(tick), bottom)], "rule", 1)
        yield words(x(tick), bottom + 16, f"{tick:.4g}", anchor="middle", size=12, colour="quiet")
    if title:
        yield words((x.start + x.end) / 2, bottom + 34, title, anchor="middle", size=12, colour="quiet")


def axis_up(y: Scale, left: float, right: float, title: str) -> Iterator[str]:
    """Yield an axis from bottom to top with lines to the right, its title above it."""
    for tick in y.ticks:
        yield line([(left, y(tick)), (right, y(tick))], "rule", 1)
        yield words(left - 6, y(tick) + 4, f"{tick:.6g}", anchor="end", size=12, colour="quiet")
    if title:
        yield words(4, min(y.start, y.end) - 10, title, size=12, colour="quiet")


def at_line_ends(
    ends: Sequence[tuple[float, str, str]], x: float, least: float, most: float
) -> Iterator[str]:
    """Yield names beside the ends of lines, as far apart as they need; an end has y, name and colour."""
    gap, placed = 15.0, list[float]()
    ordered = sorted(ends)
    for y, _, _ in ordered:
        placed.append(max(y, placed[-1] + gap if placed else least))
    over = max(placed[-1] - most, 0.0) if placed else 0.0
    for k in reversed(range(len(placed))):
        placed[k] -= over
        over = max(over - (placed[k] + over - placed[k - 1] - gap), 0.0) if k else 0.0
    for at, (_, name, colour) in zip(placed, ordered, strict=True):
        yield words(x, at + 4, named(name), size=12, colour=colour)
