"""How many rounds a Swiss tournament has, and can have."""

from __future__ import annotations


def most_rounds(bots: int) -> int:
    """How many rounds can always be paired without a repeated pair or bye, whatever the results: half the bots, up.

    After r rounds everybody has bots - 1 - r opponents left (one of them the bye, where the number is odd). As long as
    these are at least half of all there is a perfect matching (Dirac).
    """
    return max(1, (bots + 1) // 2)


def usual_rounds(bots: int) -> int:
    """As many rounds as halvings lead from all bots to one."""
    return min(most_rounds(bots), max(1, (bots - 1).bit_length()))
