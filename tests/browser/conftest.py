"""Chromium, and pages opened in it from disk; tests skip where Chromium or Playwright is missing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = os.environ.get("UNJUDGED_CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
Open = Callable[..., Any]


def wait_until(page: Any, script: str, given: Any = None) -> None:
    """Wait until a script is true; the function of Playwright needs `eval`, which our pages forbid."""
    for _ in range(3000):
        if page.evaluate(script, given):
            return
        page.wait_for_timeout(10)
    raise AssertionError(f"never true: {script}")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no Chromium in {CHROMIUM}")
    with sync_api.sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Any) -> Iterator[Any]:
    running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    yield running
    running.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Opens a page and, after the test, checks that it logged nothing and asked no address for anything."""
    seen: list[str] = []
    contexts = []

    def open_page(
        path: Path, width: int = 1200, height: int = 900, colours: str = "light", script: str = ""
    ) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=colours, accept_downloads=True
        )
        contexts.append(context)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.on("console", lambda message: seen.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: seen.append(f"error: {error}"))
        page.on("dialog", lambda dialog: seen.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: seen.append(f"request: {request.url}"))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        assert seen.pop(0) == f"request: {path.as_uri()}"
        return page

    yield open_page
    for context in contexts:
        context.close()
    own = ("request: data:", "request: blob:")
    assert [line for line in seen if not line.startswith(own)] == []


@pytest.fixture
def shot(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Any], Path]:
    """Saves a screenshot of the whole page; in the folder UNJUDGED_SHOTS, if that is set."""

    def take(page: Any) -> Path:
        folder = Path(os.environ.get("UNJUDGED_SHOTS", tmp_path))
        folder.mkdir(parents=True, exist_ok=True)
        name = "".join(c if c.isalnum() else "_" for c in request.node.name)
        path = folder / f"{name}.png"
        page.screenshot(path=path, full_page=True)
        return path

    return take
