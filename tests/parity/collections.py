"""Collections that recorded answers are about: small ones of each kind, the sample, TREC-8 and DL-2019."""

from __future__ import annotations

import gzip
import json
import lzma
import random
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("recorded")
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


def write_cases(folder: Path, data: Path | None = None) -> None:
    """Write the recorded collections to a folder, and of `data` the paths of its files, which stay there.

    Hypothesis drew the small ones: judgments, runs, answers and predictions of each kind.
    """
    for line in unpack("collections"):
        case, name, text = json.loads(line)
        (folder / case).mkdir(exist_ok=True)
        (folder / case / name).write_text(text, encoding="utf-8")
    if data is not None:
        for made in (*_trec8(data), *_dl2019(data, folder)):
            (folder / made.name).mkdir(exist_ok=True)
            text = json.dumps(asdict(made), indent=1)
            (folder / made.name / "case.json").write_text(text, encoding="utf-8")


def unpack(name: str) -> list[str]:
    """Return the lines of a recorded file."""
    return lzma.decompress((RECORDED / f"{name}.jsonl.xz").read_bytes()).decode().splitlines()


def read_cases(folder: Path) -> list[Case]:
    """Return the collections of a folder; paths of files in it are relative to it."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.glob("*/case.json"))]
    return [Case(**json.loads(text.replace("FOLDER/", f"{folder.as_posix()}/"))) for text in texts]


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
        lines = [f"{query} Q0 {passage} 1 {int(score) / 12:.6f} llama\n" for query, passage, score in scores]
    (folder / "dl2019").mkdir(exist_ok=True)
    (folder / "dl2019" / "predictions.txt").write_text("".join(lines), encoding="utf-8")
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
