"""Masks secrets in everything that is shown, since endpoints and models may repeat the key in whole or in part."""

from __future__ import annotations

MASK = "[key]"

PIECE = 8
"""The length of the pieces of a secret that are masked, in characters.

A shorter secret is masked only where all of it occurs.
"""


class Mask:
    """A mask for secrets in texts. Empty secrets mask nothing."""

    def __init__(self, *secrets: str) -> None:
        """Store the secrets to be masked."""
        found = [secret for secret in secrets if secret]
        self._short = sorted((secret for secret in found if len(secret) < PIECE), key=len, reverse=True)
        self._pieces = frozenset(secret[at : at + PIECE] for secret in found for at in range(len(secret) - PIECE + 1))

    def __repr__(self) -> str:
        return "Mask(…)"

    def __call__(self, text: str) -> str:
        """Return the text with MASK in place of each secret and of each long piece of one."""
        for secret in self._short:
            text = text.replace(secret, MASK)
        if not self._pieces:
            return text
        parts: list[str] = []
        shown_from = hidden_to = 0
        for at in range(len(text) - PIECE + 1):
            if text[at : at + PIECE] in self._pieces:
                if at >= hidden_to:
                    parts += [text[shown_from:at], MASK]
                hidden_to = shown_from = at + PIECE
        return "".join((*parts, text[shown_from:]))


def one_line(text: str, limit: int) -> str:
    """Return foreign text as one printable line of at most `limit` characters. A string that is cut ends with "…"."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
