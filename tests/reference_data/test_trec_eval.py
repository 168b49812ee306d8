"""trec_eval 10's own outputs, byte for byte: its test files, and all of TREC-8."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from unjudged.compat.trec_eval import output
from unjudged.compat.trec_eval_measures import Stop, names_of

OWN = {
    "out.test": ("qrels.test", "results.test"),
    "out.test with comments": ("qrels.test.with-comments", "results.test"),
    "out.test.a": ("-m", "all_trec", "qrels.test", "results.test"),
    "out.test.aq": ("-m", "all_trec", "-q", "qrels.test", "results.test"),
    "out.test.aqc": ("-m", "all_trec", "-q", "-c", "qrels.test", "results.trunc"),
    "out.test.aql": ("-m", "all_trec", "-mrelstring.20", "-q", "-l2", "qrels.rel_level", "results.test"),
}

# trec_eval 10's fault: a residual of 0 for a ranking with nothing unjudged, however short it is. These runs
# have such rankings, so many whose residual is 0.0001 or more. Nothing else in the 129 outputs differs.
WITHOUT_RESIDUAL = {
    "READWARE": 40,
    "READWARE2": 24,
    "Scai8Adhoc": 1,
    "disco1": 7,
    "iit99au1": 1,
    "iit99au2": 1,
    "iit99ma1": 3,
    "mds08a1": 1,
    "plt8ah1": 1,
    "plt8ah4": 1,
    "ric8tpn": 1,
    "tno8t2": 1,
    "uwmt8a0": 1,
}


@pytest.mark.parametrize("name", OWN)
def test_its_own_outputs(name: str, data: Path) -> None:
    folder = data / "trec_eval"
    *flags, qrels, run = OWN[name]
    expected = (folder / name.split()[0]).read_bytes()
    assert output([*flags, str(folder / qrels), str(folder / run)]).encode() == expected


def test_all_runs_of_trec8(data: Path, tmp_path: Path) -> None:
    """`-q -m all_trec` for each of the 129 runs: 100 values for each of 50 queries and in all."""
    folder, qrels = data / "trec8", tmp_path / "qrels"
    qrels.write_bytes(gzip.decompress((folder / "qrels.trec8.gz").read_bytes()))
    lines, residuals = 0, {}
    for reference in sorted((folder / "ref" / "trec_eval-10.0rc2").iterdir()):
        run = reference.name.removeprefix("eval.").removesuffix(".gz")
        printed = output(["-q", "-m", "all_trec", str(qrels), str(folder / "runs" / f"input.{run}.gz")])
        ours, theirs = printed.splitlines(), gzip.decompress(reference.read_bytes()).decode().splitlines()
        assert len(ours) == len(theirs), run
        lines += len(ours)
        other = [(a.split(), b.split()) for a, b in zip(ours, theirs, strict=True) if a != b]
        if other:
            judged = _fully_judged(theirs)
            silent = [a[1] for a, b in other if a[0] == "rbp_resid" and a[1] in judged and b[2] == "0.0000"]
            rest = [a[:2] for a, _ in other if a[:2] != ["rbp_resid", "all"]]
            assert rest == [["rbp_resid", query] for query in silent], run
            residuals[run] = len(silent)
    assert lines > 600_000
    assert residuals == WITHOUT_RESIDUAL


def _fully_judged(lines: list[str]) -> set[str]:
    """The queries whose ranking has nothing unjudged, by the counts that trec_eval prints."""
    counts: dict[str, dict[str, int]] = {}
    for name, query, value in (line.split("\t") for line in lines):
        if name.startswith("num_"):
            counts.setdefault(query, {})[name.strip()] = int(value)
    return {
        query
        for query, c in counts.items()
        if query != "all" and c["num_ret"] == c["num_rel_ret"] + c["num_nonrel_judged_ret"]
    }


COMMANDS = 300
PARAMETERS = {
    "P": ["5", "3,1", "1,1", "x"],
    "iprec_at_recall": [".10,.20", "1.0,0"],
    "relstring": ["20", "3"],
    "utility": ["0,0,0,1", "3,-1,-1,0.5"],
    "11pt_avg": ["0.2,0.5,0.8"],
    "ndcg": ["1=2", "0=1,2=3", "1=1=2"],
    "G": ["1=2", "2=7"],
    "Rndcg": ["1=2,2=5"],
    "ndcg_rel": ["1=4,2=1"],
    "set_F": ["0.5", "2"],
    "Rprec_mult": ["0.5,1.5"],
}
SCORES = ("2", "1", "1", "-3.5", "16777216", "16777217", "0.1", "0.100000001")


@pytest.fixture(scope="module")
def program() -> str:
    found = os.environ.get("UNJUDGED_TREC_EVAL") or shutil.which("trec_eval")
    if found is None:
        pytest.skip("trec_eval is not installed")
    version = subprocess.run([found, "-v"], capture_output=True, text=True, check=False).stderr
    if " 9." not in version:
        pytest.skip(f"not trec_eval 9 but {version}")
    return found


def collection(rng: random.Random, folder: Path) -> None:
    """Judgments with something judged for every topic, and a run that misses some."""
    documents = [f"d{i}" for i in range(rng.choice([4, 15]))]
    topics = [f"q{i}" for i in rng.sample(range(12), rng.randint(2, 4))]
    highest = rng.choice([1, 2, 12])
    qrels, run = [], []
    for topic in topics:
        judged = rng.sample(documents, rng.randint(1, len(documents)))
        grades = [highest, *(rng.randint(-1, highest) for _ in judged[1:])]
        qrels += [f"{topic} 0 {d} {g}" for d, g in zip(judged, grades, strict=True)]
    for topic in [topics[0], *(t for t in [*topics[1:], "other"] if rng.random() < 0.7)]:
        found = rng.sample([*documents, "n1", "n2"], rng.randint(1, len(documents)))
        run += [f"{topic} Q0 {d} 1 {rng.choice(SCORES)} tag" for d in found]
    (folder / "qrels").write_text("\n".join(qrels) + "\n")
    (folder / "run").write_text("\n".join(run) + "\n")
    means = [f"{topic} {name} 0.25 {rng.choice([0, 0.5])}" for topic in topics for name in ("map", "P_5")]
    (folder / "means").write_text("\n".join(means) + "\n")


def flags(rng: random.Random) -> list[str]:
    """Any but -l together with -c, where trec_eval counts num_rel without it."""
    chosen = []
    for _ in range(rng.randint(0, 3)):
        name = rng.choice([*names_of("all_trec", 9), "yaap", "all_trec", "official", "set", "none"])
        given = rng.choice(PARAMETERS.get(name, [""])) if rng.random() < 0.5 else ""
        chosen += ["-m", f"{name}.{given}" if given else name]
    chosen += [flag for flag, often in (("-q", 0.6), ("-n", 0.1), ("-J", 0.2)) if rng.random() < often]
    chosen += rng.choice([[], ["-c"], ["-l1"], ["-l", "0"]])
    chosen += [
        word for pair in (("-M", "3"), ("-N", "40"), ("-Z", "means")) if rng.random() < 0.15 for word in pair
    ]
    return chosen


def test_any_command(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(9)
    for _ in range(COMMANDS):
        collection(rng, tmp_path)
        words = [*flags(rng), "qrels", "run"]
        theirs = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        if theirs.returncode < 0:
            continue  # it crashes: -Z looks behind the end of what it has read
        try:
            text, said, code = output(["--compat", "9", *words]), "", 0
        except Stop as stop:
            text, said, code = "", "\n".join(stop.messages) + "\n", stop.code
        assert (text, said, code) == (theirs.stdout, theirs.stderr, theirs.returncode), words
