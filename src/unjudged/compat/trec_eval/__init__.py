"""A drop-in for the trec_eval program."""

from __future__ import annotations


class Stop(Exception):
    """Messages and exit code of trec_eval when something is wrong; `reason` is our own explanation."""

    def __init__(self, code: int, *messages: str, reason: str = "") -> None:
        super().__init__(*messages)
        self.code = code
        self.messages = messages
        self.reason = reason


def cannot_initialize(measure: str, *messages: str, reason: str = "") -> Stop:
    """Return the end of a program whose measure has parameters that make no sense."""
    return Stop(2, *messages, f"trec_eval: Cannot initialize measure '{measure}'", reason=reason)
