"""What figures of a single paper need beside those of the package: Altair, with text of one size."""

from __future__ import annotations

from importlib import import_module
from typing import Any

COLOURS = ["#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
"""Those of Okabe and Ito, which colour-blind readers can tell apart."""
FONT = 12


def altair_module() -> Any:
    """Return Altair, which only these scripts need."""
    return import_module("altair")


def finished(figure: Any) -> Any:
    """Return the figure with text of one size."""
    sizes = {"labelFontSize": FONT, "titleFontSize": FONT}
    return figure.configure_axis(**sizes).configure_legend(**sizes)
