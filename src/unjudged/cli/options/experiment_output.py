"""Where the results of an experiment go; a file that cannot be written is refused before the work starts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from unjudged.base.errors import UsageError
from unjudged.cli.options.figure_options import AS_DRAWN, FigureOptions
from unjudged.cli.shell.files_named import check_not_read
from unjudged.cli.shell.output import check_output, make_folder, show, show_grids
from unjudged.cli.shell.standard_streams import warn
from unjudged.experiments.summary import Robustness, run_means_grid
from unjudged.formats.writing import is_stream
from unjudged.grids.rendering import WITHOUT_NOTES, arrow_modules, format_of
from unjudged.report.figures.charts import check_figures, picture

FOR_MEANS = ("csv", "tsv", "json", "jsonl", "parquet")


@dataclass(frozen=True)
class Results:
    """Files that an experiment writes, and their formats."""

    output: Path | None
    format: str
    means: Path | None
    figures: Path | None
    figure_format: str
    plot: Path | None
    size: FigureOptions = AS_DRAWN

    @classmethod
    def of(
        cls,
        output: Path | None,
        format: str | None,
        means: Path | None,
        figures: Path | None,
        kind: str,
        *,
        plot: Path | None = None,
        size: FigureOptions = AS_DRAWN,
    ) -> Results:
        """Check that everything can be written, and create the folder for figures."""
        made = cls(output, check_output(format, output), means, figures, kind, plot, size)
        if made.checkpoint is not None:
            check_not_read(made.checkpoint)
        size.check(plot)
        if means is not None and format_of(means) not in FOR_MEANS:
            raise UsageError(
                f"--means {means}: use a name that ends in .csv, .tsv, .json, .jsonl or .parquet"
            )
        if format_of(means) == "parquet":
            arrow_modules()
        if figures is not None:
            check_figures()
            make_folder(figures)
        return made

    @property
    def checkpoint(self) -> Path | None:
        """A file beside the output; none if the output is a device, a pipe or a standard stream."""
        if self.output is None or is_stream(self.output):
            return None
        return self.output.with_name(self.output.name + ".partial")

    @contextmanager
    def kept_if_interrupted(self) -> Iterator[None]:
        """Say where the work so far is kept if the user stops it."""
        try:
            yield
        except KeyboardInterrupt:
            if self.checkpoint is not None and self.checkpoint.exists():
                warn(f"{self.checkpoint} keeps the samples so far: the same command continues.")
            raise

    def write(self, experiment: Robustness) -> None:
        """Write everything, then delete the checkpoint, which is no longer needed."""
        if self.means is not None:
            show_grids(run_means_grid(experiment), None, self.means)
        grid = replace(experiment.grid(), title="")
        show_grids(
            replace(grid, notes=()) if self.format in WITHOUT_NOTES else grid, self.format, self.output
        )
        if self.plot is not None:
            from unjudged.report.figures.experiment_figures import curves

            self.size.show(curves(experiment), self.plot)
        if self.figures is not None:
            self._draw(experiment, self.figures)
        if self.checkpoint is not None:
            self.checkpoint.unlink(missing_ok=True)

    def _draw(self, experiment: Robustness, folder: Path) -> None:
        from unjudged.report.figures.experiment_figures import curves, scatter

        for name, chart in {"curves": curves(experiment), "scatter": scatter(experiment)}.items():
            show(picture(chart, self.figure_format), folder / f"{name}.{self.figure_format}")
