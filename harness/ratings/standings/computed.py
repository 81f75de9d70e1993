"""Keeps standings alive if one of their numbers cannot be computed: the number is left out, with the reason.

Enters: a function that computes a number, and a substitute. Leaves: one of the two, with the reason as a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def computed(what: str, compute: Callable[[], Found], instead: Found) -> tuple[Found, str]:
    """Return what `compute` returns and ""; or `instead` and the reason if the results have no such number.

    what: the number in words, with which the reason begins.

    Only arithmetic errors (including RatingError) are caught; all others are raised.
    """
    try:
        return compute(), ""
    except (ArithmeticError, ValueError) as error:  # numpy's LinAlgError and our RatingError are ValueErrors
        return instead, f"{what} could not be computed: {error}"
