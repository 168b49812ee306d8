"""A stranger's trial: the pages in an empty environment with the built wheel, compared with what they show.

    python scripts/trial.py WHEEL

Every command of a page runs as the page gives it, in a new folder per page, `pip install "$UNJUDGED"` among
them: UNJUDGED is the wheel. The pages share one virtual environment.
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
import time
import venv
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from sessions import PAGES, replayed

DOCS = Path(__file__).parent.parent / "docs"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path)
    wheel = parser.parse_args().wheel.resolve()
    with TemporaryDirectory() as folder:
        environment = Path(folder) / "environment"
        venv.create(environment, with_pip=True)
        os.environ["UNJUDGED"] = str(wheel)
        os.environ["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
        for name in PAGES:
            follow(name, Path(folder), environment / "bin")
        check_installed(wheel, environment)


def follow(name: str, folder: Path, programs: Path) -> None:
    """Follow a page; stop if anything differs from what it shows."""
    page = (DOCS / name).read_text()
    work = folder / Path(name).stem
    work.mkdir()
    start = time.monotonic()
    found = replayed(page, work, programs, install=True)
    if found != page:
        lines = difflib.unified_diff(page.splitlines(), found.splitlines(), name, "as it is now", lineterm="")
        sys.exit("\n".join([*lines, "run `make docs`"]))
    sys.stdout.write(f"{name}: as it says, {time.monotonic() - start:.0f} s\n")


def check_installed(wheel: Path, environment: Path) -> None:
    """Stop if a release of the same name was installed instead of the wheel."""
    (packages,) = environment.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as files:
        for name in files.namelist():
            if not name.endswith("/RECORD") and (packages / name).read_bytes() != files.read(name):
                sys.exit(f"another unjudged was installed: {name} differs")


if __name__ == "__main__":
    main()
