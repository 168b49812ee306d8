"""A checkpoint is continued only if it is whole and of the same experiment."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unjudged import InputError, sample
from unjudged.experiments.checkpoint import Checkpoint, _digest, _line
from unjudged.experiments.robustness import experiment
from unjudged.judging.pooling.pool import Pool

SETTINGS: dict[str, Any] = {"levels": [0.1, 0.3], "measures": ["AP", "infAP"], "repeats": 2}


@pytest.fixture(scope="module")
def pool() -> Pool:
    return Pool.of(sample.qrels, sample.runs)


def test_one_changed_character_is_refused(pool: Pool, tmp_path: Path) -> None:
    place = tmp_path / "kept"
    whole = experiment(pool, checkpoint=place, **SETTINGS)
    data = place.read_bytes()
    choose = random.Random(5)
    digits = [m.start() for m in re.finditer(rb"[0-9a-f.,\[\]]", data)]
    for position in choose.sample(digits, 60):
        changed = bytearray(data)
        changed[position] = choose.choice([c for c in b"0123456789" if c != data[position]])
        place.write_bytes(changed)
        with pytest.raises(InputError, match=r"damaged line|belongs to another experiment"):
            experiment(pool, checkpoint=place, **SETTINGS)
        assert place.read_bytes() == changed
    place.write_bytes(data)
    assert experiment(pool, checkpoint=place, **SETTINGS).means.tobytes() == whole.means.tobytes()


def test_a_file_cut_anywhere_is_continued(pool: Pool, tmp_path: Path) -> None:
    place = tmp_path / "kept"
    whole = experiment(pool, checkpoint=place, **SETTINGS)
    data = place.read_bytes()
    for end in range(0, len(data), 97):
        place.write_bytes(data[:end])
        assert experiment(pool, checkpoint=place, **SETTINGS).means.tobytes() == whole.means.tobytes()
        assert sorted(place.read_bytes().splitlines()) == sorted(data.splitlines())


def test_a_line_of_another_experiment_is_refused(pool: Pool, tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    experiment(pool, checkpoint=mine, **SETTINGS)
    experiment(pool, checkpoint=other, **{**SETTINGS, "measures": ["AP", "indAP"]})
    stolen = other.read_text().splitlines()[1]
    mine.write_text(mine.read_text() + stolen + "\n")
    with pytest.raises(InputError, match="mine:6: damaged line"):
        experiment(pool, checkpoint=mine, **SETTINGS)


SENSELESS = {
    "nothing": "",
    "not JSON": "[0.1, 0",
    "a number": "1",
    "text": '"abc"',
    "brackets": "[" * 100_000,
    "null": "null",
    "two fields": "[0.1, 0]",
    "no values": "[0.1, 0, null]",
    "a dictionary": '[0.1, 0, {"a": 1.0}]',
    "level as text": '["0.1", 0, VALUES]',
    "level not a number": "[NaN, 0, VALUES]",
    "level too large": "[1" + "0" * 400 + ", 0, VALUES]",
    "seed as a fraction": "[0.1, 0.5, VALUES]",
    "seed below 0": "[0.1, -1, VALUES]",
    "seed is true": "[0.1, true, VALUES]",
    "one value less": "[0.1, 0, LESS]",
    "one value more": "[0.1, 0, MORE]",
    "a nested value": "[0.1, 0, [[0.5]REST]]",
    "a value as text": '[0.1, 0, ["0.5"REST]]',
    "a value that is null": "[0.1, 0, [nullREST]]",
    "a value that is true": "[0.1, 0, [trueREST]]",
    "NaN": "[0.1, 0, [NaNREST]]",
    "infinity": "[0.1, 0, [InfinityREST]]",
    "below 0": "[0.1, 0, [-1.0REST]]",
    "more judged than pooled": "[0.1, 0, [1e6REST]]",
    "AP above 1": "[0.1, 0, [1.0, 1.1OTHERS]]",
    "AP is 1e308": "[0.1, 0, [1.0, 1e308OTHERS]]",
    "infAP is 1e308": "[0.1, 0, [1.0, 0.5, 1e308LAST]]",
    "infAP of 400 digits": "[0.1, 0, [1.0, 0.5, 1" + "0" * 400 + "LAST]]",
}


@pytest.mark.parametrize("text", SENSELESS.values(), ids=SENSELESS.keys())
def test_a_senseless_line_with_its_checksum_is_refused(pool: Pool, tmp_path: Path, text: str) -> None:
    place, width = tmp_path / "kept", 1 + 2 * len(pool.runs)
    with Checkpoint.of(place, pool, ["random", [], "AP", "infAP"], [(0.0, 1.0)] * width) as kept:
        head = kept.head
    for word, cut in {"REST": 1, "OTHERS": 2, "LAST": 3}.items():
        text = text.replace(word, ", 0.5" * (width - cut))
    for word, size in {"VALUES": width, "LESS": width - 1, "MORE": width + 1}.items():
        text = text.replace(word, str([0.5] * size))
    place.write_text(f"{head}\n{_line(head, text)}\n")
    with pytest.raises(
        InputError, match=r"kept:2: damaged line .* that the measures can have; delete the file"
    ):
        experiment(pool, checkpoint=place, **SETTINGS)


def test_the_digest_covers_all_that_values_depend_on(pool: Pool) -> None:
    drawn = pool.mixed(3, seed=1)
    assert drawn.stratum is not None
    assert drawn.probability is not None
    moved = drawn.offsets.copy()
    moved[1] -= 1
    variants = [
        drawn,
        replace(drawn, pooled=replace(drawn.pooled, offsets=moved)),
        replace(drawn, stratum=None),
        replace(drawn, stratum=drawn.stratum[::-1].copy()),
        replace(drawn, probability=None),
        replace(drawn, probability=np.nextafter(drawn.probability, 1)),
        replace(drawn, grade=np.maximum(drawn.grade, 0)),
    ]
    rankings = pool.rankings
    pools = [replace(pool, judgments=judgments) for judgments in variants]
    for name in ("rank", "row", "retrieved"):
        changed = getattr(rankings, name).copy()
        changed[0] += 1
        pools.append(replace(pools[0], matched=replace(rankings, **{name: changed})))
    digests = [_digest(one, ["random"]) for one in pools]
    assert len(set(digests)) == len(digests)
    assert _digest(pools[0], ["depth"]) not in digests


def test_a_second_process_is_refused(pool: Pool, tmp_path: Path) -> None:
    place = tmp_path / "kept"
    with Checkpoint.of(place, pool, [], [(0.0, 1.0)]) as kept:
        kept.add((0.1, 0), [1.0])
        code = "import fcntl, sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB)"
        command = [sys.executable, "-c", code, str(place)]
        assert b"BlockingIOError" in subprocess.run(command, capture_output=True, check=False).stderr
        with pytest.raises(InputError, match="kept: is in use by another process"):
            experiment(pool, checkpoint=place, **SETTINGS)
    with Checkpoint.of(place, pool, [], [(0.0, 1.0)]) as again:
        assert again.done == {(0.1, 0): [1.0]}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk(pool: Pool, tmp_path: Path) -> None:
    place = tmp_path / "kept"
    with (
        Path("/dev/full").open("ab", buffering=0) as full,
        pytest.raises(InputError, match="kept: cannot be written: No space left on device"),
    ):
        Checkpoint({}, full, "head", str(place)).add((0.1, 0), [1.0])


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
def test_a_full_disk_in_the_middle(tmp_path: Path) -> None:
    """By the limit on the size of files: the write that crosses it fails in the middle of a line."""
    script = tmp_path / "script.py"
    script.write_text(
        "import resource, signal, sys\n"
        "from unjudged import UnjudgedError, sample\n"
        "from unjudged.experiments import experiment\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    experiment(sample.qrels, sample.runs, measures='AP', checkpoint=sys.argv[1])\n"
        "except UnjudgedError as error:\n"
        "    print(error)\n"
    )
    place = tmp_path / "kept"
    command = [sys.executable, "-B", str(script), str(place)]  # bytecode would be cut off too, and kept
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == f"{place}: cannot be written: File too large\n", done.stderr
    assert place.stat().st_size == 1000


def test_what_cannot_hold_a_checkpoint(pool: Pool, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(InputError, match="it is not a regular file"):
        experiment(pool, checkpoint=fifo, **SETTINGS)
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        experiment(pool, checkpoint=tmp_path, **SETTINGS)
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        experiment(pool, checkpoint=tmp_path / "no" / "folder", **SETTINGS)
