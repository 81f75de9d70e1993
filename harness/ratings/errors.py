"""What a rating refuses to say, and why."""

from __future__ import annotations

from collections.abc import Sequence


class RatingError(ValueError):
    """Results from which no rating can be had; `args[0]` is one sentence for people."""


class UnconnectedError(RatingError):
    """Groups of bots that never met, so that nothing compares them (RATINGS.md, Ratings kept, 2).

    `groups` are their names, each group and the groups sorted.
    """

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        """Between these groups no rated game was played."""
        listed = " | ".join(", ".join(group) for group in groups)
        super().__init__(
            f"these groups of bots never met, so their ratings cannot be compared: {listed}; "
            "let a bot of each play one of the others"
        )
        self.groups = tuple(tuple(group) for group in groups)
