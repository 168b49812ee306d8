"""A design is one registered object: added from outside, it works everywhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unjudged import Judgments, UsageError, evaluate, experiment, sample
from unjudged.judging import next as next_documents
from unjudged.judging.designs import DESIGNS, design
from unjudged.judging.pooling import Pool
from unjudged.rankings.extension import chosen_rows

QRELS, RUNS = str(sample.qrels), [str(path) for path in sample.runs.values()]


@pytest.fixture
def every_second() -> Iterator[str]:
    """A design as user code would write it: every n-th judged document of the pool, from a random start."""

    @design(level="depth", levels=(2, 5), axis="one document in", name="every")
    def every(pool: Pool, level: int, seed: int, *, offset: int = 0) -> Judgments:
        rows = np.arange(len(pool.judgments.grade))
        return pool.only((rows + seed + offset) % level == 0)

    yield "every"
    del DESIGNS["every"]


def test_from_python(every_second: str) -> None:
    found = experiment(sample.qrels, sample.runs, every_second, measures=["AP", "infAP"], repeats=2, seed=3)
    assert list(found.source.levels) == [2, 5]
    whole = Judgments.read(sample.qrels)
    pool = Pool.of(chosen_rows(whole, whole.grade >= 0), sample.runs)  # what could be judged
    rows = np.arange(len(pool.judgments.grade))
    for li, level in enumerate((2, 5)):
        for repeat in range(2):
            judgments = pool.only((rows + 3000 + repeat) % level == 0)
            expected = evaluate(judgments, sample.runs, ["AP", "infAP"]).means
            assert found.source.means[li, repeat].tolist() == expected.tolist()
    moved = experiment(pool, design=every_second, levels=[5], measures="AP", repeats=1, offset=1)
    assert moved.source.means[0, 0, :, 0].tolist() == evaluate(
        pool.only((rows + 1) % 5 == 0), sample.runs, "AP"
    ).means[:, 0].tolist()  # fmt: skip
    assert "depth 5" in str(moved)


def test_what_it_lists_and_draws(every_second: str) -> None:
    """A design of user code is one of `next`, too."""
    pool = Pool.of(sample.qrels, sample.runs)
    found = next_documents(sample.qrels, sample.runs, design=f"{every_second}(4, offset=1)", seed=1).sample
    assert found is not None
    assert found.drawn is not None
    assert found.drawn.tolist() == ((np.arange(len(pool.judgments.grade)) + 2) % 4 == 0).tolist()


def test_in_figures(every_second: str) -> None:
    from unjudged.report.experiment_figures import curves, scatter

    found = experiment(sample.qrels, sample.runs, every_second, measures="AP", repeats=1)
    assert "one document in" in curves(found).svg()
    assert "depth 5" in scatter(found).svg()


@pytest.mark.thorough
def test_in_other_processes(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\n"
        "from unjudged import sample\n"
        "from unjudged import experiment\n"
        "from unjudged.judging.designs import design\n"
        "@design(level='share', levels=(0.5,), axis='share')\n"
        "def half(pool, level, seed):\n"
        "    return pool.only(np.random.default_rng(seed).random(len(pool.judgments.grade)) < level)\n"
        "if __name__ == '__main__':\n"
        "    results = [experiment(sample.qrels, sample.runs, 'half', measures='AP', repeats=4, workers=w)\n"
        "               for w in (1, 2)]\n"
        "    assert results[0].source.means.tobytes() == results[1].source.means.tobytes()\n"
        "    print('same')\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "same\n", done.stderr


def test_what_cannot_be_registered_or_drawn(every_second: str) -> None:
    pool = Pool.of(sample.qrels, sample.runs)
    whatever: dict[str, Any] = {"axis": "", "levels": (1,)}
    with pytest.raises(UsageError, match="level is 'size', expected one of share, depth"):
        design(level="size", **whatever)
    with pytest.raises(UsageError, match="share is 2"):
        design(level="share", axis="", levels=(2,))
    with pytest.raises(UsageError, match="at least one default level"):
        design(level="share", axis="", levels=())
    with pytest.raises(UsageError, match="design is 'none', expected one of uniform, pool"):
        DESIGNS.find("none")
    with pytest.raises(UsageError, match="design 'every': no parameter is called 'top'; it has offset"):
        DESIGNS.find(every_second).draw(pool, 2, top=3)
    with pytest.raises(UsageError, match=r"depth is 2\.5"):
        DESIGNS.find(every_second).draw(pool, 2.5)
    with pytest.raises(UsageError, match=r"one truth value for each of \d+ rows"):
        pool.only(np.ones(3, bool))

    @design(level="share", levels=(1,), axis="", name="broken")
    def broken(pool: Pool, level: float, seed: int) -> Any:
        return pool.judgments.grade

    with pytest.raises(UsageError, match="design 'broken' returned ndarray, expected Judgments"):
        DESIGNS.find("broken").draw(pool, 1)
    del DESIGNS["broken"]
