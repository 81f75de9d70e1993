"""Tokens of remote bots that hold for many runs, as a run knows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FoundToken:
    """A token that was given to the bot `name`; `refusal` is the sentence that says why it works no longer, if so."""

    name: str
    refusal: str = ""


class StandingTokens(Protocol):
    """Tokens that hold for many runs, also those of bots that do not play in this one."""

    def tokens(self, name: str) -> tuple[str, ...]:
        """Return the tokens of a bot; none if it is not invited."""

    def find(self, token: str) -> FoundToken | None:
        """Return whose token this is; None if it is nobody's. Called from any thread."""
