"""Measures: one file per family, one decorated function per measure.

New files are discovered automatically.
`__init__.pyi` lists them for editors and type checkers; `make docs` writes it.
"""

from importlib import import_module
from os import scandir

from unjudged.measures.kernel.registry import MEASURES

# `pkgutil` takes as long to load as a family.
for _file in sorted(file.name for file in scandir(__path__[0])):
    if _file.endswith(".py") and _file != "__init__.py":
        import_module(f"{__name__}.{_file.removesuffix('.py')}")

globals().update(MEASURES)
__all__ = [*MEASURES]
