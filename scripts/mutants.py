"""Changes one place of the code at a time, and sees whether a test fails.

    python scripts/mutants.py src/unjudged/evidence/value_bounds.py tests/evidence -n 20 --seed 1

In a mutant one comparison, sign, number, truth value, `and`, `not`, or pair of `min` and `max` is another.
Tests that are named like the changed module run first, then the whole folder, until one fails. A survivor,
which none notices, takes the time of all of them, so a random sample of places is tried.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parent.parent
PAIRS = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
    *((ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.And, ast.Or), (ast.BitAnd, ast.BitOr)),
    *(("min", "max"), ("minimum", "maximum"), ("any", "all"), ("fmin", "fmax"), ("ones", "zeros")),
)
OTHER: dict[Any, Any] = {**dict(PAIRS), **{second: first for first, second in PAIRS}}
LONGEST = 600
"""Seconds that the tests of a mutant may take."""


class Mutant(NamedTuple):
    """A changed module: the file and line, what was there, what is there now, and the whole text."""

    file: Path
    line: int
    before: str
    after: str
    text: str


def mutants_of(file: Path) -> Iterator[Mutant]:
    """Yield a mutant for every place of a module that can be changed."""
    text = file.read_text(encoding="utf-8")
    for place in range(sum(1 for _ in ast.walk(ast.parse(text)))):
        tree = ast.parse(text)
        node = next(one for number, one in enumerate(ast.walk(tree)) if number == place)
        before = ast.unparse(node)
        if changed(node):
            line = getattr(node, "lineno", 0)
            yield Mutant(file, line, before, ast.unparse(node), ast.unparse(tree))


def changed(node: Any) -> bool:
    """Change a node in place; False if it has nothing to change."""
    match node:
        case ast.Compare(ops=[one, *_]) if type(one) in OTHER:
            node.ops[0] = OTHER[type(one)]()
        case ast.BinOp(op=one) | ast.BoolOp(op=one) if type(one) in OTHER:
            node.op = OTHER[type(one)]()
        case ast.UnaryOp(op=ast.USub()):
            node.op = ast.UAdd()
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            node.operand = ast.UnaryOp(ast.Not(), operand)
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value) | float(value)):
            node.value = value + 1
        case ast.Attribute(attr=name) if name in OTHER:
            node.attr = OTHER[name]
        case ast.Name(id=name) if name in OTHER:
            node.id = OTHER[name]
        case _:
            return False
    return True


def is_noticed(mutant: Mutant, tests: Path) -> bool:
    """Whether a test fails with the mutant in place of its module."""
    named = [file for file in sorted(tests.glob("test_*.py")) if mutant.file.stem in file.stem]
    with TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "src", f"{folder}/src")
        (Path(folder) / mutant.file.relative_to(ROOT)).write_text(mutant.text, encoding="utf-8")
        words = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *map(str, [*named, tests])]
        own = {"PYTHONPATH": f"{folder}/src", "UNJUDGED_FEWER_EXAMPLES": "5", "OPENBLAS_NUM_THREADS": "1"}
        try:
            done = subprocess.run(  # noqa: S603
                words, cwd=ROOT, env={**os.environ, **own}, capture_output=True, timeout=LONGEST, check=False
            )
        except subprocess.TimeoutExpired:
            return True
        return done.returncode != 0


def main() -> None:
    """Try some mutants, and list them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("source", type=Path, help="a module, or a folder of modules")
    parser.add_argument("tests", type=Path, help="a folder of tests")
    parser.add_argument("-n", type=int, default=20, help="how many places")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    source = given.source.resolve()
    files = [source] if source.is_file() else sorted(source.rglob("*.py"))
    every = [mutant for file in files for mutant in mutants_of(file)]
    chosen = np.random.default_rng(given.seed).permutation(len(every))[: given.n].tolist()
    if is_noticed(Mutant(files[0], 0, "", "", files[0].read_text(encoding="utf-8")), given.tests.resolve()):
        sys.exit("the tests fail without a mutant")
    survived = 0
    for mutant in (every[k] for k in chosen):
        noticed = is_noticed(mutant, given.tests.resolve())
        survived += not noticed
        where = f"{mutant.file.relative_to(ROOT)}:{mutant.line}"
        how = "noticed " if noticed else "SURVIVED"
        sys.stdout.write(f"{how} {where}: {mutant.before} -> {mutant.after}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{survived} of {len(chosen)} survived; there are {len(every)} places\n")


if __name__ == "__main__":
    main()
