"""Two tabs of the judging page, reloads and a killed browser, in random orders: no answer is lost."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import CHROMIUM, FLAGS, wait_until
from tests.cli.in_process import printed

DOCUMENTS = [f"d{n}" for n in range(12)]
ACTIONS = 200
ORDERS = [range(5), range(5, 10)]
"""Those of one browser, which is killed under all of them; each has a page and two tabs of its own."""
WATCH = """
const set = Storage.prototype.setItem;
Storage.prototype.setItem = function (name, value) {
    window.told = [name, value];
    return set.call(this, name, value);
};
window.heard = {};
addEventListener("storage", (event) => { window.heard[event.key] = event.newValue; });
"""


class Browser:
    """A browser with a folder of its own, which can be killed and started again."""

    def __init__(self, playwright: Any, folder: Path) -> None:
        self.playwright, self.folder = playwright, folder
        self.start()

    def start(self) -> None:
        self.context = self.playwright.chromium.launch_persistent_context(
            self.folder, executable_path=CHROMIUM, args=FLAGS, accept_downloads=True
        )
        self.context.add_init_script(WATCH)

    def kill(self) -> None:
        """As if the machine lost its power: no process of this browser can do anything more."""
        mark = f"--user-data-dir={self.folder}".encode()
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and _holds(process / "cmdline", mark):
                os.kill(int(process.name), signal.SIGKILL)
        time.sleep(0.3)
        for lock in self.folder.glob("Singleton*"):
            lock.unlink()
        self.start()


class Tabs:
    """A page in two tabs of a browser."""

    def __init__(self, browser: Browser, page: Path) -> None:
        self.browser, self.address = browser, page.as_uri()
        self.open()

    def open(self) -> None:
        self.tabs = [self.tab(), self.tab()]
        self.told_before: list[list[str] | None] = [None, None]
        self.read(1)

    def hear(self, which: int) -> None:
        """Wait until this tab has heard what the other one told since it was opened."""
        told = self.tabs[1 - which].evaluate("window.told ?? null")
        if told is not None and self.told_before[which] != told:
            wait_until(self.tabs[which], "([name, value]) => window.heard[name] === value", told)

    def read(self, which: int) -> None:
        """A tab that was just opened has read what the other one told before."""
        self.told_before[which] = self.tabs[1 - which].evaluate("window.told ?? null")

    def tab(self) -> Any:
        page = self.browser.context.new_page()
        page.goto(self.address)
        page.wait_for_selector("html[data-ready]")
        return page

    def saved(self) -> None:
        for tab in self.tabs:
            tab.wait_for_selector("html[data-saved=yes]")


def _holds(file: Path, words: bytes) -> bool:
    try:
        return words in file.read_bytes()
    except OSError:
        return False


class Model:
    """What the answers must be: the last one of each document, and what each tab can undo."""

    def __init__(self, query: int) -> None:
        self.query = query
        self.answers: dict[str, tuple[str, int]] = {}
        self.done: list[list[tuple[str, str, int]]] = [[], []]
        self.clock = 0

    def answer(self, tab: int, document: str, value: str) -> None:
        before = self.answers.get(document, ("", 0))[0]
        self.clock += 1
        self.answers[document] = value, self.clock
        self.done[tab].append((document, before, self.clock))

    def undo(self, tab: int) -> None:
        if self.done[tab]:
            document, before, stamp = self.done[tab].pop()
            if self.answers[document][1] == stamp:
                self.clock += 1
                self.answers[document] = before, self.clock

    def lines(self) -> set[str]:
        grades = {document: value or "-1" for document, (value, _) in self.answers.items()}
        return {f"{self.query} 0 {document} {grades.get(document, '-1')}" for document in DOCUMENTS}


@pytest.mark.parametrize("orders", ORDERS, ids=str)
def test_random_orders(playwright: Any, tmp_path: Path, orders: range) -> None:
    (tmp_path / "texts.tsv").write_text("".join(f"{name}\ttext of {name}\n" for name in DOCUMENTS))
    browser = Browser(playwright, tmp_path / "profile")
    judges = [(random.Random(order), Tabs(browser, made(tmp_path, order)), Model(order)) for order in orders]
    kills = random.Random(orders[0]).sample(range(ACTIONS), 2)
    for number in range(ACTIONS):
        if number in kills:
            for _, tabs, _ in judges:
                tabs.saved()
            browser.kill()
            for _, tabs, model in judges:
                tabs.open()
                model.done = [[], []]
        for rng, tabs, model in judges:
            act(rng, tabs, rng.randrange(2), model)
    before = []
    for _, tabs, model in judges:
        tabs.saved()
        texts = [exported(tab, tmp_path) for tab in tabs.tabs]
        assert texts[0] == texts[1]
        assert set(texts[0].splitlines()[1:]) - {"# unjudged-origin pool"} == model.lines()
        before.append(texts[0])
    browser.kill()
    assert [exported(tabs.tab(), tmp_path) for _, tabs, _ in judges] == before
    browser.context.close()


def made(folder: Path, query: int) -> Path:
    """A judging page for one query: pages for different queries keep different answers."""
    task, page = folder / f"task-{query}.qrels", folder / f"page-{query}.html"
    task.write_text("".join(f"{query} 0 {name} -1\n" for name in DOCUMENTS))
    texts = f"--set=documents={folder / 'texts.tsv'}"
    printed("judge", str(task), texts, "-g", "0,1,2", "-o", str(page))
    return page


def act(rng: random.Random, tabs: Tabs, which: int, model: Model) -> None:
    tab = tabs.tabs[which]
    kind = rng.choices(["grade", "move", "cannot", "undo", "reload", "close"], [8, 5, 2, 2, 1, 0.5])[0]
    document = tab.inner_text("#name")
    if kind == "undo":
        tabs.hear(which)
    if kind == "grade":
        grade = rng.choice("012")
        tab.keyboard.press(grade)
        model.answer(which, document, grade)
    elif kind == "move":
        tab.keyboard.press(rng.choice(["ArrowLeft", "ArrowRight", "n"]))
    elif kind == "cannot":
        tab.keyboard.press("x")
        model.answer(which, document, "-2")
    elif kind == "undo":
        tab.keyboard.press("u")
        model.undo(which)
    elif kind == "reload":
        tabs.saved()
        tab.reload()
        tab.wait_for_selector("html[data-ready]")
        model.done[which] = []
    else:
        tabs.saved()
        tab.close()
        tabs.tabs[which] = tabs.tab()
        model.done[which] = []
    if kind in ("reload", "close"):
        tabs.read(which)


def exported(tab: Any, folder: Path) -> str:
    with tab.expect_download() as download:
        tab.click("#export")
    path = folder / "exported.qrels"
    download.value.save_as(path)
    text = path.read_text()
    head = re.match(r"# unjudged-answers: ([0-9]+) of 12 documents judged\n", text)
    assert head
    assert int(head[1]) == len(re.findall(r"(?m)^[0-9] 0 \S+ [0-9]$", text))
    return text
