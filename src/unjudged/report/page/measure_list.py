"""The list of measures as a grid."""

from __future__ import annotations

from unjudged.grids.grid import Column, Grid, grid_of
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.report.measure_pages import signature


def measures_grid() -> Grid:
    """One row per measure; the long form also has its parameters and its names in trec_eval."""
    described = [(measure, measure.help.split("\n")[0]) for measure in MEASURES.values()]
    return Grid(
        [Column("measure", "label"), Column("description", "text")],
        [(_short(measure), text) for measure, text in described],
        notes=["unjudged measures NAME explains one; unjudged cite NAME prints its BibTeX."],
        records=lambda: grid_of(
            ("measure", "signature", "trec_eval", "description"),
            [(m.name, signature(m), " ".join(m.traits.trec_eval), text) for m, text in described],
        ),
    )


def _short(measure: Measure) -> str:
    """`AP[@cutoff]`: the name, and the cutoff if it takes one."""
    whole = signature(measure)
    return measure.name + whole[whole.rindex(")") + 1 :] if "(" in whole else whole
