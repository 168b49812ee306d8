"""Measures of your own: loaded from files, and refused if their traits are wrong."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.in_process import printed
from unjudged import MEASURES, evaluate, sample
from unjudged.base.errors import InputError, UsageError
from unjudged.measures.kernel.measure import SOURCES
from unjudged.measures.kernel.registry import load_measures

FILES = [str(sample.qrels), str(sample.runs["fused"])]
HEAD = "import numpy as np\nfrom unjudged import measure\n\n@measure({traits})\ndef Own(r, *, rel=1):\n"
LAST = "hits.total((hits.place == hits.counts[hits.ranking]) / hits.rank)"
BODIES = {
    "first": "    hits = r.relevant(rel)\n    return hits.total((hits.place == 1) / hits.rank)\n",
    "last": f"    hits = r.relevant(rel)\n    return {LAST}\n",
    "judged": "    return r.where(r.labels >= 0).counts / np.maximum(r.retrieved, 1)\n",
    "large": "    return r.retrieved.astype(float)\n",
    "late": "    hits = r.relevant(rel)\n    return hits.total(hits.rank) / 100\n",
    "many": "    return np.zeros(3)\n",
}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    known = dict(MEASURES), dict(SOURCES)
    yield
    MEASURES.clear()
    MEASURES.update(known[0])
    SOURCES.clear()
    SOURCES.update(known[1])


def own(folder: Path, body: str, traits: str = "", name: str = "own.py") -> str:
    path = folder / name
    path.write_text(HEAD.format(traits=traits) + BODIES[body])
    return str(path)


def test_a_file_is_loaded_and_its_measure_is_like_any_other(tmp_path: Path) -> None:
    file = own(tmp_path, "first", "pointwise=True")
    expected = evaluate(FILES[0], FILES[1], "RR").means[0, 0]
    assert f"{expected:.4f}" in printed("evaluate", *FILES, "--set", f"code={file}", "-m", "Own", "AP")
    assert load_measures(file) == ["Own"]
    assert "Own" in printed(
        "evaluate", "--set", f"code={file}", *FILES, "-m", "Own(rel=2)", "--interval", "bounds"
    )


@pytest.mark.parametrize(
    ("body", "traits", "trait"),
    [
        ("last", "pointwise=True", "pointwise"),
        ("late", "monotone=True", "monotone"),
        ("first", "ungraded=True", "ungraded"),
        ("judged", "diluted=True", "skips_unjudged=False"),
        ("large", "skips_unjudged=True", "range"),
        ("first", "weight=lambda rank, **_: 1 / rank", "weight"),
    ],
)
def test_a_wrong_trait_is_an_error_that_shows_the_ranking(
    tmp_path: Path, body: str, traits: str, trait: str
) -> None:
    load_measures(own(tmp_path, body, traits))
    with pytest.raises(UsageError, match=f'Own: its trait {trait} is not true: .*for "'):
        MEASURES["Own"].try_traits()


def test_what_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("x = 1\ny = x / 0\n")
    with pytest.raises(InputError, match=r"bad\.py:2: ZeroDivisionError"):
        load_measures(str(tmp_path / "bad.py"))
    (tmp_path / "half.py").write_text("def f(:\n")
    with pytest.raises(InputError, match=r"half\.py:1: "):
        load_measures(str(tmp_path / "half.py"))
    (tmp_path / "none.py").write_text("x = 1\n")
    with pytest.raises(UsageError, match="registers no measure"):
        load_measures(str(tmp_path / "none.py"))
    (tmp_path / "ap.py").write_text(
        "from unjudged import measure\n\n@measure()\ndef AP(r):\n    return r.counts\n"
    )
    before = MEASURES["AP"]
    with pytest.raises(UsageError, match="'AP' already"):
        load_measures(str(tmp_path / "ap.py"))
    assert MEASURES["AP"] is before
    with pytest.raises(InputError, match="no such file, expected a file of Python"):
        load_measures("nothing-of-this-name")
    load_measures(own(tmp_path, "many"))
    with pytest.raises(UsageError, match="shape"):
        MEASURES["Own"].try_traits()
    with pytest.raises(UsageError, match=r"shape \(3,\) for 30 rankings, expected one number per ranking"):
        evaluate(FILES[0], FILES[1], "Own")


def test_another_process_loads_the_file_itself(tmp_path: Path) -> None:
    file = own(tmp_path, "first")
    load_measures(file)
    (tmp_path / "measure.pickle").write_bytes(pickle.dumps(MEASURES["Own"](rel=2)))
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb')))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "measure.pickle")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "Own(rel=2)\n"
