"""What is made when it is first used: public names of a package, and properties of an object."""

from __future__ import annotations

import sys
from importlib import import_module

__all__ = ["LazyNames", "computed_once"]

TYPE_CHECKING = False  # without importing `typing`, which takes longer than all else here

if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import cached_property as computed_once
    from typing import Any


class LazyNames:
    """Names by the module that defines them: `"module": "name name name=other.attribute"`.

    `__init__.pyi` of the package lists the same for editors and type checkers; `make docs` writes it.

    >>> names = LazyNames("unjudged.base", {"wording": "percent share=percent"})
    >>> names.all, names.get("share")(0.5)
    (['percent', 'share'], '50 %')
    """

    def __init__(self, package: str, modules: dict[str, str]) -> None:
        self.package = package
        self.places = {
            name: (module, attribute or name)
            for module, names in modules.items()
            for name, _, attribute in (word.partition("=") for word in names.split())
        }
        self.all = sorted(self.places)

    def get(self, name: str) -> Any:
        """Import a name and keep it in its package."""
        if name not in self.places:
            raise AttributeError(f"module {self.package!r} has no attribute {name!r}")
        module, attribute = self.places[name]
        value: Any = import_module(f"{self.package}.{module}")
        for part in attribute.split("."):
            value = getattr(value, part)
        setattr(sys.modules[self.package], name, value)
        return value

    def listed(self) -> list[str]:
        """Return what `dir` shows of the package: its names, imported or not."""
        return sorted({*vars(sys.modules[self.package]), *self.all})


if not TYPE_CHECKING:

    class computed_once:  # noqa: N801 (it is used as a decorator)
        """A property that keeps its value among the attributes of the object.

        Unlike `functools.cached_property` before Python 3.12 it takes no lock, which costs more than most
        arrays of a small ranking. Two threads may compute the same value twice.
        """

        def __init__(self, function: Callable[[Any], Any]) -> None:
            self.function, self.__doc__ = function, function.__doc__

        def __set_name__(self, _: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, _: type | None = None) -> Any:
            if instance is None:
                return self
            value = self.function(instance)
            object.__setattr__(instance, self.name, value)  # asking for `__dict__` makes every attribute slow
            return value
