"""The sentence about a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """`unknown command 'stadings', did you mean 'standings'?`, or with all that are known where none is near."""
    from harness.tournament.suggest import did_you_mean

    names = list(known)
    return f"unknown {what} {name!r}" + (did_you_mean(name, names) or f"; there are {', '.join(names)}")
