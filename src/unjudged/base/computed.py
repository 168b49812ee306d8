"""Properties that are computed once, without the lock of `functools.cached_property` before Python 3.12.

Taking the lock costs more than most arrays of a small ranking. Two threads may compute the same value twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as computed_once
else:

    class computed_once:  # noqa: N801 (it is used as a decorator)
        """A property that keeps its value among the attributes of the object."""

        def __init__(self, function: Callable[[Any], Any]) -> None:
            self.function, self.__doc__ = function, function.__doc__

        def __set_name__(self, _: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, _: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.function(instance)
            return value


__all__ = ["computed_once"]
