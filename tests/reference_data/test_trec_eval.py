"""trec_eval 10's own outputs, byte for byte: its test files, and all of TREC-8."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from unjudged.compat.trec_eval import output

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
