"""The nearest match to a misspelt word, for error messages."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`, did you mean 'buck'?` for the known word that is nearest to `word`, or "" when none is near."""
    near = get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f", did you mean {near[0]!r}?" if near else ""


def listed(words: Iterable[str]) -> str:
    """The words quoted, with commas and a last "or": `'a', 'b' or 'c'`."""
    quoted = [repr(word) for word in words]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"
