"""Collections that both sides are asked about: small ones by Hypothesis, the sample, TREC-8 and DL-2019."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

RUNS = 4
EACH = 3
"""Small collections of each kind."""
GRADES: dict[str, list[float | None]] = {
    "pool": [0, 0, 0, 1, 1, 0, 0, None],
    "holes": [0, 0, 1, -1, -1, 1, 0, None],
    "chosen": [0, 1, -1, None, None, None, None, None],
    "unknown": [0, 1, 2, None, None, None, None, None],
    "graded": [0, 0, 1, 2, 3, -1, 0, None],
    "fractional": [0, 0, 0.25, 0.5, 1, 0.75, 0, None],
    "strata": [0, 0, 1, 2, 1, 0, 0, None],
    "prels": [0, 0, 1, 1, 0, 2, 0, None],
    "uniform": [0, 1, -1, -1, 0, 1, -1, -1],
    "ties": [0, 0, 1, 2, -1, 0, 0, None],
    "missing": [0, 0, 1, 2, -1, 0, 0, None],
    "by document": [0, 1, -1, -1, 0, 1, -1, -1],
    "by query": [0, 0, 1, 1, 0, 1, 0, 0],
    "groups": [0, 0, 0, 1, 1, 0, 0, 0],
}
"""Kinds of small collections: the grades of documents, -1 for pooled and not judged, None for not pooled."""
MARKS = {
    "chosen": "chosen",
    "unknown": "unknown",
    "uniform": "uniform sample",
    "by document": "uniform sample",
}
"""How the judgments were made, where their columns do not say it."""


JUDGES = ("ann", "bob", "cy")
PREDICTED = ("holes", "uniform", "strata", "prels", "by document", "by query", "graded")
ALL_LISTED = ("groups", "by query", "by document")
"""Kinds whose runs retrieve no document that nobody listed."""
TREC8_RUNS, TRACK_RUNS = 10, 12
"""How many runs of TREC-8 and of the track of DL-2019 are compared; all of them are scored."""


@dataclass(frozen=True)
class Case:
    """One collection: files of judgments and runs, and whatever else is asked about (`extra`)."""

    name: str
    kind: str
    qrels: str = ""
    runs: dict[str, str] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


def write_cases(folder: Path, sample: Path, data: Path | None = None) -> None:
    """Write every collection to a folder; those of `data` if it is there."""
    for kind in GRADES:
        for number, drawn in enumerate(_drawn(kind), 1):
            _keep(folder, _small(folder, f"{kind} {number}", kind, drawn))
    _keep(folder, _numbers(), _sample(folder, sample))
    if data is not None:
        write_data(folder, data)


def write_data(folder: Path, data: Path) -> None:
    """Write TREC-8 and DL-2019 to a folder: the paths of their files, which stay where they are."""
    _keep(folder, *_trec8(data), *_dl2019(data, folder))


def _keep(folder: Path, *cases: Case) -> None:
    for case in cases:
        (folder / case.name).mkdir(parents=True, exist_ok=True)
        (folder / case.name / "case.json").write_text(json.dumps(asdict(case), indent=1), encoding="utf-8")


def read_cases(folder: Path) -> list[Case]:
    """Return the collections of a folder; paths of files in it are relative to it."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.glob("*/case.json"))]
    return [Case(**json.loads(text.replace("FOLDER/", f"{folder.as_posix()}/"))) for text in texts]


def _numbers() -> Case:
    """Numbers without a collection, and a table of scores with and without ends."""
    draw = random.Random(8)
    systems = {f"s{i}": [round(draw.betavariate(2 + i / 4, 3), 3) for _ in range(25)] for i in range(5)}
    ends = {
        n: [[max(0.0, v - 0.1), min(1.0, v + 0.2 * (v < 0.5))] for v in own] for n, own in systems.items()
    }
    return Case("numbers", "numbers", extra={"scores": systems, "ends": ends})


def _drawn(kind: str) -> list[dict[str, Any]]:
    """Return what Hypothesis draws: bytes for documents by query, and for scores by run and query.

    Some of them, from the most to the least varied.
    """
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from hypothesis import strategies as st

    runs = 2 * RUNS if kind == "groups" else RUNS
    found: list[dict[str, Any]] = []

    @st.composite
    def collection(draw: st.DrawFn) -> dict[str, Any]:
        queries, documents = draw(st.integers(3, 14)), draw(st.integers(6, 14))
        row = st.binary(min_size=documents, max_size=documents)
        rows = st.lists(row, min_size=queries, max_size=queries)
        return {"documents": draw(rows), "others": draw(rows), "runs": [draw(rows) for _ in range(runs)]}

    @seed(crc32(kind.encode()))  # `derandomize` would depend on the text of this function
    @settings(
        database=None,
        deadline=None,
        max_examples=20,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(collection())
    def draw_some(drawn: dict[str, Any]) -> None:
        found.append(drawn)

    draw_some()
    found.sort(key=lambda drawn: -len({*drawn["documents"], *(row for run in drawn["runs"] for row in run)}))
    return found[:: len(found) // EACH][:EACH]


def _small(folder: Path, name: str, kind: str, drawn: dict[str, Any]) -> Case:
    """Write the files of a small collection."""
    grades = [[GRADES[kind][byte % len(GRADES[kind])] for byte in row] for row in drawn["documents"]]
    runs = {f"r{r}": _run(kind, grades, rows, r) for r, rows in enumerate(drawn["runs"])}
    files = {**_judgments(kind, grades, drawn), **runs}
    _write(folder / name, files)
    path = {file: f"FOLDER/{name}/{file}.txt" for file in files}
    segments = {f"q{q:02}": ("head", "tail")[row[0] % 2] for q, row in enumerate(drawn["documents"])}
    extra: dict[str, Any] = {
        "segments": segments,
        "other": f"FOLDER/{kind} 1",
        "second": path["second"],
        "answers": {judge: path[judge] for judge in JUDGES},
    }
    if kind in PREDICTED:
        extra["predictions"] = path["predictions"]
    if kind == "groups":
        extra["groups"] = {run: f"g{r * 3 // 5}" for r, run in enumerate(runs)}
    return Case(name, kind, path["qrels"], {run: path[run] for run in runs}, extra)


def _run(kind: str, grades: list[list[float | None]], rows: list[bytes], number: int) -> list[str]:
    """Return the lines of a run; the first runs rank relevant documents higher, most retrieve others too."""
    lines = []
    for q, row in enumerate(rows):
        if kind == "missing" and (q + number) % 4 == 1:
            continue
        for d, byte in enumerate(row):
            score = byte + 60 * max(0, grades[q][d] or 0) / (number + 1)
            score = score // 40 if kind == "ties" else score
            if byte % 16 != 5:
                lines.append(f"q{q:02} Q0 d{d:02} 0 {score:g} r{number}")
            if byte % 7 == 3 and kind not in ALL_LISTED:
                lines.append(f"q{q:02} Q0 u{d:02} 0 {score - 20:g} r{number}")
    return lines


def _judgments(kind: str, grades: list[list[float | None]], drawn: dict[str, Any]) -> dict[str, list[str]]:
    """Return the lines of judgments, of a second assessor, of a model and of three judges' answers."""
    marks = [f"# unjudged-origin {MARKS[kind]}"] if kind in MARKS else []
    files: dict[str, list[str]] = {"qrels": marks, "second": [], "predictions": []}
    files |= {judge: [] for judge in JUDGES}
    whole = len(grades) if kind != "by query" else max(3, len(grades) * 2 // 3)
    for q, (row, own, other) in enumerate(zip(grades, drawn["documents"], drawn["others"], strict=True)):
        for d, (grade, byte, draw) in enumerate(zip(row, own, other, strict=True)):
            likely = min(0.99, max(0, grade or 0) / 2 + draw / 600)
            files["predictions"].append(f"q{q:02} Q0 d{d:02} 1 {likely:.4f} m")
            if grade is None or q >= whole:
                continue
            files["qrels"] += _line(kind, f"q{q:02}", f"d{d:02}", f"{grade:g}", byte, draw)
            guess = int(grade) if draw % 3 else draw % 4
            files["second"].append(f"q{q:02} 0 d{d:02} {guess}")
            for judge, chance in zip(JUDGES, (draw, draw // 7, draw), strict=True):
                if chance % 5:
                    files[judge].append(f"q{q:02} 0 d{d:02} {(guess + chance % 2) % 3}")
    return files


def _line(kind: str, query: str, document: str, grade: str, *drawn: int) -> list[str]:
    """Return the judgment of a document in the form of this kind; samples leave documents out."""
    place, draw = drawn
    if kind == "strata":
        stratum = 1 + place // 16 % 2
        return [f"{query} 0 {document} {stratum} {-1 if stratum == 2 and draw % 2 else grade}"]
    if kind == "prels":
        share = (1, 0.5, 0.25)[place // 16 % 3]
        return [f"{query} {document} {grade} 1 {share}"] if draw < 256 * share else []
    return [f"{query} 0 {document} {grade}"]


def _write(folder: Path, files: dict[str, list[str]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in files.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _sample(folder: Path, sample: Path) -> Case:
    """Return the sample collection, from a copy."""
    files = [sample / "qrels.txt", *sorted(sample.glob("*.run"))]
    _write(folder / "sample", {file.stem: file.read_text(encoding="utf-8").splitlines() for file in files})
    runs = {file.stem: f"FOLDER/sample/{file.stem}.txt" for file in files[1:]}
    segments = {f"q{q:02}": ("head", "middle", "tail")[q % 3] for q in range(1, 31)}
    return Case("sample", "medium", "FOLDER/sample/qrels.txt", runs, {"segments": segments})


def _trec8(data: Path) -> list[Case]:
    folder = data / "trec8"
    if not folder.is_dir():
        return []
    files = sorted((folder / "runs").glob("input.*.gz"))
    every = {file.name[6:-3]: str(file) for file in files}
    some = {run: every[run] for run in sorted(random.Random(8).sample(sorted(every), TREC8_RUNS))}
    few = dict(list(some.items())[:5])
    listed = (line.split("\t") for line in (folder / "run-info.tsv").read_text().splitlines()[1:])
    group = {run: team for run, team, _, pooled, _ in listed if pooled == "yes" and run in every}
    segments = {str(topic): ("odd", "even")[topic % 2 == 0] for topic in range(401, 451)}
    pool, samples = str(folder / "qrels.trec8.gz"), folder / "samples"
    return [
        Case("trec8", "large", pool, every),
        Case("trec8 some", "medium", pool, some, {"segments": segments}),
        Case("trec8 uniform", "sampled", str(samples / "trec8.uniform-10.qrels.gz"), few),
        Case("trec8 strata", "sampled", str(samples / "trec8.strat-d10-30.sampleqrels.gz"), few),
        Case("trec8 prels", "sampled", str(data / "stratified" / "trec8.prels.gz"), few),
        Case("trec8 groups", "calibration", pool, {run: every[run] for run in group}, {"groups": group}),
    ]


def _dl2019(data: Path, folder: Path) -> list[Case]:
    here = data / "dl2019"
    if not (here / "track").is_dir():
        return []
    with gzip.open(here / "llama70b-scores.tsv.gz", "rt") as stream:
        scores = (line.split() for line in stream)
        lines = [f"{query} Q0 {document} 1 {int(score) / 12:.6f} llama" for query, document, score in scores]
    _write(folder / "dl2019", {"predictions": lines})
    every = {file.name[:-3]: str(file) for file in sorted((here / "track" / "runs").glob("*.gz"))}
    some = {run: every[run] for run in sorted(random.Random(8).sample(sorted(every), TRACK_RUNS))}
    listed = (line.split("\t") for line in (here / "track" / "runs.tsv").read_text().splitlines()[1:])
    group = {run: team for run, kind, team, *_ in listed if kind != "later" and run in every}
    qrels = str(here / "qrels.dl2019-passage.gz")
    extra = {"predictions": "FOLDER/dl2019/predictions.txt", "groups": group}
    extra["second"] = str(here / "track" / "assessors" / "assessor-1.qrels")
    return [
        Case("dl2019", "medium", qrels, some, {"second": extra["second"]}),
        Case("dl2019 track", "large", qrels, every),
        Case("dl2019 groups", "calibration", qrels, {run: every[run] for run in group}, extra),
    ]
