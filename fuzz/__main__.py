"""`python -m fuzz`: a campaign; `python -m fuzz --replay FILE ...`: the same checks on saved inputs."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from fuzz import campaign, replay
from fuzz.kinds import NAMES

parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
parser.add_argument(
    "kinds", nargs="*", metavar="KIND", help=f"one of {', '.join(NAMES)}; all of them if none is given"
)
parser.add_argument("--seconds", type=float, default=60.0, help="how long the campaign takes in all")
parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 2), help="processes at once")
parser.add_argument("--seed", type=int, default=0, help="another seed makes other inputs")
parser.add_argument(
    "--findings", type=Path, default=Path("build/fuzz/findings"), help="where inputs are saved"
)
parser.add_argument(
    "--replay", action="store_true", help="KIND is then a file in a folder that names its kind"
)

asked = parser.parse_args()
if asked.replay:
    results = replay.check([Path(name) for name in asked.kinds])
    for path, problem in results.items():
        print(f"{path}: {problem or 'ok'}")
    sys.exit(any(results.values()))
if unknown := set(asked.kinds) - set(NAMES):
    parser.error(f"no kind is called {', '.join(unknown)}; expected {', '.join(NAMES)}")
sys.exit(
    campaign.run(asked.kinds or list(NAMES), asked.seconds, asked.workers, asked.seed, asked.findings) > 0
)
