"""How fast pages are made and opened: `python benchmarks/page_speed.py FOLDER` prints a row per page.

FOLDER holds TREC-8's qrels.trec8.gz and runs/. Pages open in Chromium by Playwright (`make test-browser`
installs both); without them only the making is measured.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHROMIUM = os.environ.get("UNJUDGED_CHROMIUM", "/usr/bin/chromium")
PAINT = "performance.getEntriesByName('first-contentful-paint').map(entry => entry.startTime)[0] ?? null"
JUDGE = """() => {
    const start = performance.now();
    for (let i = 0; i < 200; i += 1) document.dispatchEvent(new KeyboardEvent("keydown", { key: "1" }));
    return (performance.now() - start) / 200;
}"""


def made(*command: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "unjudged", *command], check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def judging_task(folder: Path) -> tuple[str, str]:
    """20,000 documents of 3,000 characters each, of 40 queries."""
    task, texts = folder / "large.qrels", folder / "large.tsv"
    task.write_text("".join(f"{n // 500} 0 doc{n} -1\n" for n in range(20_000)))
    texts.write_text("".join(f"doc{n}\t{'some words of a document ' * 120}{n}\n" for n in range(20_000)))
    return str(task), str(texts)


def opened(report: Path, judging: Path) -> tuple[str, str]:
    """What Chromium measures on both pages, in words."""
    if importlib.util.find_spec("playwright") is None or not Path(CHROMIUM).exists():
        return "not opened", "not opened"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(report.as_uri())
        page.wait_for_selector("html[data-ready]")
        ready = f"interactive after {page.evaluate('performance.now()') / 1000:.1f} s"
        page.goto(judging.as_uri())
        page.wait_for_selector("html[data-ready]")
        paint = None
        while paint is None:
            page.wait_for_timeout(50)
            paint = page.evaluate(PAINT)
        grade = page.evaluate(JUDGE)
        browser.close()
    return ready, f"first paint after {paint / 1000:.2f} s, {grade:.1f} ms per grade"


def rows(data: Path, folder: Path) -> list[str]:
    """The table, line by line."""
    report, judging = folder / "report.html", folder / "judge.html"
    runs = sorted(map(str, (data / "runs").iterdir()))
    first = made("report", str(data / "qrels.trec8.gz"), *runs, "-o", str(report))
    task, texts = judging_task(folder)
    second = made("judge", task, "--documents", texts, "-o", str(judging))
    words = opened(report, judging)
    head = ["| page | s to make | MB | in Chromium |", "|---|---:|---:|---|"]
    sizes = [path.stat().st_size / 1e6 for path in (report, judging)]
    names = [f"report of {len(runs)} TREC-8 runs, 3 measures", "judging 20,000 documents"]
    costs = zip(names, (first, second), sizes, words, strict=True)
    return [*head, *(f"| {name} | {s:.1f} | {size:.2f} | {said} |" for name, s, size, said in costs)]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(rows(Path(sys.argv[1]), Path(folder))))
