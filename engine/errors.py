"""Everything that the engine refuses, each in one sentence for people.

`args[0]` is that sentence: what was wrong, where, what is allowed, and the nearest match where a name was mistyped.
"""

from __future__ import annotations


class EngineError(ValueError):
    """The engine refused something; nothing was changed."""


class UnknownVariant(EngineError):  # noqa: N818 (the public name, ARCHITECTURE.md)
    """No variant has this name."""


class InvalidOption(EngineError):  # noqa: N818 (the public name, ARCHITECTURE.md)
    """An option does not exist, has a value that is not allowed, or does not go with another one."""


class IllegalAction(EngineError):  # noqa: N818 (the public name, ARCHITECTURE.md)
    """This action may not be made now; the game is as it was."""


class RecordError(EngineError):
    """Packs that were given do not fit the game: one is missing, too short, or not a permutation."""
