"""The hand limit of environments."""

from __future__ import annotations

from collections.abc import Mapping

MAX_HANDS = 100
"""The option max_hands of a game that does not set it, as in a tournament: a game of nothing but passes never ends."""


def with_hand_limit(options: Mapping[str, object] | None) -> dict[str, object]:
    """Return `options`, with `max_hands` at MAX_HANDS unless they set it."""
    return {"max_hands": MAX_HANDS, **(options or {})}
