"""Write an evaluation as one page of HTML that needs neither a network nor a server.

The page shows the systems with their ranges, the headline of every pair, the differences and the rankings of
each query, and where judgments are missing.

    unjudged report qrels.txt *.run -o page.html
    unjudged report qrels.txt *.run -m AP nDCG@10 --baseline lexical -o page.html
    unjudged report -o page.html --title "Six systems"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unjudged.base.errors import UsageError
from unjudged.cli.commands.compare import how_tested
from unjudged.cli.commands.evaluate import INTERVAL
from unjudged.cli.opening import opened
from unjudged.cli.options import Option, a_path, options
from unjudged.cli.standard_streams import show

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given

USAGE = "[SOURCE...] -o PAGE"
PAGE = Option(
    "-o", "--output", writes=True, type=a_path, required=True, metavar="FILE", help="Write to this file."
)
TITLE = Option("--title", default="Evaluation report", metavar="TEXT", help="The title of the page.")
OPTIONS = options(PAGE, "measure set", INTERVAL, "baseline test correction alpha", TITLE)
SUFFIXES = (".html", ".htm", "")


def run(given: Given) -> None:
    """Make the page."""
    from unjudged.report.page.report_page import report_page

    output = given.output
    if output is not None and output.suffix.lower() not in SUFFIXES:
        raise UsageError(f"a report is a page of HTML: {output} must end in .html")

    with opened(given) as collection:
        page = report_page(
            collection,
            None,
            given.measure,
            interval=given.interval,
            predictions=collection.predictions or None,
            title=given.title,
            command=given.line,
            **how_tested(given),
        )
    show(page.html, output)
