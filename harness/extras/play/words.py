"""A person's choices and the table's actions in words: with suit symbols, or as sentences for a screen reader."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bowerbird.engine import Action
from bowerbird.harness.records.replay.words import action_parts

_VERBS = {
    "pass": "pass",
    "order": "order up",
    "call": "call",
    "bid": "bid",
    "lone": "bid alone",
    "discard": "discard",
    "alone": "go alone",
    "decline": "decline",
    "swap": "swap",
    "keep": "keep the hand",
    "show": "show",
    "take": "take it up",
    "exchange": "exchange",
    "defend": "defend alone",
    "ask": "ask",
    "give": "give",
    "claim": "claim",
    "dictate": "dictate",
    "stay": "stay in",
    "drop": "drop out",
    "partner": "choose",
    "lead": "let lead",
    "play": "play",
}

KEYS = {
    "hint": "?",
    "trick": "t",
    "last trick": "t",
    "score": "s",
    "log": "l",
    "rules": "v",
    "help": "h",
    "leave": "q",
    "quit": "q",
    "exit": "q",
    "resign": "q",
}
"""The words that a person can type at a decision, and their keys."""

LEAVING_KEYS = {"resign": "r", "leave": "l", "quit": "l", "exit": "l"}
"""The same when the game asks how to leave."""

NEXT_KEYS = {"again": "a", "same": "a", "new": "n", "hands": "o", "leave": "q", "quit": "q", "exit": "q"}
"""The same after a game."""

QUESTIONS = {
    "order up": "Order up the upcard's suit?",
    "name trump": "Name trump?",
    "discard": "Which card do you put away?",
    "play": "Which card do you play?",
    "stay": "Stay in?",
    "swap": "Swap hands?",
    "claim": "Claim the Jamboree?",
    "misdeal": "Claim a misdeal?",
    "go under": "Swap three low cards for those of the talon?",
    "show": "Which card do you show and put away?",
}
"""The question of a stage. Other stages use their names."""

_RANKS = {
    "A": "ace",
    "K": "king",
    "Q": "queen",
    "J": "jack",
    "T": "ten",
    "9": "nine",
    "8": "eight",
    "7": "seven",
    "6": "six",
    "5": "five",
    "4": "four",
    "3": "three",
    "2": "two",
}
_SUITS = {"♠": "spades", "♥": "hearts", "♦": "diamonds", "♣": "clubs"}
_LETTERS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}
_CARD = re.compile("([AKQJT98765432])([♠♥♦♣])")
_SUIT = re.compile("[♠♥♦♣]")


def choice(token: str, names: Sequence[str]) -> str:
    """Return a legal action in words, such as "order up, alone" or "play J♣". `names` are by seat."""
    action = Action(token)
    parts = action_parts(action, _VERBS[action.kind])
    if action.seat is not None:
        parts.append(f"seat {action.seat} ({names[action.seat]})")
    return " ".join(parts) + (f", {action.how}" if action.how else "")


def key_of(typed: str, keys: Mapping[str, str]) -> str:
    """Return the key that a person typed, directly or as its word (`keys`). Anything else is returned in lower case."""
    text = " ".join(typed.split()).casefold()
    return keys.get(text, text)


def question(stage: str) -> str:
    """Return the question of a stage."""
    return QUESTIONS.get(stage, f"{stage[:1].upper()}{stage[1:]}?")


def spoken(text: str) -> str:
    """Return a string with cards and suits in words, such as "jack of clubs"."""
    with_cards = _CARD.sub(lambda found: f"{_RANKS[found[1]]} of {_SUITS[found[2]]}", text.replace(" ·", ","))
    return _SUIT.sub(lambda found: _SUITS[found[0]], with_cards)


def lettered(text: str) -> str:
    """Return a string with suits as letters, for a terminal that cannot show their symbols."""
    plain = _SUIT.sub(lambda found: _LETTERS[found[0]], text)
    return plain.translate({ord("─"): "-", ord("·"): "|", ord("…"): "...", ord("▸"): ">", ord("▒"): "#", ord("–"): "-"})


def chosen(typed: str, legal: Sequence[str]) -> str:
    """Return the legal action that a person typed, or "" if it matches none or several.

    People can type its number from 1, its token (`order alone`), or just its card (`Jc`, `jc`, `J♣`, `10c`).
    """
    text = " ".join(_letters(typed).split()).casefold()
    if text.isdecimal():
        number = int(text)
        return legal[number - 1] if 1 <= number <= len(legal) else ""
    exact = [token for token in legal if token.casefold() == text]
    by_card = [token for token in legal if Action(token).card.casefold() in (text, text.replace("10", "t")) and text]
    by_words = [token for token in legal if _letters(choice(token, [""] * 10)).casefold() == text]
    for found in (exact, by_card, by_words):
        if len(found) == 1:
            return found[0]
    return ""


def _letters(text: str) -> str:
    return _SUIT.sub(lambda found: _LETTERS[found[0]], text)
