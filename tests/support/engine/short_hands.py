"""Hands of five cards in which the leader takes exactly `tricks` tricks with any legal cards.

Spades are trump, 9s is the upcard, and the dealer holds DEALER, takes 9s and discards Qh.
"""

from __future__ import annotations

DEALER = "Ah Kh Qh Ad Kd"
_HIGH_TRUMPS = ["Js", "Jc", "As", "Ks", "Qs"]
_LOSERS = ["9d", "Td", "Qd", "9c", "Tc"]


def taking(tricks: int) -> str:
    """Return the `tricks` highest trumps, filled up with losers."""
    return " ".join([*_HIGH_TRUMPS[:tricks], *_LOSERS[: 5 - tricks]])
