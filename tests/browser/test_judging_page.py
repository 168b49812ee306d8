"""The judging page in Chromium, from disk: keys, saving, export and import, hostile text, 2,000 documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open
from tests.cli.in_process import printed, unjudged
from unjudged import Judgments

HOSTILE = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">'
DOCUMENTS = {
    "d1": {"title": "Brown bears", "text": "Bears eat berries.\nAnd fish."},
    "d2": {"title": HOSTILE, "text": f"{HOSTILE} &lt;b&gt; \u2028 -->"},
    "d3": {"title": "Owls", "text": "Owls hunt at night."},
    "d4": {"text": "A text without a title."},
}
TOPICS = {"1": ("bears", "What do bears eat?", "Fish counts."), "2": (HOSTILE, HOSTILE, HOSTILE)}


@pytest.fixture
def task(tmp_path: Path) -> Path:
    (tmp_path / "pool.qrels").write_text(
        "1 0 d1 -1\n1 0 d2 -1\n1 0 d3 -1\n2 0 d2 -1\n2 0 d4 -1\n2 0 lost -1\n"
    )
    lines = [json.dumps({"docno": name, **record}) for name, record in DOCUMENTS.items()]
    (tmp_path / "documents.jsonl").write_text("".join(f"{line}\n" for line in lines))
    topics = [{"id": q, "title": t, "description": d, "narrative": n} for q, (t, d, n) in TOPICS.items()]
    (tmp_path / "topics.jsonl").write_text("".join(f"{json.dumps(topic)}\n" for topic in topics))
    return tmp_path


def make(folder: Path, grades: str = "0,1,2") -> Path:
    page = folder / "page.html"
    task = str(folder / "pool.qrels")
    texts, topics = str(folder / "documents.jsonl"), str(folder / "topics.jsonl")
    done = unjudged(
        "judge", task, f"--set=documents={texts}", f"--set=queries={topics}", "-g", grades, "-o", str(page)
    )
    assert done.returncode == 0
    assert b"1 of 5 documents has no text" in done.stderr
    return page


def another_tab(page: Any) -> Any:
    """The same page once more, in the same browser."""
    tab = page.context.new_page()
    tab.goto(page.url)
    tab.wait_for_selector("html[data-ready]")
    return tab


def exported(page: Any, folder: Path) -> Path:
    with page.expect_download() as download:
        page.click("#export")
    path = folder / "exported.qrels"
    download.value.save_as(path)
    return path


def test_judge_by_keyboard_open_again_export_and_merge(task: Path, opened: Open, shot: Any) -> None:
    page = opened(make(task))
    assert page.inner_text("#progress") == "document 1 of 6, 0 judged"
    lines = (task / "pool.qrels").read_text().splitlines()
    names = [line.split()[2] for line in lines if not line.startswith("#")]
    assert len(names) == 6
    for name, key in zip(names[:4], "0121", strict=True):
        assert page.inner_text("#name") == name
        page.keyboard.press(key)
    assert page.inner_text("#progress") == "document 5 of 6, 4 judged"
    page.keyboard.press("u")
    assert page.inner_text("#name") == names[3]
    assert page.inner_text("#progress") == "document 4 of 6, 3 judged"
    page.keyboard.press("9")
    assert page.inner_text("#progress") == "document 4 of 6, 3 judged"
    page.keyboard.press("2")
    shot(page)
    address, context = page.url, page.context
    page.close()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    assert page.inner_text("#progress") == "document 5 of 6, 4 judged"
    page.keyboard.press("1")
    page.keyboard.press("0")
    assert "Every document is judged" in page.inner_text("#message")
    path = exported(page, task)
    grades = Judgments.read(path).grade.tolist()
    assert grades == [0, 1, 2, 2, 1, 0]
    merged = str(task / "merged.qrels")
    printed("merge", str(task / "pool.qrels"), str(path), "-o", merged)
    assert sorted(Judgments.read(merged).grade.tolist()) == sorted(grades)


def test_text_is_never_markup(task: Path, opened: Open) -> None:
    page = opened(make(task))
    seen = 0
    for _ in range(6):
        if page.inner_text("#name") == "d2":
            text = page.locator("#text")
            assert text.text_content().startswith(HOSTILE)
            assert text.locator("*").count() == 0
            seen += 1
        page.keyboard.press("ArrowRight")
    assert seen == 2
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.locator("h2").text_content() == f"2: {HOSTILE}"
    assert "There is no text for this document." in page.content()


def test_import_continues_elsewhere(task: Path, opened: Open) -> None:
    page = opened(make(task))
    answers = task / "other.qrels"
    answers.write_text("1 0 d1 2\n1 0 d3 -1\n2 0 d4 7\n9 0 d9 1\n")
    page.set_input_files("#import", answers)
    page.locator("#message", has_text="Loaded").wait_for()
    assert page.inner_text("#message") == "Loaded 1 answers, ignored 2 lines that do not fit this task."
    found = exported(page, task).read_text()
    assert "1 0 d1 2\n" in found
    assert found.count(" -1\n") == 5


def test_two_tabs_merge(task: Path, opened: Open) -> None:
    """Neither writes over the answers of the other, both show all of them, and the last grade counts."""
    first = opened(make(task))
    second = another_tab(first)
    first.keyboard.press("1")
    second.locator("#progress", has_text="1 judged").wait_for()
    assert second.locator("#grades [aria-pressed=true]").inner_text().startswith("1")
    second.keyboard.press("ArrowRight")
    second.keyboard.press("2")
    first.locator("#progress", has_text="2 judged").wait_for()
    first.keyboard.press("ArrowLeft")
    first.keyboard.press("0")
    for page in (first, second):
        page.locator("#progress", has_text="2 judged").wait_for()
    texts = [exported(page, task).read_text() for page in (first, second)]
    assert texts[0] == texts[1]
    grades = [line.split()[3] for line in texts[0].splitlines() if not line.startswith("#")]
    assert grades == ["0", "2", "-1", "-1", "-1", "-1"]
    assert "2 judged" in another_tab(first).inner_text("#progress")


def test_an_import_keeps_the_answers_of_the_page(task: Path, opened: Open) -> None:
    """Lines whose grade is no whole number, as judgments have them, are ignored."""
    page = opened(make(task))
    names = [line.split() for line in exported(page, task).read_text().splitlines() if line[0] != "#"]
    page.keyboard.press("1")
    page.keyboard.press("2")
    rows = zip(names, ["1", "0", "1", "0x1", "1e0", "1.0"], strict=True)
    answers = task / "other.qrels"
    answers.write_text("".join(f"{q} 0 {d} {grade}\n" for (q, _, d, _), grade in rows))
    page.set_input_files("#import", answers)
    page.locator("#message", has_text="Loaded 1 answers, ignored 3 lines").wait_for()
    lines = [line for line in exported(page, task).read_text().splitlines() if line[0] != "#"]
    assert [line.split()[3] for line in lines] == ["1", "2", "1", "-1", "-1", "-1"]


FORBIDDEN = 'Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied"); } });'
FULL = 'Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };'
NO_BASE = 'IDBFactory.prototype.open = () => { throw new DOMException("denied"); };'
FULL_BASE = """IDBObjectStore.prototype.put = function () {
    this.transaction.abort();
    throw new DOMException("full", "QuotaExceededError");
};"""


@pytest.mark.parametrize("script", [FORBIDDEN + NO_BASE, FULL + FULL_BASE], ids=["forbidden", "full"])
def test_a_browser_that_saves_nothing_is_said_at_once(
    task: Path, opened: Open, shot: Any, script: str
) -> None:
    page = opened(make(task), script=script)
    assert "does not keep your answers" in page.inner_text("#unsaved")
    page.keyboard.press("1")
    assert "does not keep your answers" in page.inner_text("#unsaved")
    page.locator("#saved", has_text="not saved").wait_for()
    shot(page)
    assert exported(page, task).read_text().count(" 1\n") == 1


@pytest.mark.parametrize("script", [FORBIDDEN, FULL, NO_BASE, FULL_BASE])
def test_either_storage_is_enough(task: Path, opened: Open, script: str) -> None:
    page = opened(make(task), script=script)
    page.keyboard.press("1")
    page.wait_for_selector("html[data-saved=yes]")
    assert page.inner_text("#unsaved") == ""
    page = another_tab(page)
    assert page.inner_text("#progress") == "document 2 of 6, 1 judged"


def test_what_could_not_be_saved_is_saved_when_it_can(task: Path, opened: Open) -> None:
    page = opened(make(task))
    page.evaluate(
        "() => { window.put = IDBObjectStore.prototype.put; window.set = Storage.prototype.setItem; }"
    )
    page.evaluate(f"() => {{ {FULL}{FULL_BASE} }}")
    page.keyboard.press("1")
    page.locator("#unsaved", has_text="does not keep").wait_for()
    page.evaluate("() => { IDBObjectStore.prototype.put = put; Storage.prototype.setItem = set; }")
    page.keyboard.press("2")
    page.wait_for_selector("html[data-saved=yes]")
    assert page.inner_text("#unsaved") == ""
    assert "2 judged" in another_tab(page).inner_text("#progress")


def test_two_thousand_documents(tmp_path: Path, opened: Open) -> None:
    """Every one can be judged."""
    task, texts = tmp_path / "large.qrels", tmp_path / "large.tsv"
    task.write_text("".join(f"{n % 40} 0 doc{n} -1\n" for n in range(2000)))
    texts.write_text("".join(f"doc{n}\t{'some words of a document ' * 120}{n}\n" for n in range(2000)))
    page_file = tmp_path / "large.html"
    printed("judge", str(task), f"--set=documents={texts}", "-o", str(page_file))
    page = opened(page_file)
    page.evaluate(
        """() => {
            const press = () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "1" }));
            for (let i = 0; i < 200; i += 1) press();
        }"""
    )
    assert page.inner_text("#progress") == "document 201 of 2000, 200 judged"


def test_the_page_has_labels_for_everything(task: Path, opened: Open) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(opened(make(task)))
    assert [violation["id"] for violation in found.response["violations"]] == []


@pytest.fixture
def two_topics(tmp_path: Path, opened: Open) -> Any:
    """Two topics with 40 documents each."""
    (tmp_path / "task.qrels").write_text("".join(f"{t} 0 d{t}-{n} -1\n" for t in "12" for n in range(40)))
    (tmp_path / "texts.tsv").write_text("".join(f"d{t}-{n}\ttext\n" for t in "12" for n in range(40)))
    path = tmp_path / "page.html"
    task, texts = str(tmp_path / "task.qrels"), str(tmp_path / "texts.tsv")
    printed("judge", task, f"--set=documents={texts}", "-g", "0,1,2", "-o", str(path))
    return opened(path)


def test_cannot_judge(two_topics: Any, tmp_path: Path) -> None:
    page = two_topics
    page.keyboard.press("x")
    assert page.inner_text("#progress") == "document 2 of 80, 0 judged, 1 cannot be judged"
    page.click("#grades [data-grade='-2']")
    assert page.inner_text("#progress") == "document 3 of 80, 0 judged, 2 cannot be judged"
    page.keyboard.press("u")
    assert page.inner_text("#name") == "d1-1"
    assert page.inner_text("#progress") == "document 2 of 80, 0 judged, 1 cannot be judged"
    assert Judgments.read(exported(page, tmp_path)).grade.tolist()[:2] == [-2, -1]
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute("#grades [data-grade='-2']", "aria-pressed") == "true"
    page.keyboard.press("1")
    assert page.inner_text("#progress") == "document 2 of 80, 1 judged"


def test_topics_with_progress(two_topics: Any) -> None:
    page = two_topics
    page.keyboard.press("1")
    page.select_option("#topics", "1")
    assert page.inner_text("#name") == "d2-0"
    page.keyboard.press("0")
    page.keyboard.press("0")
    assert page.locator("#topics option").all_inner_texts() == ["1 (1/40)", "2 (2/40)"]
    page.select_option("#topics", "0")
    assert page.inner_text("#name") == "d1-1"


def test_an_import_is_undone_in_one_step(two_topics: Any, tmp_path: Path) -> None:
    page = two_topics
    page.keyboard.press("1")
    page.keyboard.press("2")
    before = exported(page, tmp_path).read_text()
    other = tmp_path / "other.qrels"
    lines = "".join(f"1 0 d1-{n} {n % 3}\n" for n in range(1, 30))
    other.write_text(f"{lines}1 0 d1-30 -2\n")
    page.set_input_files("#import", other)
    page.locator("#message", has_text="Loaded 29 answers.").wait_for()
    assert "30 judged, 1 cannot" in page.inner_text("#progress")
    page.keyboard.press("u")
    assert "2 judged" in page.inner_text("#progress")
    assert exported(page, tmp_path).read_text() == before
