"""How figures and tables for a paper look: `--plot`, `--format latex` and `--format markdown`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from unjudged.base.errors import UsageError
from unjudged.cli.options.input_options import Words
from unjudged.cli.options.option import Option, OptionGroup, refuse, spelt
from unjudged.cli.shell.output import show

if TYPE_CHECKING:
    from unjudged.comparison.comparison_result import Comparison
    from unjudged.evaluation.scores import Scores

FORMATS = ("latex", "markdown")


@dataclass(eq=False, repr=False)
class PaperTableOptions(OptionGroup, title="Tables for a paper"):
    """The look of a table for a paper.

    Parameters
    ----------
    caption
        The caption of a table for a paper (--format latex or markdown).
    label
        The label of the table in LaTeX, such as tab:main.
    show_names
        Names to show in the table: --show-names bm25=BM25 'run 2=Ours, tuned'.
    order
        The order of the systems in the table: a measure, given, or names of runs separated by commas; runs
        that are not named are left out. By default the first measure.
    best
        How the best mean looks.
    table_width
        The width of the LaTeX table: a column of ACM's two-column style, the page, or whichever fits. Size of
        type is chosen to fit, and measures stand in blocks if no size does.
    """

    caption: str | None = None
    label: str | None = None
    show_names: Words = None
    order: str | None = None
    best: Literal["bold", "underline", "none"] = "bold"
    table_width: Literal["auto", "column", "page"] = "auto"

    def check(self, format: str, **others: object) -> bool:
        """Return whether a table for a paper is asked for; refuse these options for other formats."""
        default = type(self)()
        given = {name: True for name, value in asdict(self).items() if value != getattr(default, name)}
        if format not in FORMATS:
            refuse("{} is for tables of papers: add --format latex or --format markdown", given)
        for other in (name for name, value in others.items() if value):
            refuse(f"{{}} is for tables of systems: omit it with {spelt(other)}", given)
        if self.label is not None and format == "markdown":
            raise UsageError("--label is for LaTeX: omit it with --format markdown")
        self._names()
        return bool(given)

    def options(self) -> dict[str, Any]:
        """Return what `to_latex` and `to_markdown` take."""
        order = self.order or ""
        names = [name.strip() for name in order.split(",")] if "(" not in order else [order]
        return {
            "caption": self.caption,
            "label": self.label,
            "names": self._names(),
            "order": names if len(names) > 1 else self.order,
            "best": self.best,
            "width": self.table_width,
        }

    def written(self, result: Comparison | Scores, format: str, decimals: int, **more: Any) -> str:
        """Return the table in a format."""
        write = result.to_latex if format == "latex" else result.to_markdown
        return write(decimals, **self.options(), **more)

    def _names(self) -> Mapping[str, str] | None:
        names: dict[str, str] = {}
        for word in self.show_names or ():
            run, equals, name = word.partition("=")
            if not (run and equals and name):
                raise UsageError(f"--show-names has {word!r}, expected RUN=NAME")
            names[run] = name
        return names or None


@dataclass(eq=False, repr=False)
class ComparedTableOptions(PaperTableOptions):
    """The look of a table of a comparison.

    Parameters
    ----------
    marks
        Marks of significance in the table: letters of the systems that one is better than, daggers for better
        and worse than the baseline, or none. By default daggers if there is a --baseline.
    worse
        Mark the systems that are significantly worse than the baseline too.
    judging_marks
        Mark which significant differences unjudged documents may undo.
    intervals
        Intervals in the table: queries (for other queries) or bounds (whatever the unjudged documents are).
    """

    marks: Literal["letters", "daggers", "none"] | None = None
    worse: Annotated[bool, Option(negative_bool="no-")] = True
    judging_marks: bool = False
    intervals: Literal["queries", "bounds"] | None = None

    def options(self) -> dict[str, Any]:
        """Return what `to_latex` and `to_markdown` of a comparison take."""
        return super().options() | {
            "marks": self.marks,
            "worse": self.worse,
            "judging_marks": self.judging_marks,
            "intervals": self.intervals or False,
        }


@dataclass(eq=False, repr=False)
class FigureOptions(OptionGroup, title="Figures"):
    """The size of a figure.

    Parameters
    ----------
    plot_width
        The width of the figure of --plot in mm: 85 is a column of most two-column styles, 175 the page.
    plot_font
        The size of the text in the figure of --plot in points; with --plot-width, 8 if not given.
    """

    plot_width: float | None = None
    plot_font: float | None = None

    def check(self, plot: Path | None) -> None:
        """Raise an error if the figure cannot be written; None stands for no figure."""
        if plot is None:
            if (self.plot_width, self.plot_font) != (None, None):
                raise UsageError("--plot-width and --plot-font are for figures: add --plot FILE")
            return
        from unjudged.report.figures.charts import check_plot
        from unjudged.report.figures.sizes import Size

        check_plot(plot)
        Size(self.plot_width, self.plot_font).check()

    def show(self, figure: Any, output: Path) -> None:
        """Write a figure to a file; the suffix of its name is the kind."""
        from unjudged.report.figures.charts import picture
        from unjudged.report.figures.sizes import Size

        size = Size(self.plot_width, self.plot_font)
        show(picture(figure, output.suffix.removeprefix("."), size), output)
