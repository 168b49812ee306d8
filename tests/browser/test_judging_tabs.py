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

from tests.browser.conftest import CHROMIUM, FLAGS
from tests.cli.in_process import printed

DOCUMENTS = [f"d{n}" for n in range(12)]
ACTIONS = 200
ORDERS = 10
WATCH = """
const set = Storage.prototype.setItem;
Storage.prototype.setItem = function (name, value) {
    window.told = value;
    return set.call(this, name, value);
};
addEventListener("storage", (event) => { window.heard = event.newValue; });
"""


class Browser:
    """A browser with a folder of its own, which can be killed and started again."""

    def __init__(self, playwright: Any, folder: Path, page: Path) -> None:
        self.playwright, self.folder, self.address = playwright, folder, page.as_uri()
        self.start()

    def start(self) -> None:
        self.context = self.playwright.chromium.launch_persistent_context(
            self.folder, executable_path=CHROMIUM, args=FLAGS, accept_downloads=True
        )
        self.context.add_init_script(WATCH)
        self.tabs = [self.tab(), self.tab()]
        self.told_before: list[str | None] = [None, None]

    def hear(self, which: int) -> None:
        """Wait until this tab has heard what the other one told since it was opened."""
        told = self.tabs[1 - which].evaluate("window.told ?? null")
        if told is not None and self.told_before[which] != told:
            self.tabs[which].wait_for_function("(told) => window.heard === told", arg=told)

    def read(self, which: int) -> None:
        """A tab that was just opened has read what the other one told before."""
        self.told_before[which] = self.tabs[1 - which].evaluate("window.told ?? null")

    def tab(self) -> Any:
        page = self.context.new_page()
        page.goto(self.address)
        page.wait_for_selector("html[data-ready]")
        return page

    def saved(self) -> None:
        for tab in self.tabs:
            tab.wait_for_selector("html[data-saved=yes]")

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


def _holds(file: Path, words: bytes) -> bool:
    try:
        return words in file.read_bytes()
    except OSError:
        return False


class Model:
    """What the answers must be: the last one of each document, and what each tab can undo."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[str, int]] = {}
        self.comments: dict[str, str] = {}
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
        words = {document: value for document, (value, _) in self.answers.items() if value}
        notes = {f"# comment 1 {document} {text}" for document, text in self.comments.items()}
        for document in DOCUMENTS:
            value = words.get(document, "")
            if not value.isdecimal() and value:
                notes.add(f"# {value.replace(' ', f' 1 {document} ', 1).strip()}")
            grade = value if value.isdecimal() else -2 if value.startswith("cannot") else -1
            notes.add(f"1 0 {document} {grade}")
        return notes


@pytest.mark.parametrize("order", range(ORDERS))
def test_random_orders(playwright: Any, tmp_path: Path, order: int) -> None:
    rng = random.Random(order)
    (tmp_path / "task.qrels").write_text("".join(f"1 0 {name} -1\n" for name in DOCUMENTS))
    (tmp_path / "texts.tsv").write_text("".join(f"{name}\ttext of {name}\n" for name in DOCUMENTS))
    page = tmp_path / "page.html"
    printed(
        *("judge", str(tmp_path / "task.qrels"), "--documents", str(tmp_path / "texts.tsv")),
        *("-g", "0,1,2", "-o", str(page)),
    )
    browser, model = Browser(playwright, tmp_path / "profile", page), Model()
    kills = set(rng.sample(range(ACTIONS), 2))
    for number in range(ACTIONS):
        which = rng.randrange(2)
        if number in kills:
            browser.saved()
            browser.kill()
            model.done = [[], []]
        act(rng, browser, which, model, number)
    browser.saved()
    texts = [exported(tab, tmp_path) for tab in browser.tabs]
    assert texts[0] == texts[1]
    assert set(texts[0].splitlines()[1:]) - {"# unjudged-origin pool"} == model.lines()
    browser.kill()
    assert exported(browser.tabs[0], tmp_path) == texts[0]
    browser.context.close()


def act(rng: random.Random, browser: Browser, which: int, model: Model, number: int) -> None:
    tab = browser.tabs[which]
    kind = rng.choices(
        ["grade", "move", "comment", "later", "cannot", "undo", "reload", "close"], [8, 5, 2, 2, 2, 2, 1, 0.5]
    )[0]
    document = tab.inner_text("#name")
    if kind in ("undo", "later"):
        browser.hear(which)
    if kind == "grade":
        grade = rng.choice("012")
        tab.keyboard.press(grade)
        model.answer(which, document, grade)
    elif kind == "move":
        tab.keyboard.press(rng.choice(["ArrowLeft", "ArrowRight", "n"]))
    elif kind == "comment":
        tab.keyboard.press("c")
        tab.fill("#comment", f"note {number}")
        tab.keyboard.press("Escape")
        model.comments[document] = f"note {number}"
    elif kind == "later":
        tab.keyboard.press("l")
        model.answer(which, document, "" if model.answers.get(document, ("", 0))[0] == "later " else "later ")
    elif kind == "cannot":
        tab.keyboard.press("x")
        tab.fill("#why", f"reason {number}")
        tab.keyboard.press("Enter")
        model.answer(which, document, f"cannot-judge reason {number}")
    elif kind == "undo":
        tab.keyboard.press("u")
        model.undo(which)
    elif kind == "reload":
        browser.saved()
        tab.reload()
        tab.wait_for_selector("html[data-ready]")
        model.done[which] = []
    else:
        browser.saved()
        tab.close()
        browser.tabs[which] = browser.tab()
        model.done[which] = []
    if kind in ("reload", "close"):
        browser.read(which)


def exported(tab: Any, folder: Path) -> str:
    with tab.expect_download() as download:
        tab.click("#export")
    path = folder / "exported.qrels"
    download.value.save_as(path)
    text = path.read_text()
    head = re.match(r"# unjudged-answers 1 judged ([0-9]+) of 12 crc32 [0-9a-f]{8}\n", text)
    assert head
    assert int(head[1]) == len(re.findall(r"(?m)^1 0 \S+ [0-9]$", text))
    return text
