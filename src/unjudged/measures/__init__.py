"""Measures: one file per family, one decorated function per measure.

New files are discovered automatically.
`__init__.pyi` lists them for editors and type checkers; `make docs` writes it.
"""

from importlib import import_module
from pkgutil import iter_modules

from unjudged.measures.kernel.registry import MEASURES

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

globals().update(MEASURES)
__all__ = [*MEASURES]
