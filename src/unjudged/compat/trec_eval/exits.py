"""How trec_eval ends when something is wrong."""

from __future__ import annotations


class Stop(Exception):
    """The messages and the exit code of trec_eval; `reason` is our own explanation."""

    def __init__(self, code: int, *messages: str, reason: str = "") -> None:
        super().__init__(*messages)
        self.code = code
        self.messages = messages
        self.reason = reason


def cannot_initialize(measure: str, *messages: str, reason: str = "") -> Stop:
    """The end of a program whose measure has parameters that make no sense."""
    return Stop(2, *messages, f"trec_eval: Cannot initialize measure '{measure}'", reason=reason)
