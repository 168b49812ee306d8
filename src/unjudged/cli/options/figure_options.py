"""How large the figure of `--plot` is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unjudged.base.errors import UsageError
from unjudged.cli.options.option import OptionGroup
from unjudged.cli.shell.output import show


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


AS_DRAWN = FigureOptions()
