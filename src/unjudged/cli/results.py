"""Where the results of an experiment go; what cannot be written is told before anything is computed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from unjudged.cli.output import make_folder, show
from unjudged.errors import InputError, UsageError
from unjudged.experiments.robustness import Robustness
from unjudged.report.experiments import DATA, PAGES, arrow_modules, run_means
from unjudged.report.plots import check_figures, picture

SUFFIXES = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".md": "markdown",
    ".parquet": "parquet",
    ".tex": "latex",
}


@dataclass(frozen=True)
class Results:
    """Files as the command line names them, and in which form."""

    output: Path | None
    form: str
    means: Path | None
    figures: Path | None
    figure_format: str

    @classmethod
    def of(
        cls, output: Path | None, form: str | None, means: Path | None, figures: Path | None, kind: str
    ) -> Results:
        """Checked, and with the folder for figures made."""
        made = cls(output, form or _form(output) or "table", means, figures, kind)
        if made.form == "parquet" and output is None:
            raise UsageError("--format parquet goes with --output FILE")
        if means is not None and _form(means) not in DATA:
            raise UsageError(f"--means is {means}, expected a name that ends in .csv, .json or .parquet")
        for file in filter(None, (output, means)):
            if not file.parent.is_dir():
                raise InputError(f"{file}: cannot be written: there is no folder {file.parent}")
            if file.is_dir():
                raise InputError(f"{file}: cannot be written: it is a folder")
        if "parquet" in (made.form, _form(means)):
            arrow_modules()
        if figures is not None:
            check_figures()
            make_folder(figures)
        return made

    @property
    def checkpoint(self) -> Path | None:
        """Beside a file that is written to; nothing is kept for a device or a pipe."""
        if self.output is None or (self.output.exists() and not self.output.is_file()):
            return None
        return self.output.with_name(self.output.name + ".partial")

    def write(self, found: Robustness) -> None:
        """All of it; then what was kept for a second try is not needed any more."""
        if self.means is not None:
            show(DATA[str(_form(self.means))](list(run_means(found))), self.means)
        text = DATA[self.form](found.agreement) if self.form in DATA else PAGES[self.form](found)
        show(text, self.output)
        if self.figures is not None:
            self._draw(found, self.figures)
        if self.checkpoint is not None:
            self.checkpoint.unlink(missing_ok=True)

    def _draw(self, found: Robustness, folder: Path) -> None:
        from unjudged.report.robustness_plots import curves, scatter

        for name, chart in {"curves": curves(found), "scatter": scatter(found)}.items():
            show(picture(chart, self.figure_format), folder / f"{name}.{self.figure_format}")


def _form(file: Path | None) -> str | None:
    return None if file is None else SUFFIXES.get(file.suffix.lower())
