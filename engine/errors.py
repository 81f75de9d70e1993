"""The engine's errors, each with one sentence for people in `args[0]`.

It says what is wrong, where, and what is allowed, and for a mistyped name also the nearest match.
"""

from __future__ import annotations


class EngineError(ValueError):
    """A refusal by the engine; nothing was changed."""


class UnknownVariant(EngineError):  # noqa: N818 (a public name: bots catch it)
    """A name that no variant has."""


class InvalidOption(EngineError):  # noqa: N818 (a public name: bots catch it)
    """An option that does not exist, has a value that is not allowed, or conflicts with another option."""


class IllegalAction(EngineError):  # noqa: N818 (a public name: bots catch it)
    """An action that is not legal now; the game is unchanged."""


class RecordError(EngineError):
    """The given packs do not fit the game: one is missing, too short, or not a permutation."""
