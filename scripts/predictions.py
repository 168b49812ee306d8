"""The page "People and models judging together", its tables and its figure: `make predictions`."""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from predictions_page import PAGE
from rehearsal import Rehearsal, rehearse
from several_judges import BUDGETS as JUDGE_BUDGETS
from several_judges import Track, head, rows_of_studies

from unjudged import Judgments, evaluate
from unjudged.formats.writing import judgments_text, qrels_text, write_whole
from unjudged.judging.sample_file import read_sample
from unjudged.measures.kernel.estimand import Estimand
from unjudged.predictions import Predictions, prediction_powered
from unjudged.predictions.poisson_sample import LEAST_DOUBT
from unjudged.predictions.population import Population
from unjudged.predictions.sums import Sum
from unjudged.rankings.judged import Floats
from unjudged.report.charts import COLOURS, altair_module, save

DOCS = Path(__file__).parent.parent / "docs"
RUNS = ("ICT-BERT2", "ICT-CKNRM_B", "ICT-CKNRM_B50")
MEASURE = "RBP(p=0.8, rel=2)"
THRESHOLD = 9.0
BUDGET, BUDGETS = 430, (100, 200, 430, 800)
NOT_RETRIEVED = 100.0
"""The rank that a document counts as having where a run does not retrieve it."""
DEPTH = 100
BEST = 12.0
"""The model's highest score."""
RUN_FILES = " ".join(f"{run}.run" for run in RUNS)
TWO = "ICT-CKNRM_B50.run ICT-BERT2.run"
WITH_PREDICTIONS = (
    f"judging/design.txt {RUN_FILES} \\\n    --judged answers.qrels --predictions llama.run "
    f"--outside nonrelevant -m '{MEASURE}'"
)
COMMANDS = {
    "audit": f"unjudged audit qrels.txt llama.run {RUN_FILES} --rel 2 --threshold 0.75",
    "draw": f"unjudged sample --for predictions {RUN_FILES} --predictions llama.run \\\n"
    f"    --among qrels.txt -m '{MEASURE}' --budget 200 --to-judge judging",
    "estimate": f"unjudged evaluate {WITH_PREDICTIONS}",
    "difference": f"unjudged compare {WITH_PREDICTIONS.replace(RUN_FILES, TWO)}",
    "queries": f"unjudged evaluate twenty.qrels {RUN_FILES} \\\n"
    "    --predictions llama.run --threshold 0.75 -m 'AP(rel=2)' -m 'nDCG@10'",
}
"""The commands of the page; people judge between "draw" and "estimate"."""

Scores = dict[str, dict[str, float]]


class Collection(NamedTuple):
    """TREC Deep Learning 2019: human judgments, runs, and a model's scores from 0 to 12."""

    qrels: Judgments
    runs: dict[str, Path]
    scores: Scores

    @classmethod
    def read(cls, data: Path) -> Collection:
        scores: Scores = {}
        with gzip.open(data / "llama70b-scores.tsv.gz", "rt") as lines:
            for query, document, score in csv.reader(lines, delimiter="\t"):
                scores.setdefault(query, {})[document] = float(score)
        runs = {run: data / "runs" / f"{run}.gz" for run in RUNS}
        return cls(Judgments.read(data / "qrels.dl2019-passage.gz"), runs, scores)

    @property
    def labels(self) -> Scores:
        """The model's hard labels."""
        return {
            query: {document: float(score >= THRESHOLD) for document, score in documents.items()}
            for query, documents in self.scores.items()
        }

    def size(self) -> Floats:
        """For each document the mean over the runs of 1 / rank."""
        population = Population.of(self.qrels, self.runs)
        share = np.full((len(RUNS), len(population.drawn)), 1 / NOT_RETRIEVED)
        run = population.rankings.ranking // population.queries
        share[run, population.rankings.row] = 1 / population.rankings.rank
        size: Floats = share.mean(axis=0)
        return size

    def doubt(self) -> Floats:
        """What `unjudged sample --for predictions` draws by: mean weight x sqrt(m (1 - m))."""
        population = Population.of(self.qrels, self.runs)
        rankings, rows = population.rankings, len(population.drawn)
        weight = np.bincount(rankings.row, Sum.of(MEASURE).weights(rankings.rank), rows)
        score = Predictions.of(self.scores).aligned(population.judgments).value / BEST
        chance = np.clip(np.where(np.isnan(score), 0.5, score), LEAST_DOUBT, 1 - LEAST_DOUBT)
        size: Floats = weight * np.sqrt(chance * (1 - chance))
        return size


WAYS = ("no predictions", "the model's labels as they are", "the model's scores, calibrated")


def rehearsals(
    found: Collection, repetitions: int, *, by: str, budget: float = BUDGET, ways: Sequence[str] = WAYS
) -> dict[str, Rehearsal]:
    """The same samples in each of the ways.

    Documents are drawn by 'rank', by 'weight', or by weight and 'doubt', as `unjudged sample` draws them.
    """
    size = {"rank": found.size, "weight": lambda: None, "doubt": found.doubt}[by]()
    floor = 0.0 if by == "rank" else min(0.01, 0.1 * budget / len(found.qrels.grade))
    given: dict[str, tuple[Scores | None, bool]] = dict(
        zip(WAYS, [(None, True), (found.labels, False), (found.scores, True)], strict=True)
    )
    return {
        way: rehearse(
            found.qrels,
            found.runs,
            budget,
            given[way][0],
            MEASURE,
            size=size,
            floor=floor,
            calibrate=given[way][1],
            repetitions=repetitions,
        )
        for way in ways
    }


def mean_rmse(found: Rehearsal) -> float:
    return float(np.mean([found.rmse(run) for run in found.runs]))


def rmse_table(by_way: Mapping[str, Rehearsal]) -> str:
    rows = []
    for way, found in by_way.items():
        coverage = [found.coverage(run) for run in RUNS] + [found.coverage(*RUNS[:2])]
        held = f"{min(coverage):.3f} to {max(coverage):.3f}"
        rows.append([way, f"{mean_rmse(found):.4f}", f"{found.rmse(*RUNS[:2]):.4f}", held])
    return table(["", "RMSE of a run's mean", f"RMSE of {RUNS[0]} - {RUNS[1]}", "coverage of 95 %"], rows)


def rmse_figure(found: Collection, repetitions: int) -> Any:
    """RMSE over the budget, a line for each way."""
    chart = altair_module()
    rows = []
    for budget in BUDGETS:
        for way, one in rehearsals(found, repetitions, by="weight", budget=budget).items():
            rows.append({"budget": budget, "way": way, "of": "a run's mean", "rmse": mean_rmse(one)})
            rows.append({"budget": budget, "way": way, "of": "a difference", "rmse": one.rmse(*RUNS[:2])})
    ways = list(dict.fromkeys(row["way"] for row in rows))
    return (
        chart.Chart(chart.Data(values=rows))
        .mark_line(point=chart.OverlayMarkDef(size=50))
        .encode(
            chart.X(
                "budget:Q",
                title="human judgments",
                scale=chart.Scale(type="log", domain=[90, 900]),
                axis=chart.Axis(values=list(BUDGETS)),
            ),
            chart.Y("rmse:Q", title="RMSE of RBP(p=0.8)"),
            chart.Color("way:N", title=None, scale=chart.Scale(domain=ways, range=COLOURS[:3])),
            chart.Shape("way:N", title=None, scale=chart.Scale(domain=ways)),
            chart.Column("of:N", title=None, sort=["a run's mean", "a difference"]),
        )
        .properties(width=260, height=220)
        .configure_legend(orient="bottom", labelLimit=300, labelFontSize=12)
    )


def walk(found: Collection, folder: Path) -> dict[str, str]:
    """From 200 human judgments to an answer: each command of the page with what it prints."""
    for run, path in found.runs.items():
        (folder / f"{run}.run").write_bytes(gzip.decompress(path.read_bytes()))
    (folder / "qrels.txt").write_text(judgments_text(found.qrels))
    (folder / "llama.run").write_text(
        "".join(
            f"{query} Q0 {document} 0 {score / BEST:.4f} llama\n"
            for query, scores in found.scores.items()
            for document, score in scores.items()
        )
    )
    shown = {name: _shown(COMMANDS[name], folder) for name in ("audit", "draw")}
    design = read_sample(folder / "judging" / "design.txt")
    (folder / "answers.qrels").write_text(_answers(design.to_judge(), found.qrels))
    first = set(list(found.qrels.queries)[:20])
    known = [(q, d) for q, d in _names(found.qrels) if q in first]
    (folder / "twenty.qrels").write_text(_answers(known, found.qrels))
    return shown | {name: _shown(COMMANDS[name], folder) for name in ("estimate", "difference", "queries")}


def _names(judgments: Judgments) -> list[tuple[str, str]]:
    queries = list(judgments.queries)
    return [(queries[q], d) for q, d in zip(judgments.query.tolist(), judgments.documents, strict=True)]


def _answers(asked: Sequence[tuple[str, str]], human: Judgments) -> str:
    """What people say of these documents."""
    grade = dict(zip(_names(human), human.grade.tolist(), strict=True))
    return qrels_text([(query, document, grade[query, document]) for query, document in asked])


def _shown(command: str, folder: Path) -> str:
    words = [sys.executable, "-m", *shlex.split(command.replace("\\\n", " "))]
    environment = {**os.environ, "COLUMNS": "100"}
    done = subprocess.run(  # noqa: S603 (commands of our own page)
        words, capture_output=True, text=True, check=True, cwd=folder, env=environment
    )
    return f"$ {command}\n{done.stdout.rstrip()}"


def by_query_table(found: Collection, repetitions: int, judged: int = 20) -> str:
    """AP: how wide intervals are from 20 queries alone, and with predictions of the other 23."""
    rng = np.random.default_rng(0)
    predicted = Predictions.of(found.scores).judgments(THRESHOLD, rel=2)
    scores = [evaluate(source, found.runs, "AP(rel=2)") for source in (found.qrels, predicted)]
    order = [scores[1].queries.index(query) for query in scores[0].queries]
    human, model = scores[0].values[:, :, 0], scores[1].values[:, order, 0]
    rows = []
    for i, run in enumerate(RUNS):
        trials = []
        for _ in range(repetitions):
            chosen = rng.permutation(human.shape[1])
            first, rest = chosen[:judged], chosen[judged:]
            alone = prediction_powered(human[i, first], np.zeros(judged), np.zeros(0))
            both = prediction_powered(human[i, first], model[i, first], model[i, rest])
            trials.append(
                [
                    alone.interval(0.95, Estimand("AP")).width,
                    both.interval(0.95, Estimand("AP")).width,
                    both.weight,
                ]
            )
        numbers = [human[i].mean(), model[i].mean(), *np.mean(trials, axis=0)]
        rows.append([run, *(f"{number:.4f}" for number in numbers)])
    widths = ["width, 20 queries", "width, with predictions"]
    return table(["run", "AP by people", "AP by the model", *widths, "lambda"], rows)


JUDGED = (3, 5, 10, 20, 40)
"""Queries that people judge, for the table of coverage."""
FURTHER = 200


def coverage_table(found: Collection, repetitions: int) -> str:
    """Return how often 95 % intervals by query hold, in simulated worlds and on queries of DL-2019."""
    predicted = Predictions.of(found.scores).judgments(THRESHOLD, rel=2)
    columns: dict[str, list[tuple[Any, float]]] = {
        "simulated, skewed": [(_skewed, 0.6 / 2.2)],
        "simulated, Normal": [(_normal, 0.0)],
    }
    for measure in ("nDCG@10", "AP(rel=2)"):
        scores = [evaluate(source, found.runs, measure) for source in (found.qrels, predicted)]
        order = [scores[1].queries.index(query) for query in scores[0].queries]
        human, model = scores[0].values[:, :, 0], scores[1].values[:, order, 0]
        pairs = [(i, j) for i in range(len(RUNS)) for j in range(i)]
        columns[f"{measure}, means"] = [
            (_redrawn(human[i], model[i]), float(human[i].mean())) for i in range(len(RUNS))
        ]
        columns[f"{measure}, differences"] = [
            (_redrawn(human[i] - human[j], model[i] - model[j]), float((human[i] - human[j]).mean()))
            for i, j in pairs
        ]
    rows = []
    for queries in JUDGED:
        cells = []
        for worlds in columns.values():
            held = [_held(world, truth, queries, repetitions) for world, truth in worlds]
            cells.append(f"{min(held):.3f}" if len(held) == 1 else f"{min(held):.3f} to {max(held):.3f}")
        rows.append([str(queries), *cells])
    return table(["queries judged", *columns], rows)


def _held(world: Any, truth: float, queries: int, repetitions: int) -> float:
    rng, held = np.random.default_rng(queries), 0
    for _ in range(repetitions):
        human, model = world(rng, queries + FURTHER)
        powered = prediction_powered(human[:queries], model[:queries], model[queries:])
        interval = powered.interval(0.95, Estimand("mean"))
        held += interval.low <= truth <= interval.high
    return held / repetitions


def _skewed(rng: np.random.Generator, queries: int) -> tuple[Floats, Floats]:
    """Scores as skewed as AP's, and a model that follows them half."""
    human = rng.beta(0.6, 1.6, queries)
    return human, 0.5 * human + 0.3 * rng.random(queries)


def _normal(rng: np.random.Generator, queries: int) -> tuple[Floats, Floats]:
    human = rng.standard_normal(queries)
    return human, human + rng.standard_normal(queries)


def _redrawn(human: Floats, model: Floats) -> Any:
    """Queries drawn with replacement from those of a collection."""

    def world(rng: np.random.Generator, queries: int) -> tuple[Floats, Floats]:
        chosen = rng.integers(0, len(human), queries)
        return human[chosen], model[chosen]

    return world


def judges_table(data: Path, repetitions: int) -> str:
    """Return how good estimates are with three judges, beside each of them alone."""
    track = Track.read(data)
    return table(head(track), rows_of_studies(track, repetitions), labels=2)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], labels: int = 1) -> str:
    rule = ["---"] * labels + ["---:"] * (len(columns) - labels)
    return "\n".join("| " + " | ".join(line) + " |" for line in [columns, rule, *rows])


def with_outputs(page: str, shown: Mapping[str, str]) -> str:
    """The page with the outputs of its commands as they are now, and all else as it was."""
    for text in shown.values():
        before, fence, rest = page.partition("```text\n" + text.splitlines()[0])
        if not fence:
            raise SystemExit(f"the page has no {text.splitlines()[0]!r}: remake it whole")
        page = f"{before}```text\n{text}{rest[rest.index(chr(10) + '```') :]}"
    return page


def with_rows(page: str, rows: Sequence[Sequence[str]], labels: int) -> str:
    """Return the page with these rows, found by their first columns, and all else as it was."""
    for row in rows:
        start = page.index(f"| {' | '.join(row[:labels])} |")
        page = page[:start] + "| " + " | ".join(row) + " |" + page[page.index("\n", start) :]
    return page


def with_table(page: str, made: str) -> str:
    """Return the page with this table in place of the one whose head starts in the same way."""
    start = page.index(made[: made.index(" |") + 2])
    return page[:start] + made + page[page.index("\n\n", start) :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--repetitions", type=int, default=4000)
    parser.add_argument("--commands-only", action="store_true", help="only the outputs of the commands")
    parser.add_argument("--coverage-only", action="store_true", help="only coverage by query")
    parser.add_argument("--judges-only", nargs="*", type=int, help="only several judges, with these budgets")
    chosen = parser.parse_args()
    if chosen.judges_only is not None:
        track = Track.read(chosen.data / "dl2019")
        rows = rows_of_studies(track, chosen.repetitions, chosen.judges_only or JUDGE_BUDGETS)
        write_whole(DOCS / "predictions.md", with_rows((DOCS / "predictions.md").read_text(), rows, 2))
        return
    found = Collection.read(chosen.data / "dl2019")
    with TemporaryDirectory() as folder:
        shown = walk(found, Path(folder))
    if chosen.coverage_only:
        made = coverage_table(found, chosen.repetitions)
        write_whole(DOCS / "predictions.md", with_table((DOCS / "predictions.md").read_text(), made))
        return
    if chosen.commands_only:
        write_whole(DOCS / "predictions.md", with_outputs((DOCS / "predictions.md").read_text(), shown))
        return
    text = PAGE.format(
        **shown,
        repetitions=chosen.repetitions,
        by_rank=rmse_table(rehearsals(found, chosen.repetitions, by="rank")),
        by_weight=rmse_table(rehearsals(found, chosen.repetitions, by="weight")),
        by_doubt=rmse_table(rehearsals(found, chosen.repetitions, by="doubt")),
        with_200=rmse_table(rehearsals(found, chosen.repetitions, by="doubt", budget=200)),
        by_query=by_query_table(found, 400),
        coverage=coverage_table(found, chosen.repetitions),
        judges=judges_table(chosen.data / "dl2019", chosen.repetitions),
    )
    write_whole(DOCS / "predictions.md", text)
    (DOCS / "figures").mkdir(exist_ok=True)
    save(rmse_figure(found, 400), DOCS / "figures" / "predictions-rmse.svg")


if __name__ == "__main__":
    main()
