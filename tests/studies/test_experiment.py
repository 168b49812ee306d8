"""The experiment against its parts, done one by one."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unjudged import UsageError, evaluate, sample
from unjudged.judging.pooling import REST, Pool
from unjudged.measures.kernel.names import parse
from unjudged.studies.agreement import STATISTICS
from unjudged.studies.experimenting import OF_ESTIMATES, Experiment, experiment

MEASURES = ["AP", "infAP", "subAP", "statAP"]


@pytest.fixture(scope="module")
def pool() -> Pool:
    return Pool.of(sample.qrels, sample.runs)


def same(a: Experiment, b: Experiment) -> bool:
    return a.source.means.tobytes() == b.source.means.tobytes() and repr(a.rows) == repr(b.rows)


@pytest.mark.filterwarnings("ignore:.*:unjudged.base.errors.AssumptionWarning")
@pytest.mark.parametrize(
    ("design", "level"), [("uniform", 0.2), ("pool", 4), ("mixed", 3), ("stratified", 0.3)]
)
def test_each_sample_is_an_evaluation_of_its_own(pool: Pool, design: str, level: float) -> None:
    options: dict[str, Any] = {"top": 5} if design == "stratified" else {}
    measures = [m for m in MEASURES if design != "pool" or m != "statAP"]
    written = f"{design}({level}, top=5)" if options else f"{design}({level}, repeats=2)"
    given: dict[str, Any] = {"against": "AP", "repeats": 2, "seed": 7}
    found = experiment(pool, None, design, measures, levels=[level], **given, **options)
    assert same(found, experiment(pool, None, written, measures, **given))
    for repeat in range(found.source.means.shape[1]):
        seed = 7000 + repeat
        judgments = {
            "uniform": pool.uniform(0.2, seed=seed),
            "pool": pool.depth(4),
            "mixed": pool.mixed(3, seed=seed),
            "stratified": pool.stratified({5: 1.0, REST: 0.3}, seed=seed),
        }[design]
        scores = evaluate(judgments, sample.runs, measures)
        assert found.source.means[0, repeat].tolist() == scores.means.tolist()
        assert found.source.judged[0, repeat] == judgments.count(0).mean()
    complete = evaluate(sample.qrels, sample.runs, measures)
    assert found.source.actual.tolist() == complete.means.tolist()
    assert (found.source.reference == complete.means[:, :1]).all()


def test_statistics_are_of_each_repeat_and_then_averaged(pool: Pool) -> None:
    found = experiment(pool, levels=[0.1], measures=MEASURES, against="AP", repeats=4)
    for k, measure in enumerate(MEASURES):
        for against, actual in (("AP", found.source.reference[:, k]), ("itself", found.source.actual[:, k])):
            for name in OF_ESTIMATES:
                statistic = STATISTICS[name].function
                values = [statistic(found.source.means[0, s, :, k], actual) for s in range(4)]
                row = found.find(name, measure, 0.1, against)
                assert row["mean"] == pytest.approx(np.mean(values), rel=1e-12, nan_ok=True)
                assert row["deviation"] == pytest.approx(np.std(values, ddof=1), rel=1e-9, nan_ok=True)
                assert (row["repeats"], row["design"]) == (4, "uniform")


def test_all_judgments_give_the_actual_values(pool: Pool) -> None:
    found = experiment(pool, levels=[1.0], measures=["AP", "indAP"], repeats=2)
    assert (found.source.means[0, :, :, 0] == found.source.reference[:, 0]).all()
    assert found.find("tau", "AP", 1.0)["mean"] == pytest.approx(1)
    assert found.find("rms", "AP", 1.0)["mean"] == 0


def test_a_depth_pool_has_nothing_to_repeat(pool: Pool) -> None:
    assert experiment(pool, design="pool", levels=[3, 5], measures="AP", repeats=9).source.means.shape[1] == 1


@pytest.mark.thorough
def test_the_number_of_workers_changes_nothing(pool: Pool) -> None:
    one, two = (
        experiment(pool, levels=[0.1, 0.3], measures=MEASURES, repeats=3, workers=workers)
        for workers in (1, 2)
    )
    assert same(one, two)


@pytest.mark.thorough
def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    """As processes start from nothing they would run it again, each with processes of its own."""
    script = tmp_path / "script.py"
    script.write_text(
        "from unjudged import sample\n"
        "from unjudged import experiment\n"
        "experiment(sample.qrels, sample.runs, levels=[0.1, 0.3], measures='AP', workers=2)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert 'outside `if __name__ == "__main__":`' in done.stderr


@pytest.mark.thorough
def test_a_worker_that_is_killed_ends_the_experiment(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal\n"
        "from unjudged import JudgedRankings, measure, sample\n"
        "from unjudged import experiment\n"
        "@measure()\n"
        "def Killed(r: JudgedRankings):\n"
        "    if len(r.judgments.grade[r.judgments.grade >= 0]) < 500:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return r.retrieved * 0.0\n"
        "if __name__ == '__main__':\n"
        "    experiment(sample.qrels, sample.runs, levels=[0.5, 0.1], measures='Killed', workers=2)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "a worker process ended before its work was done" in done.stderr


def test_samples_of_other_seeds_are_others(pool: Pool) -> None:
    one, other = (experiment(pool, levels=[0.1], measures="AP", seed=seed).source.means for seed in (0, 1))
    assert not set(one.ravel().tolist()) & set(other.ravel().tolist())


def test_what_cannot_be_asked(pool: Pool) -> None:
    wrongs: dict[str, tuple[Any, str]] = {
        "design": ("best", "design is 'best', expected one of uniform"),
        "repeats": (0, "repeats is 0"),
        "workers": (0, "workers is 0"),
        "levels": ([], "no level given"),
    }
    for wrong, message in wrongs.items():
        with pytest.raises(UsageError, match=message[1]):
            experiment(pool, **{wrong: message[0]})
    for written in (
        "pool(2.5)",
        "uniform(5%",
        "uniform(0%)",
        "uniform(top=3)",
        "mixed(repeats=0)",
        "pool(x)",
    ):
        with pytest.raises(UsageError):
            experiment(pool, design=written)
    with pytest.raises(UsageError, match="at least two"):
        experiment(sample.qrels, sample.runs["fused"])
    with pytest.raises(UsageError, match="has no tau of P"):
        experiment(pool, levels=[0.5], measures="AP", repeats=1).find("tau", "P@5", 0.5)
    for nonsense in (10**400, 10**5000, float("nan"), float("inf"), -1, "x", None):
        with pytest.raises(UsageError, match="share is"):
            experiment(pool, levels=[nonsense])  # type: ignore[list-item]
        with pytest.raises(UsageError, match="seed is"):
            experiment(pool, seed=-nonsense if nonsense == 10**400 else float("inf"))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="design 'pool': no parameter is called 'top'"):
        experiment(pool, design="pool", top=3)
    with pytest.raises(UsageError, match="needs the probability that each document was drawn"):
        experiment(pool, design="pool", measures=["AP", "statAP"])


def test_print_shows_tau_and_error(pool: Pool) -> None:
    found = experiment(pool, levels=[0.5], measures=["AP", "infAP"], repeats=2)
    text = str(found)
    assert "Not enough at any level. At best AP at 50 % orders 6 runs" in text
    both = experiment(pool, levels=[0.5], measures=["infAP", "nDCG@10"], repeats=2)
    assert [row["against"] for row in both.shown("experiment")[0]][::5] == ["AP", "nDCG@10"]
    assert "Enough: AP at 100 % orders 6 runs" in str(
        experiment(pool, levels=[1.0], measures=["AP"], repeats=2)
    )
    for name in ("AP", "infAP"):
        row = found.find("tau", name, 0.5)
        assert f"{row['mean']:.4f} ±{row['deviation']:.4f}" in text


def test_pools_and_measures_travel_to_other_processes(pool: Pool) -> None:
    again: Pool = pickle.loads(pickle.dumps(pool))
    assert again.judgments.index is again.rankings.judgments.index
    assert again.uniform(0.3, seed=2).grade.tolist() == pool.uniform(0.3, seed=2).grade.tolist()
    (measure,) = parse("nDCG(dcg='exp-log2')@10")
    assert pickle.loads(pickle.dumps(measure)) == measure


@pytest.mark.parametrize("design", ["uniform(30%)", "stratified(30%, top=3)"])
def test_documents_that_could_never_be_judged_are_no_population(design: str) -> None:
    """Lines of -1 made strata larger than what could be drawn from them: xinfAP was .026 too high."""
    rng = np.random.default_rng(4)
    judged = {f"q{i}": {f"d{k}": int(rng.random() < 0.4) for k in range(30)} for i in range(12)}
    listed = {q: own | {f"x{k}": -1 for k in range(60)} for q, own in judged.items()}
    runs = {name: {q: {d: float(rng.random()) for d in own} for q, own in listed.items()} for name in "ab"}
    one, other = (
        experiment(qrels, runs, design, ["xinfAP", "infNDCG"], repeats=3) for qrels in (judged, listed)
    )
    np.testing.assert_array_equal(one.source.means, other.source.means)


RUNS = [str(path) for path in sample.runs.values()]
LONG = [str(sample.qrels), *RUNS, "-d", "uniform(repeats=900)", "-m", "subAP", "infAP"]
MARK = "UNJUDGED_TEST_OF_PROCESSES"


def marked(mark: str) -> list[int]:
    """Every process that inherited the mark in its environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue  # it has ended, or is another user's
    return found


def worked(process: int) -> float:
    """Seconds of processor time that a process has taken; 0 if it has ended."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@contextmanager
def at_work(mark: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """An experiment whose workers are at work; at the end nothing is left of it."""
    command = [sys.executable, "-m", "unjudged", "experiment", *LONG]
    process = subprocess.Popen(command, env={**os.environ, MARK: mark, **options.pop("env", {})}, **options)
    try:
        wait_until(lambda: any(worked(own) > 0.7 for own in marked(mark) if own != process.pid), 120)
        assert process.poll() is None
        yield process
        wait_until(lambda: not marked(mark), 30)
    finally:
        for left in marked(mark):
            os.kill(left, signal.SIGKILL)


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGINT])
def test_a_killed_experiment_leaves_nothing(tmp_path: Path, way: signal.Signals) -> None:
    mark = f"{way.name} {os.getpid()}"
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    environment = {"TMPDIR": str(tmp_path)}
    with at_work(mark, env=environment, **streams) as process:
        process.send_signal(way)
        # The pipe ends when no process holds it any more: what `| tee` waits for.
        found, _ = process.communicate(timeout=30)
    assert process.returncode != 0
    assert found == b""
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
def test_ctrl_c_goes_to_all_processes_and_is_reported_once() -> None:
    mark = f"ctrl-c {os.getpid()}"
    with at_work(mark, stderr=subprocess.PIPE, start_new_session=True) as process:
        os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
        assert (process.returncode, stderr.decode()) == (130, "unjudged: interrupted\n")


@pytest.mark.thorough
def test_an_error_in_a_worker_arrives(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from unjudged import JudgedRankings, experiment, measure, sample\n"
        "@measure()\n"
        "def Fails(r: JudgedRankings):\n"
        "    raise KeyError('wrong')\n"
        "if __name__ == '__main__':\n"
        "    try:\n"
        "        experiment(sample.qrels, sample.runs, measures='Fails', workers=2)\n"
        "    except KeyError as error:\n"
        "        print(repr(error))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "KeyError('wrong')\n", done.stderr
