"""Options of `unjudged compare`: depth, grades and seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused, unjudged
from unjudged import sample

QRELS = str(sample.qrels)
RERANKED, FUSED, DENSE = (str(sample.runs[name]) for name in ("reranked", "fused", "dense"))


@pytest.mark.thorough
@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "AP", "nDCG@10", "Bpref"])
def test_a_depth_is_as_good_as_shorter_files(measure: str, tmp_path: Path) -> None:
    """Means, bounds and verdicts are those of files that end at this rank."""
    files = []
    for file in (RERANKED, FUSED, DENSE):
        files.append(tmp_path / Path(file).name)
        lines = Path(file).read_text().splitlines(keepends=True)
        files[-1].write_text("".join(line for line in lines if int(line.split()[3]) <= 7))
    asked = ["-m", measure, "--format", "json"]
    for options in ([], ["--pairs"]):
        shorter = printed("compare", QRELS, *map(str, files), *asked, *options)
        cut = printed("compare", QRELS, RERANKED, FUSED, DENSE, *asked, *options, "--depth", "7")
        assert cut == shorter
    assert printed("compare", QRELS, RERANKED, FUSED, DENSE, *asked) != shorter
    shorter = printed("compare", QRELS, *map(str, files[1:]), "-m", measure, "--per-query")
    assert printed("compare", QRELS, FUSED, DENSE, "-m", measure, "--per-query", "-k", "7") == shorter


def test_a_depth_that_cannot_be() -> None:
    said = refused(2, "compare", QRELS, FUSED, DENSE, "--depth", "0")
    assert said == refused(2, "evaluate", QRELS, FUSED, "--depth", "0")
    said = refused(2, "compare", QRELS, FUSED, DENSE, "--depth", "5", "--predictions", QRELS)
    assert said == "--predictions does not go with --depth"


@pytest.mark.thorough
@pytest.mark.parametrize("format", ["table", "csv", "tsv", "json", "jsonl", "markdown", "latex", "html"])
@pytest.mark.parametrize("runs", [[RERANKED, DENSE], [RERANKED, FUSED, DENSE]])
def test_a_grade_that_no_document_has(format: str, runs: list[str]) -> None:
    """`compare` was silent, and everything was equal."""
    said = "No judged document has a grade of 9 or more, so nothing is relevant with rel=9."
    for command in ("compare", "evaluate"):
        done = unjudged(command, QRELS, *runs, "-m", "AP(rel=9)", "P@5", "--format", format)
        assert done.returncode == 0
        assert f"unjudged: {said}\n" in done.stderr.decode()
        if format not in ("csv", "tsv", "jsonl"):
            assert said in " ".join(done.stdout.decode().split())
    done = unjudged("compare", QRELS, *runs, "-m", "P@5", "--rel", "9")
    assert said in " ".join(done.stdout.decode().split())


def test_seeds_of_tests_that_draw_nothing() -> None:
    """They were ignored."""
    asked = ["compare", QRELS, FUSED, DENSE]
    for option in ("--seed", "--draws"):
        said = refused(2, *asked, option, "7")
        assert said == "--draws and --seed are for tests and corrections that resample, such as randomization"
    printed(*asked, "--test", "bootstrap", "--draws", "99", "--seed", "7")
    printed(*asked, RERANKED, "--correction", "tukey", "--draws", "99")
