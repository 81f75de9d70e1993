"""What can go wrong on the other side of a bridge."""

from __future__ import annotations


class LateError(Exception):
    """The other side has not answered in time. The referee's clock decides what that costs."""


class EndedError(Exception):
    """The program has ended by itself. `status` is its exit status, or minus the number of the signal that killed it.

    The text is one sentence for people.
    """

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status
