"""The engine's errors, each with a one-sentence message in `args[0]`.

The message explains what is wrong, where, and what is allowed. For a mistyped name it also suggests the nearest match.
"""

from __future__ import annotations


class EngineError(ValueError):
    """An error raised by the engine; nothing was changed."""


class UnknownVariant(EngineError):  # noqa: N818 (a public name: bots catch it)
    """A name that does not belong to any variant."""


class InvalidOption(EngineError):  # noqa: N818 (a public name: bots catch it)
    """An option that does not exist, has a value that is not allowed, or conflicts with another option."""


class IllegalAction(EngineError):  # noqa: N818 (a public name: bots catch it)
    """An action that is not legal now; the game is unchanged."""


class RecordError(EngineError):
    """Packs that do not fit the game: one is missing, too short, or not a permutation."""
