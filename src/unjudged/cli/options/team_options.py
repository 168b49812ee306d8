"""Pages for the teams of a track."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from unjudged.base.errors import UsageError
from unjudged.cli.options.arguments import read_groups
from unjudged.cli.options.judging_folder import write_new
from unjudged.cli.options.option import Option, OptionGroup
from unjudged.cli.shell.output import show
from unjudged.evaluation.evaluation import evaluate
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import RunSource


@dataclass(frozen=True)
class TeamOptions(OptionGroup, title="Teams"):
    """Which teams get pages.

    Parameters
    ----------
    team
        Write the page of this team instead: its runs among the best, median and worst of each topic, without
        the names of others. --groups says which team each run is of.
    teams
        A folder: also write the page of every team of --groups to it.
    overview
        A folder: also write what the overview paper of a track shows to it. runs.tex and runs.md have the
        runs with their teams and means, topics.tex and topics.md the best, median and worst value of each
        topic; runs.svg and runs.pdf show the best run of each team, topics.svg and topics.pdf the topics.
    """

    team: str | None = None
    teams: Annotated[Path | None, Option(writes=True, made=True)] = None
    overview: Annotated[Path | None, Option(writes=True, made=True)] = None

    def check(self, groups: str | None) -> None:
        """Refuse what does not go together."""
        if groups is None and (self.team, self.teams, self.overview) != (None, None, None):
            raise UsageError("--team, --teams and --overview need --groups: which team each run is of")
        if self.overview is not None:
            from unjudged.report.figures.charts import check_figures

            check_figures()
        if self.team is not None and self.teams is not None:
            raise UsageError("--teams writes the pages of all teams: omit --team")

    def write(
        self,
        judgments: Judgments,
        runs: Mapping[str, RunSource],
        measures: Sequence[Measure],
        *,
        groups: str | None,
        title: str,
        output: Path | None,
    ) -> bool:
        """Write the pages; return whether there is nothing else to write."""
        from unjudged.report.team_pages import team_page, team_pages

        if groups is None:
            return False
        group_of = read_groups(groups, runs)
        if self.overview is not None:
            from unjudged.report.track_overview import overview_files

            tables, figures = overview_files(judgments, runs, measures, group_of)
            write_new(self.overview, tables)
            for name, content in figures.items():
                show(content, self.overview / name)
        if self.team is None and self.teams is None:
            return False
        scores = evaluate(judgments, dict(runs), measures)
        if self.teams is not None:
            write_new(self.teams, team_pages(scores, group_of, title))
            return False
        show(team_page(scores, str(self.team), group_of, title), output)
        return True


NO_TEAMS = TeamOptions()
