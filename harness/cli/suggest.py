"""The sentence about a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """`unknown command 'stadings', did you mean 'standings'?`, or with all that are known where none is near."""
    names = list(known)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    if near:
        return f"unknown {what} {name!r}, did you mean {near[0]!r}?"
    return f"unknown {what} {name!r}; there are {', '.join(names)}"
