"""Tables for a paper: systems x measures with marks of significance, as LaTeX and as Markdown.

LaTeX needs the booktabs package and no other. Means and marks have a column each, so that both are aligned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from unjudged.base.choices import Choices, as_list
from unjudged.base.errors import UsageError
from unjudged.base.wording import shortlist
from unjudged.grids import escapes
from unjudged.grids.paper_cells import PaperCell, PaperRow, Width, has_interval, layout, marked

DASH, DAGGER, DOUBLE, TILDE = "\u2013", "†", "‡", "\u223c"
LONGEST_NAME = 40
TOO_TALL = "% This table may be higher than a page: show fewer systems (order), measures, or no intervals."
Best = Literal["bold", "underline", "none"]

BESTS = Choices(
    "best",
    bold=(r"\textbf{{{}}}", "**{}**", "Bold"),
    underline=(r"\underline{{{}}}", "<u>{}</u>", "Underlined"),
    none=("{}", "{}", ""),
)
"""How the best mean looks in LaTeX and in Markdown, and what the note calls it."""
WIDTHS = Choices("width", auto="the narrower that fits", column="one column", page="all columns")


class PaperOptions(TypedDict, total=False):
    """What every table for a paper takes."""

    caption: str | None
    label: str | None
    names: Mapping[str, str] | None
    order: str | Sequence[str] | None
    measures: Any
    best: Best
    width: Width


@dataclass(frozen=True)
class PaperTable:
    """Rows of systems, columns of measures, and notes that stand below them."""

    measures: Sequence[str]
    rows: Sequence[PaperRow]
    caption: str
    notes: Sequence[str]
    label: str | None = None
    best: Best = "bold"
    width: Width = "auto"

    def __post_init__(self) -> None:
        BESTS.find(self.best)
        WIDTHS.find(self.width)

    def _all_notes(self) -> list[str]:
        """Return the notes, first what the best means look like."""
        word = BESTS[self.best][2]
        stressed = word and any(cell.best for row in self.rows for cell in row.cells)
        return [*([f"{word}: the best mean."] if stressed else []), *self.notes]

    def latex(self) -> str:
        """Return a `table`, or a `table*` if it is wider than a column, in a size of type that fits."""
        chosen = layout(self.measures, self.rows, self.width)
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
        escape, lettered = escapes.markdown, marked(self.rows)
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
        lettered = marked(self.rows)
        spec, head = ["ll" if lettered else "l"], [*([""] if lettered else []), "System"]
        for k in measures:
            ends = has_interval(self.rows, k)
            spec.append("r@{}l" + "@{ }l" * ends)
            head.append(rf"\multicolumn{{{2 + ends}}}{{c}}{{{escapes.latex(self.measures[k])}}}")
        body = []
        for row in self.rows:
            named = [*([_marks(row.mark)] if lettered else []), escapes.latex(row.name)]
            body.append([*named, *(part for k in measures for part in self._latex_cell(row.cells[k], k))])
        top, *lines = (rf"{' & '.join(cells)} \\" for cells in (head, *body))
        start = [rf"\begin{{tabular}}{{{''.join(spec)}}}", r"\toprule", top, r"\midrule"]
        return "\n".join([*start, *lines, r"\bottomrule", r"\end{tabular}"])

    def _latex_cell(self, cell: PaperCell, k: int) -> list[str]:
        value = escapes.latex(cell.value)
        parts = [BESTS[self.best][0].format(value) if cell.best else value]
        marks = rf"\smash{{\textsuperscript{{{_marks(cell.better)}}}}}" if cell.better else ""
        marks += rf"\textsubscript{{{_marks(cell.worse)}}}" if cell.worse else ""
        parts.append(marks)
        if has_interval(self.rows, k):
            parts.append(rf"{{\scriptsize {escapes.latex(cell.interval)}}}" if cell.interval else "")
        return parts

    def _markdown_cell(self, cell: PaperCell) -> str:
        text = BESTS[self.best][1].format(escapes.markdown(cell.value)) if cell.best else cell.value
        text += f"<sup>{escapes.markdown(cell.better)}</sup>" if cell.better else ""
        text += f"<sub>{escapes.markdown(cell.worse)}</sub>" if cell.worse else ""
        return text + (f" {escapes.markdown(cell.interval)}" if cell.interval else "")


def chosen_rows(
    runs: Sequence[str], order: str | Sequence[str] | None, by: Callable[[str | None], list[int]]
) -> list[int]:
    """Return the systems to show, in order.

    `order` is 'given', a measure, or names of systems, of which others are left out; None is the first
    measure. `by` returns the systems by a measure, best first.
    """
    if order is None or isinstance(order, str):
        return list(range(len(runs))) if order == "given" else by(order)
    names, known = as_list("order", order), {run: i for i, run in enumerate(runs)}
    for name in names:
        if name not in known:
            raise UsageError(f"order: no run is called {name!r}; there are {shortlist(list(runs))}")
    if len(set(names)) < len(names):
        raise UsageError("order names a run twice")
    return [known[name] for name in names]


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


_IN_MARKS = {DASH: "--", DAGGER: r"\textdagger{}", DOUBLE: r"\textdaggerdbl{}", " ": r"\,", TILDE: r"$\sim$"}


def _marks(text: str) -> str:
    return "".join(_IN_MARKS.get(c, escapes.latex(c)) for c in text)


def _words(text: str) -> str:
    """Return a sentence with its marks as LaTeX."""
    escaped = escapes.latex(text)
    for mark in (DASH, DAGGER, DOUBLE, TILDE):
        escaped = escaped.replace(mark, _IN_MARKS[mark])
    return escaped


def _key(label: str) -> str:
    """Return a label; LaTeX reads it as it is, so what it cannot hold is refused."""
    if not (label.isascii() and label.isprintable()) or set(label) & set("\\{}#%~^$& "):
        raise UsageError(
            f"label is {label!r}, expected letters, digits, hyphens and colons, such as tab:main"
        )
    return label
