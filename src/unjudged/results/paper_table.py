"""Tables for a paper: systems x measures with marks of significance, as LaTeX and as Markdown.

LaTeX needs the booktabs package and no other. Means and marks have a column each, so that both are aligned.
Widths are estimates on the wide side, for Computer Modern at 10 points. The columns are those of ACM's and
IEEE's two-column styles, 241 points of 506: other styles are wider.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from unjudged.base.errors import UsageError
from unjudged.base.wording import shortlist
from unjudged.results import escapes

DASH, DAGGER, DOUBLE = "\u2013", "†", "‡"
LONGEST_NAME = 40
TOO_TALL = "% This table may be higher than a page: show fewer systems or measures."
BEST = "Bold: the best mean."

COLUMN, PAGE = 236.0, 500.0
SIZES = (("", 10.0, 12.0), (r"\small", 9.3, 11.0), (r"\footnotesize", 8.6, 9.5), (r"\scriptsize", 8.1, 8.0))
"""Type of 10, 9, 8 and 7 points, of which the smaller is wider for its size, and the height of a line."""
TALLEST, HIGHEST = 520.0, 600.0
"""Height of rows that leaves room for notes below them, and that of a page."""
SCRIPT = 0.88
"""Width of a superscript, by that of the same letters in the line."""
GAP, NARROW = 6, 3
"""Half the space between columns in points, as LaTeX has it and as little as is readable."""


class PaperCell(NamedTuple):
    """One mean as text, with the marks of systems that it is better and worse than."""

    value: str
    marks: str = ""
    best: bool = False


class PaperRow(NamedTuple):
    """A system: its mark, its name and a cell per measure."""

    mark: str
    name: str
    cells: Sequence[PaperCell]


@dataclass(frozen=True)
class PaperTable:
    """Rows of systems, columns of measures, and notes that stand below them."""

    measures: Sequence[str]
    rows: Sequence[PaperRow]
    caption: str
    notes: Sequence[str]
    label: str | None = None

    def _all_notes(self) -> list[str]:
        """Return the notes, first what the best means look like."""
        best = any(cell.best for row in self.rows for cell in row.cells)
        return [*([BEST] if best else []), *self.notes]

    def latex(self) -> str:
        """Return a `table`, or a `table*` if it is wider than a column, in a size of type that fits."""
        chosen = _layout(self.measures, self.rows)
        environment = "table*" if chosen.page else "table"
        lines = [TOO_TALL] if chosen.tall else []
        lines += [rf"\begin{{{environment}}}", r"\centering", rf"\caption{{{_words(self.caption)}}}"]
        lines += [rf"\label{{{_key(self.label)}}}"] if self.label else []
        lines += [*filter(None, [chosen.size])]
        if chosen.gap is not None:
            lines.append(rf"\setlength{{\tabcolsep}}{{{chosen.gap}pt}}")
        blocks = [self._tabular(block) for block in chosen.blocks]
        lines.append("\n\n\\medskip\n".join(blocks))
        if notes := self._all_notes():
            said = "\n".join(_words(note) for note in notes)
            lines.append(f"\n\\smallskip\n\\parbox{{\\linewidth}}{{\\footnotesize\\raggedright\n{said}}}")
        return "\n".join([*lines, rf"\end{{{environment}}}", ""])

    def markdown(self) -> str:
        """Return a table with marks as superscripts; the caption stands above it and the notes below."""
        escape, lettered = escapes.markdown, _marked(self.rows)
        head = [*([""] if lettered else []), "System", *map(escape, self.measures)]
        rule = [*(["---"] if lettered else []), "---", *("---:" for _ in self.measures)]
        lines = [head, rule]
        for row in self.rows:
            cells = [self._markdown_cell(cell) for cell in row.cells]
            lines.append([*([row.mark] if lettered else []), escape(row.name), *cells])
        body = "".join(f"| {' | '.join(line)} |\n" for line in lines)
        notes = "".join(f"\n{escape(note)}\n" for note in self._all_notes())
        return f"{escape(self.caption)}\n\n{body}{notes}"

    def _tabular(self, measures: range) -> str:
        """Return the columns of some of the measures."""
        lettered = _marked(self.rows)
        spec = ("ll" if lettered else "l") + "r@{}l" * len(measures)
        head = [*([""] if lettered else []), "System"]
        head += [rf"\multicolumn{{2}}{{c}}{{{escapes.latex(self.measures[k])}}}" for k in measures]
        body = []
        for row in self.rows:
            named = [*([_marks(row.mark)] if lettered else []), escapes.latex(row.name)]
            body.append([*named, *(part for k in measures for part in self._latex_cell(row.cells[k]))])
        top, *lines = (rf"{' & '.join(cells)} \\" for cells in (head, *body))
        start = [rf"\begin{{tabular}}{{{spec}}}", r"\toprule", top, r"\midrule"]
        return "\n".join([*start, *lines, r"\bottomrule", r"\end{tabular}"])

    def _latex_cell(self, cell: PaperCell) -> tuple[str, str]:
        value = escapes.latex(cell.value)
        marks = rf"\smash{{\textsuperscript{{{_marks(cell.marks)}}}}}" if cell.marks else ""
        return rf"\textbf{{{value}}}" if cell.best else value, marks

    def _markdown_cell(self, cell: PaperCell) -> str:
        text = f"**{escapes.markdown(cell.value)}**" if cell.best else cell.value
        return text + (f"<sup>{escapes.markdown(cell.marks)}</sup>" if cell.marks else "")


def _marked(rows: Sequence[PaperRow]) -> bool:
    """Whether a system has a mark of its own."""
    return any(row.mark for row in rows)


class _Layout(NamedTuple):
    """Whether the table spans the page, its type, the space between columns, and its blocks of measures."""

    page: bool
    size: str
    gap: int | None
    blocks: list[range]
    tall: bool = False
    """Whether no page is high enough."""


def _layout(measures: Sequence[str], rows: Sequence[PaperRow]) -> _Layout:
    """Return the first that fits: a column, the page, smaller type, less space, then measures in blocks."""
    every = range(len(measures))
    for page, most, sizes in ((False, COLUMN, SIZES[:3]), (True, PAGE, SIZES)):
        for size, points, line in sizes:
            low = line * (len(rows) + 2) <= TALLEST
            if low and _width(measures, rows, every, points, GAP) <= most:
                return _Layout(page, size, None, [every])
    size, points, line = SIZES[-1]
    blocks: list[range] = []
    start = 0
    for k in every:
        if k > start and _width(measures, rows, range(start, k + 1), points, NARROW) > PAGE:
            blocks.append(range(start, k))
            start = k
    blocks.append(range(start, len(every)))
    step = -(-len(every) // len(blocks))
    even = [every[k : k + step] for k in range(0, len(every), step)]
    if all(_width(measures, rows, block, points, NARROW) <= PAGE for block in even):
        blocks = even
    tall = line * (len(rows) + 3) * len(blocks) > HIGHEST
    return _Layout(True, size, NARROW, blocks, tall)


def _width(names: Sequence[str], rows: Sequence[PaperRow], measures: range, points: float, gap: int) -> float:
    """Return the width of some of the measures beside the names, in points."""
    columns = [max([ems("System"), *(ems(row.name) for row in rows)])]
    if _marked(rows):
        columns.append(max(ems(row.mark) for row in rows))
    for k in measures:
        cells = [row.cells[k] for row in rows]
        body = max(1.15 * ems(cell.value) for cell in cells)
        body += SCRIPT * max(ems(cell.marks) for cell in cells)
        columns.append(max(body, ems(names[k])))
    return points * sum(columns) + 2 * gap * len(columns)


def ems(text: str) -> float:
    """Return the width of text in ems.

    >>> ems("0.4321"), ems("MW")
    (2.8, 2.1)
    """
    return round(sum(_of_letter(c) for c in text), 3)


def _of_letter(c: str) -> float:
    if c in "mwMW@%…~":
        return 1.05
    if c in "iljtf.,;:'|![]() ":
        return 0.3
    return 0.78 if c.isupper() or not c.isascii() else 0.56 if c.isalpha() else 0.5


def shown_names(runs: Sequence[str], names: Mapping[str, str] | None) -> list[str]:
    """Return the names to show: those given, others shortened; all are different."""
    unknown = [name for name in names or () if name not in runs]
    if unknown:
        raise UsageError(f"names: no run is called {unknown[0]!r}; there are {shortlist(list(runs))}")
    labels = escapes.Labels(LONGEST_NAME)
    return [labels[(names or {}).get(run, run)] for run in runs]


def joined(items: Sequence[int], marks: Sequence[str]) -> str:
    """Return the marks of the places in a row, four or more neighbours as a range.

    >>> joined([0, 1, 3, 4, 5, 6], "abcdefg").replace(DASH, " to "), joined([0, 1, 3], ["1", "2", "3", "10"])
    ('abd to g', '1,2,10')
    """
    parts: list[str] = []
    start = 0
    for end in range(1, len(items) + 1):
        if end == len(items) or items[end] != items[end - 1] + 1:
            near = [marks[i] for i in items[start:end]]
            parts += [f"{near[0]}{DASH}{near[-1]}"] if len(near) > 3 else near
            start = end
    return ("" if all(len(mark) == 1 for mark in marks) else ",").join(parts)


_IN_MARKS = {DASH: "--", DAGGER: r"\textdagger{}", DOUBLE: r"\textdaggerdbl{}"}


def _marks(text: str) -> str:
    return "".join(_IN_MARKS.get(c, escapes.latex(c)) for c in text)


def _words(text: str) -> str:
    """Return a sentence with its marks as LaTeX."""
    escaped = escapes.latex(text)
    for mark, written in _IN_MARKS.items():
        escaped = escaped.replace(mark, written)
    return escaped


def _key(label: str) -> str:
    """Return a label; LaTeX reads it as it is, so what it cannot hold is refused."""
    if not (label.isascii() and label.isprintable()) or set(label) & set("\\{}#%~^$& "):
        raise UsageError(
            f"label is {label!r}, expected letters, digits, hyphens and colons, such as tab:main"
        )
    return label
