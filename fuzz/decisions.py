"""Bytes as a stream of decisions, so that data structures can be mutated, saved and replayed as bytes are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Decisions:
    """Each decision takes the next byte; after the last byte every decision is the first option."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def below(self, limit: int) -> int:
        """A whole number from 0 to `limit` - 1; `limit` is at most 256."""
        byte = self.data[self.at] if self.at < len(self.data) else 0
        self.at += 1
        return byte % limit

    def choose(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def rarely(self, one_in: int) -> bool:
        return self.below(one_in) == one_in - 1
