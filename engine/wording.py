"""The wording of messages about unknown names and their nearest matches."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

NEAR = 0.5
"""The minimum similarity of two words for a suggestion (0 to 1, as measured by difflib)."""

FEW = 8
"""The largest number of names that a message lists in full."""

EXAMPLES = 3


def unknown(what: str, name: str, known: Iterable[str], near: float = NEAR) -> str:
    """Return the message for an unknown name, with the nearest known name or otherwise with the known names.

    >>> unknown("variant", "bukc", ["euchre", "buck"])
    "unknown variant 'bukc', did you mean 'buck'?"
    >>> unknown("variant", "whist", ["euchre", "buck"])
    "unknown variant 'whist'; known are 'euchre' and 'buck'"
    """
    names = list(known)
    return f"unknown {what} {name!r}{did_you_mean(name, names, near) or _there_are(names)}"


def did_you_mean(word: str, known: Iterable[str], near: float = NEAR) -> str:
    """Return `, did you mean 'buck'?` for the known word nearest to `word`, or "" if none is `near` enough."""
    found = get_close_matches(word, list(known), n=1, cutoff=near)
    return f", did you mean {found[0]!r}?" if found else ""


def listed(words: Iterable[str]) -> str:
    """Return `words` quoted, with commas and a final "or": `'a', 'b' or 'c'`."""
    quoted = [repr(word) for word in words]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural: "1 table", "8 tables"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def known_are(words: Iterable[str]) -> str:
    """Return `; known are 'a', 'b' and 'c'`, to follow an unknown name."""
    names = list(words)
    if not names:
        return ", there is none"
    if len(names) == 1:
        return f"; the only one is {names[0]!r}"
    return f"; known are {', '.join(map(repr, names[:-1]))} and {names[-1]!r}"


def _there_are(names: list[str]) -> str:
    if len(names) <= FEW:
        return known_are(names)
    return f", there are {len(names)}: {', '.join(map(repr, names[:EXAMPLES]))}, …"
