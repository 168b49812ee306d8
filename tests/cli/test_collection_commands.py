"""The commands of a collection as an organiser meets them: pool, sample, merge, evaluate."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused, unjudged
from unjudged import Judgments, sample

RUNS = [str(path) for path in sample.runs.values()]


def grades_of_sample() -> dict[tuple[str, str], int]:
    known = Judgments.of(sample.qrels)
    rows = zip(known.query.tolist(), known.documents, known.grade.tolist(), strict=True)
    return {(known.queries[q], document): max(grade, 0) for q, document, grade in rows}


def answer(task: Path, judged: Path) -> None:
    """Judge a file as the sample's own judgments do; what they lack is nonrelevant."""
    known = grades_of_sample()
    lines = []
    for line in task.read_text().splitlines():
        if not line.startswith("#"):
            query, _, document, _ = line.split()
            lines.append(f"{query} 0 {document} {known.get((query, document), 0)}\n")
    judged.write_text("".join(lines))


RBP = "RBP(p=0.8)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A stratified draw from an unjudged pool, answered in three files, of which two overlap."""
    pool = tmp_path / "pool.qrels"
    printed("pool", *RUNS, "--depth", "20", "-o", str(pool))
    options = ["-d", "stratified", "--share", "20%", "--top", "5"]
    printed("sample", str(pool), *RUNS, *options, "--to-judge", str(tmp_path / "tasks"))
    answer(tmp_path / "tasks" / "to-judge.qrels", tmp_path / "judged.qrels")
    lines = (tmp_path / "judged.qrels").read_text().splitlines(keepends=True)
    for number, part in enumerate((lines[:300], lines[250:500], lines[500:]), 1):
        (tmp_path / f"judged-{number}.qrels").write_text("".join(part))
    return tmp_path


def judged_files(folder: Path) -> list[str]:
    return [str(folder / f"judged-{number}.qrels") for number in (1, 2, 3)]


@pytest.mark.parametrize(("form", "measure"), [("strata", "xinfAP"), ("prels", "statAP")])
def test_from_a_pool_to_estimates(folder: Path, form: str, measure: str) -> None:
    merged = folder / "merged.txt"
    design = str(folder / "tasks" / "design.txt")
    report = printed("merge", design, *judged_files(folder), "--format", form, "-o", str(merged))
    assert re.search(r"judged +cannot judge +missing +judged twice .*\n.*\n +[0-9]+ +0 +0 +50 +0 ", report)
    assert measure in printed("evaluate", str(merged), RUNS[0], "-m", measure)
    assert merged.read_text().startswith("# unjudged ")


def test_qrels_of_unequal_probabilities_are_no_random_sample(folder: Path) -> None:
    merged = str(folder / "merged.txt")
    design = str(folder / "tasks" / "design.txt")
    printed("merge", design, *judged_files(folder), "--format", "qrels", "-o", merged)
    assert "AP" in printed("evaluate", merged, RUNS[0], "-m", "AP")
    for measure in ("infAP", "statAP"):
        problem = refused(2, "evaluate", merged, RUNS[0], "-m", measure)
        assert "or keep the probabilities of one (unjudged merge --format prels)" in problem


@pytest.fixture
def drawn_for_precision(tmp_path: Path) -> tuple[str, str]:
    """The design of a sample for P@10 and its answers."""
    options = ["--for", "predictions", "--budget", "200", "-m", "P@10", "--to-judge", str(tmp_path)]
    printed("sample", *RUNS, *options)
    judged = tmp_path / "judged.qrels"
    answer(tmp_path / "to-judge.qrels", judged)
    return str(tmp_path / "design.txt"), str(judged)


def test_estimates_say_that_deep_documents_could_not_be_drawn(
    drawn_for_precision: tuple[str, str], tmp_path: Path
) -> None:
    judgments = str(tmp_path / "merged.txt")
    printed("merge", *drawn_for_precision, "--format", "prels", "-o", judgments)
    done = unjudged("evaluate", judgments, *RUNS, "-m", "statAP", "-m", "statP@10", "-m", "statP@20")
    said = b"drawn from the first 10 documents of each run, so nothing is known of the others"
    assert said + b": statAP, statP@20 count them as nonrelevant." in done.stderr
    done = unjudged("evaluate", judgments, *RUNS, "-m", "statP@10")
    assert b"drawn from" not in done.stderr


@pytest.mark.parametrize("options", [["-d", "stratified", "--strata", "5:50%"], ["-d", "depth", "-k", "5"]])
def test_a_design_without_a_share_for_the_rest_says_so(folder: Path, options: list[str]) -> None:
    printed("sample", str(folder / "pool.qrels"), *RUNS, *options, "--to-judge", str(folder / "top"))
    judged = []
    for task in sorted((folder / "top").glob("*.qrels")):
        judged.append(str(folder / f"judged-{task.name}"))
        answer(task, Path(judged[-1]))
    for form in ("strata", "prels"):
        merged = str(folder / f"merged-{form}.txt")
        printed("merge", str(folder / "top" / "design.txt"), *judged, "--format", form, "-o", merged)
        done = unjudged("evaluate", merged, *RUNS, "-m", "statAP")
        assert b"first 5 documents of each run" in done.stderr


def test_merge_names_queries_that_prels_leave_out(tmp_path: Path) -> None:
    options = ["--for", "predictions", "--budget", "30", "-m", "P@10", "--to-judge", str(tmp_path)]
    printed("sample", *RUNS, *options)
    answer(tmp_path / "to-judge.qrels", tmp_path / "judged.qrels")
    design = str(tmp_path / "design.txt")
    done = unjudged("merge", design, str(tmp_path / "judged.qrels"), "-o", str(tmp_path / "merged.txt"))
    said = f"queries have no line in the file (means leave them out, but not if you evaluate {design}"
    assert said in done.stderr.decode()


def test_the_report_goes_to_standard_error_if_the_judgments_go_to_standard_output(folder: Path) -> None:
    done = unjudged("merge", str(folder / "tasks" / "design.txt"), *judged_files(folder))
    assert done.returncode == 0
    assert done.stdout.startswith(b"# unjudged ")
    assert done.stderr.startswith(b"Merged\n")


def test_nothing_is_overwritten(folder: Path) -> None:
    design = folder / "tasks" / "design.txt"
    merged = folder / "merged.txt"
    merged.write_text("mine\n")
    problem = refused(1, "merge", str(design), *judged_files(folder), "-o", str(merged))
    assert "exists and has other content" in problem
    assert merged.read_text() == "mine\n"
    before = design.read_bytes()
    pool, tasks = str(folder / "pool.qrels"), str(folder / "tasks")
    problem = refused(1, "sample", pool, "--share", "10%", "--to-judge", tasks)
    assert "exists and has other content" in problem
    assert design.read_bytes() == before


def test_the_same_command_writes_the_same_bytes(folder: Path) -> None:
    pool = str(folder / "pool.qrels")
    for name in ("one", "two"):
        printed("sample", pool, "--share", "10%", "--seed", "3", "--to-judge", str(folder / name))
    files = sorted(path.name for path in (folder / "one").iterdir())
    assert files == ["design.txt", "to-judge.qrels"]
    for name in files:
        assert (folder / "one" / name).read_bytes() == (folder / "two" / name).read_bytes()


def test_missing_and_conflicting_answers(folder: Path) -> None:
    design, first = str(folder / "tasks" / "design.txt"), judged_files(folder)[0]
    assert "drawn but not judged" in refused(1, "merge", design, first)
    other = folder / "other.qrels"
    lines = Path(first).read_text().splitlines()
    query, _, document, grade = lines[0].split()
    other.write_text(f"{query} 0 {document} {int(grade) + 1}\n")
    problem = refused(1, "merge", design, *judged_files(folder), str(other))
    assert f"{query} {document}" in problem
    out = str(folder / "merged.txt")
    report = printed("merge", design, *judged_files(folder), str(other), "--conflicts", "highest", "-o", out)
    assert "Conflicts" in report


def test_an_incremental_pool(folder: Path) -> None:
    pool, deeper = str(folder / "pool.qrels"), str(folder / "deeper.qrels")
    new = printed("pool", *RUNS, "--depth", "40", "--since", pool)
    printed("pool", *RUNS, "--depth", "40", "-o", deeper)
    sizes = [
        sum(not line.startswith("#") for line in Path(file).read_text().splitlines())
        for file in (pool, deeper)
    ]
    assert sum(not line.startswith("#") for line in new.splitlines()) == sizes[1] - sizes[0]
    design = str(folder / "tasks" / "design.txt")
    options = ["--share", "10%", "--since", design]
    printed("sample", deeper, *options, "--to-judge", str(folder / "more"))
    files = judged_files(folder)
    for task in sorted((folder / "more").glob("*.qrels")):
        files.append(str(folder / f"more-{task.name}"))
        answer(task, Path(files[-1]))
    merged = folder / "all.txt"
    printed("merge", str(folder / "more" / "design.txt"), *files, "-o", str(merged))
    found = Judgments.read(merged)
    assert found.stratum is not None
    assert set(found.stratum.tolist()) == {1, 2, 3}
    assert len(found.grade) == sizes[1]


def test_refusals(folder: Path) -> None:
    pool = str(folder / "pool.qrels")
    assert "--to-judge FOLDER" in refused(2, "sample", pool, "--share", "10%")
    assert "goes with --to-judge" in refused(2, "sample", pool, "--share", "10%", "--since", pool)
    assert "into its folder" in refused(2, "sample", pool, "--share", "1%", "--to-judge", "x", "-o", "y")
    assert "is it a design file" in refused(1, "merge", pool, judged_files(folder)[0])
    assert "no judged file" in refused(2, "merge", pool)


def test_next_settles_and_marks(folder: Path) -> None:
    qrels, design = str(sample.qrels), str(folder / "next.txt")
    options = ["--settle", "--top", "3", "--pooled", "-m", "AP", "-b", "7", "--record", design]
    text = printed("next", qrels, *RUNS, *options)
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(rows) == 7
    assert "# More judging could change what AP says of 1 of 3 pairs of 3 runs." in text
    assert "# unjudged-origin chosen: " in text
    judged = folder / "chosen.qrels"
    judged.write_text(text.replace(" -1\n", " 1\n"))
    merged = folder / "chosen-merged.qrels"
    printed("merge", design, str(judged), "-o", str(merged))
    assert "needs a random sample" in refused(2, "evaluate", str(merged), RUNS[0], "-m", "xinfAP")
    assert b"AP" in unjudged("evaluate", str(merged), RUNS[0], "-m", "AP").stdout
    assert "use qrels" in refused(2, "merge", design, str(judged), "--format", "prels")
    pairs = json.loads(printed("next", qrels, *RUNS, *options[:-2], "--pairs", "--format", "json"))
    assert len(pairs["rows"]) == 3
    changing = [row["more_judging"] in ("could flip it", "could blur it") for row in pairs["rows"]]
    assert sum(changing) == 1
    assert pairs["notes"][0]["text"] == "More judging could change what AP says of 1 of 3 pairs of 3 runs."
    assert "--pairs lists no documents" in refused(2, "next", qrels, *RUNS, *options, "--pairs")
    assert "--pairs prints a table" in refused(2, "next", qrels, *RUNS, "--pairs", "--format", "qrels")
    assert "--pairs goes with --settle" in refused(2, "next", qrels, *RUNS, "-m", RBP, "--pairs")
    for option in ("--seed", "--prevalence"):  # these were ignored
        value = "0.5" if option != "--seed" else "5"
        said = refused(2, "next", qrels, *RUNS, "-m", RBP, option, value, "--top", "2")
        assert said.startswith(f"--top and {option} go with --settle, or with a measure other than RBP")


def test_one_open_pair_is_open(tmp_path: Path) -> None:
    qrels, first, second = (tmp_path / name for name in ("qrels.txt", "a.run", "b.run"))
    qrels.write_text("q 0 d 1\nq 0 e -1\n")
    first.write_text("q Q0 e 1 2.0 a\nq Q0 d 2 1.0 a\n")
    second.write_text("q Q0 d 1 2.0 b\nq Q0 f 2 1.0 b\n")
    text = printed("next", str(qrels), str(first), str(second), "--settle", "-m", "AP")
    assert "# More judging could change what AP says of a and b." in text


def test_next_says_stop(tmp_path: Path) -> None:
    complete = tmp_path / "complete.qrels"
    lines = [f"{query} 0 {document} {grade}\n" for (query, document), grade in grades_of_sample().items()]
    complete.write_text("".join(lines))
    text = printed("next", str(complete), *RUNS, "--settle", "--pooled", "-m", "nDCG@10")
    known = "what nDCG@10 says of any of the 15 pairs of 6 runs"
    assert text == f"Stop: more judging cannot, or is unlikely to, change {known}.\n"


@pytest.mark.parametrize("runs", [2, 3])
def test_sentences_on_what_is_open(runs: int) -> None:
    """`1 of 1 pairs of 2 runs are open`, and `1 documents to judge`."""
    files = [str(sample.runs[name]) for name in ("dense", "reranked", "boolean")[:runs]]
    said = printed("next", str(sample.qrels), *files, "-m", RBP, "--settle", "--budget", "1").splitlines()
    assert said[0] == "# 1 document to judge: replace each -1 by a grade."
    whose = "dense and reranked" if runs == 2 else "[1-3] of 3 pairs of 3 runs"
    assert re.fullmatch(rf"# More judging could change what RBP\(p=0.8\) says of {whose}\.", said[1])
    narrowed = printed("next", str(sample.qrels), *files, "-m", RBP, "--budget", "1").splitlines()
    assert narrowed[1].startswith("# It narrows the interval of the mean RBP(p=0.8) by ")
