"""The hand limit of environments."""

from __future__ import annotations

from collections.abc import Mapping

MAX_HANDS = 100
"""The default of the option max_hands, as in a tournament. Without it, a game with only passes would never end."""


def with_hand_limit(options: Mapping[str, object] | None) -> dict[str, object]:
    """Return `options` with `max_hands` set to MAX_HANDS unless they set it."""
    return {"max_hands": MAX_HANDS, **(options or {})}
