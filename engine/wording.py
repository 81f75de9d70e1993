"""How a sentence says that a name does not exist, and which one may have been meant: one wording for all."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

NEAR = 0.5
"""How alike two words must be for one to be taken for the other (0 to 1, as difflib measures)."""

FEW = 8
"""As many names as are listed in full."""

EXAMPLES = 3


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """`unknown variant 'bukc', did you mean 'buck'?`; with what there is where no name is near."""
    names = list(known)
    return f"unknown {what} {name!r}{did_you_mean(name, names) or _there_are(names)}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`, did you mean 'buck'?` for the known word that is nearest to `word`, or "" when none is near."""
    near = get_close_matches(word, list(known), n=1, cutoff=NEAR)
    return f", did you mean {near[0]!r}?" if near else ""


def listed(words: Iterable[str]) -> str:
    """The words quoted, with commas and a last "or": `'a', 'b' or 'c'`."""
    quoted = [repr(word) for word in words]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _there_are(names: list[str]) -> str:
    if not names:
        return ", there is none"
    if len(names) <= FEW:
        return f", {listed(names)} is allowed"
    return f", there are {len(names)}: {', '.join(map(repr, names[:EXAMPLES]))}, …"
