"""The lines that a person reads in a terminal: the events, the table, the choices, the end.

Every line fits the width. Text has suit symbols and colours, depending on what the terminal can show (`Look`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.marks import lessons_of
from bowerbird.harness.extras.play.person_game import FinishedHand, OpenDecision, PersonGame
from bowerbird.harness.extras.play.words import choice, lettered, question, spoken
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.replay.frames import Frame
from bowerbird.harness.records.replay.words import SIGNS, bid_in_words, card_sign

if TYPE_CHECKING:
    from bowerbird.harness.report.marks import Lesson

NARROWEST = 20

HELP = (
    "Type the number of your choice, or a card such as Jc, and press Enter.",
    "?  ask the bot of --hint        t  the last trick        s  the score",
    "l  what happened in this hand   v  the rules             q  leave the game",
    "You can also type the words: hint, trick, score, log, rules, leave.",
)
PLAIN_HELP = (
    "Type the number of your choice, or a card such as J c, and press Enter.",
    "Question mark: ask the bot of the option hint. t: the last trick. s: the score. l: what happened in this hand. "
    "v: the rules. q: leave the game. You can also type the words: hint, trick, score, log, rules, leave.",
)


@dataclass(frozen=True, slots=True)
class Look:
    """What the terminal can show: the columns, colours, suit symbols. `plain` is for sentences without drawing."""

    width: int = 80
    colours: bool = False
    signs: bool = True
    plain: bool = False

    def lines(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield texts as lines that fit. A continuation line is indented by two more columns."""
        for text in texts:
            said = spoken(text) if self.plain else text if self.signs else lettered(text)
            indent = " " * (len(said) - len(said.lstrip()) + 2)
            width = max(NARROWEST, self.width)
            wrapped = textwrap.wrap(
                said, width, subsequent_indent=indent, break_on_hyphens=False, replace_whitespace=False
            ) or [""]
            yield from map(self._coloured, wrapped) if self.colours else wrapped

    def _coloured(self, line: str) -> str:
        for sign in "♥♦":
            for card in [f"{rank}{sign}" for rank in "AKQJT98765432"]:
                line = line.replace(card, click.style(card, fg="red"))
        if line.startswith("──"):
            return click.style(line, bold=True)
        return line

    def heading(self, text: str) -> str:
        """Return a heading: a rule across the screen, or only the text."""
        if self.plain:
            return text
        return f"── {text} ".ljust(max(NARROWEST, self.width), "─")


def opening(game: PersonGame, look: Look) -> list[str]:
    """Return the text before the first hand."""
    others = [seat for seat in range(len(game.names)) if seat not in (game.seat, *game.partners)]
    against = f"Against you: {', '.join(map(game.name, others))}."
    if game.partners:
        against = f"With you: {', '.join(map(game.name, game.partners))}. {against}"
    return ["", look.heading(game.title), f"You have seat {game.seat}.", against, "Type h for help."]


def happened(game: PersonGame, frames: Sequence[Frame], look: Look) -> list[str]:
    """Return the lines of frames: one for each finished trick, and one for each other step.

    The table shows the cards of an unfinished trick (`position`).
    """
    lines: list[str] = []
    for frame in frames:
        if frame.kind == "deal":
            lines += ["", look.heading(renamed(game, frame.said))]
        elif frame.kind == "end":
            lines += ["", renamed(game, frame.said) + "."]
        elif frame.winner is not None:
            lines.append(
                f"  {cards_of(game, frame.trick, look)} {_dash(look)} {game.name(frame.winner)} {_takes(game, frame)}"
            )
        elif frame.said and not frame.token.startswith("play"):
            note = "  (no choice)" if frame.forced else "  (by the referee)" if frame.substituted else ""
            lines.append(f"  {said(game, frame)}{note}")
    return lines


def cards_of(game: PersonGame, trick: Sequence[tuple[int, str]], look: Look) -> str:
    """Return the cards of a trick with the seats that played them."""
    return (", " if look.plain else "   ").join(f"{game.name(seat)} {card_sign(card)}" for seat, card in trick)


def _dash(look: Look) -> str:
    return ";" if look.plain else " –"


def _takes(game: PersonGame, frame: Frame) -> str:
    return "take it" if frame.winner == game.seat else "takes it"


def said(game: PersonGame, frame: Frame) -> str:
    """Return a step in words: "greedy (1) passes", "you pass"."""
    text = renamed(game, frame.said)
    if frame.seat != game.seat or not frame.token:
        return text
    _, semicolon, rest = text.partition(";")
    return f"you {choice(frame.token, game.names)}{semicolon}{rest}"


def renamed(game: PersonGame, said: str) -> str:
    """Return a frame's text with short names."""
    text = shown(said)
    for seat, name in enumerate(game.names):
        text = text.replace(f"seat {seat} ({name})", game.name(seat))
    return text.replace("you deals", "you deal").replace("you takes", "you take")


def position(game: PersonGame, decision: OpenDecision, look: Look) -> list[str]:
    """Return the table as the person sees it, and the choices."""
    view = decision.view
    lines = ["", *_terms(game, decision)]
    lines += _open_cards(game, decision)
    if view.trick:
        cards = cards_of(game, view.trick, look)
        lines.append(f"On the table: {cards}." if look.plain else f"  table  {cards}")
    hand = [card_sign(card) for card in view.hand]
    lines.append(f"  hand   {'  '.join(hand)}" if not look.plain else f"Your hand: {', '.join(hand)}.")
    lines.append("")
    lines.append(question(view.stage))
    lines += choices(game, decision, look)
    return lines


def _terms(game: PersonGame, decision: OpenDecision) -> list[str]:
    """Return trump, maker, contract and tricks, and the face-up cards on the table."""
    view = decision.view
    parts = []
    if view.trump:
        by = "" if view.maker is None else f", {'you make it' if view.maker == game.seat else game.name(view.maker)}"
        parts.append(f"trump {SIGNS[view.trump]}{by}{f' {view.how}' if view.how else ''}")
    elif view.upcard:
        parts.append(f"upcard {card_sign(view.upcard)} {'turned down' if view.upcard_place == 'down' else 'turned up'}")
    if view.contract:
        parts.append(f"contract {view.contract}")
    elif view.highest_bid and view.highest_bidder is not None and not view.trump:
        bid = bid_in_words(view.history, view.highest_bid)
        parts.append(f"highest bid {bid} by {game.name(view.highest_bidder)}")
    if view.lone_defender is not None:
        parts.append(f"{game.name(view.lone_defender)} defends alone")
    if any(view.tricks_won):
        won = ", ".join(f"{game.name(seat)} {count}" for seat, count in enumerate(view.tricks_won) if count)
        parts.append(f"tricks: {won}")
    if view.trump and len(view.active) < len(game.names):
        out = [game.name(seat) for seat in range(len(game.names)) if seat not in view.active]
        parts.append(f"out: {', '.join(out)}")
    parts += [f"{name} {value}" for name, value in view.extra if not name.startswith("columns")]
    return ["  " + " · ".join(parts)] if parts else []


def _open_cards(game: PersonGame, decision: OpenDecision) -> list[str]:
    view = decision.view
    lines = []
    for seat in range(len(game.names)):
        laid = view.laid[seat] if view.laid else ()
        covered = view.covered[seat] if view.covered else 0
        if laid or covered:
            cards = "  ".join(map(card_sign, laid))
            below = f"{' ' if cards else ''}+ {covered} face down" if covered else ""
            lines.append(f"  before {game.name(seat)}: {cards}{below}")
    put_away = [card for memory in view.memory if memory.what in ("discarded", "gave") for card in memory.cards]
    if put_away:
        lines.append(f"  you put away: {'  '.join(map(card_sign, put_away))}")
    return lines


def choices(game: PersonGame, decision: OpenDecision, look: Look) -> list[str]:
    """Return the numbered choices, in as few lines as the width allows."""
    words = [choice(token, game.names) for token in decision.legal]
    if len({word.split()[0] for word in words}) == 1 and decision.view.legal[0].card:
        words = [word.split(" ", 1)[1] for word in words]
    numbered = [f"{number} {word}" for number, word in enumerate(words, 1)]
    if look.plain:
        return [f"{number}: {spoken(word)}." for number, word in enumerate(words, 1)]
    lines, line = [], ""
    for one in numbered:
        if line and len(line) + 3 + len(one) > max(NARROWEST, look.width):
            lines.append(line)
            line = ""
        line += f"   {one}" if line else f"  {one}"
    return [*lines, line]


def score(game: PersonGame) -> str:
    """Return the score in one line."""
    if game.sides is None:
        parts = [f"{game.name(seat)} {points}" for seat, points in enumerate(game.scores)]
    else:
        parts = []
        for side in sorted(game.sides, key=lambda side: game.seat not in side):
            parts.append(f"{'your side' if game.seat in side else 'their side'} {game.scores[side[0]]}")
    games = f" · games {', '.join(map(str, game.games))} (by seat)" if any(game.games) else ""
    fewer = ", fewer is better" if game.rules.better == "low" else ""
    return f"Score: {', '.join(parts)}{games}{fewer}"


def last_trick(game: PersonGame, look: Look) -> str:
    """Return the last finished trick of the hand, in one line."""
    trick = game.last_trick
    if trick is None:
        return "No trick is finished in this hand."
    return f"Last trick: {cards_of(game, trick.cards, look)}; taken by {game.name(trick.winner)}"


def turned_over(game: PersonGame, hand: FinishedHand) -> list[str]:
    """Return the lines of a finished hand's cards: all hands as dealt, and the cards put away."""
    rows = turned_rows(game, hand)
    width = max(14, *(len(name) for name, _ in rows))
    return ["  The hands, turned over:", *(f"    {name:<{width}} {cards}" for name, cards in rows)]


def turned_rows(game: PersonGame, hand: FinishedHand) -> list[tuple[str, str]]:
    """Return (name, cards) of each seat and each pile of a finished hand."""
    first, last = hand.frames[0], hand.frames[-1]
    rows = []
    for seat, (dealt, end) in enumerate(zip(first.seats, last.seats, strict=True)):
        cards = " ".join(map(card_sign, (*dealt.cards, *dealt.laid)))
        away = f"   put away {' '.join(map(card_sign, end.put_away))}" if end.put_away else ""
        rows.append((game.name(seat), f"{cards}{away}"))
    rows += [(pile.name, " ".join(map(card_sign, pile.cards))) for pile in first.piles]
    return rows


MOST_LESSONS = 3
"""The maximum number of a hand's mistakes that the terminal shows."""

SLIGHT = 0.02
"""An uncertain cost below this, in points of the hand, is not mentioned."""

NO_MISTAKES = "Champion finds no mistakes in your play of this hand."


def lessons(game: PersonGame, hand: FinishedHand) -> list[str]:
    """Return the person's mistakes in a finished hand, or [] if they cannot be assessed. Takes a while."""
    found = lessons_of(game.variant, game.setup.resolved, hand.steps, game.seat)
    if found is None:
        return []
    mistakes = sorted((one for one in found if one.is_mistake), key=lambda one: -one.least)
    if not mistakes:
        return [NO_MISTAKES]
    return [
        "What champion would have done differently, in points for the hand:",
        *(
            f"  {_decided(game, hand, one)}, better {choice(one.better, game.names)}: {_cost(one)}"
            for one in mistakes[:MOST_LESSONS]
        ),
    ]


def lesson_rows(game: PersonGame, hand: FinishedHand) -> list[dict[str, object]] | None:
    """Return the page's data on each of the person's decisions, or None if they cannot be assessed. Takes a while.

    Each has `words`; `mark`, how good it was; `cost`, whether it certainly cost something; and `choices`, best first,
    each with its words, its value, the length of its bar in percent, and whether it was chosen.
    """
    found = lessons_of(game.variant, game.setup.resolved, hand.steps, game.seat)
    if found is None:
        return None
    return [
        {
            "words": _decided(game, hand, one),
            "mark": f"{_sign(one)} {_verdict(game, one)}",
            "cost": one.is_mistake,
            "choices": [
                (choice(token, game.names), worth, round(100 * share), token == one.token)
                for token, worth, share in sorted(one.values, key=lambda value: -value[2])
            ],
        }
        for one in found
    ]


def _decided(game: PersonGame, hand: FinishedHand, one: Lesson) -> str:
    step = hand.steps[one.action]
    place = f"trick {len(step.before.tricks) + 1}: " if step.action.kind == "play" else ""
    return f"{place}{choice(one.token, game.names)}"


def _is_as_good(one: Lesson) -> bool:
    return one.token == one.better or one.points < SLIGHT


def _sign(one: Lesson) -> str:
    return "✗" if one.is_mistake else "✓" if _is_as_good(one) else "?"


def _verdict(game: PersonGame, one: Lesson) -> str:
    """Return how good a decision was."""
    if one.token == one.better:
        return "as champion would"
    if not one.is_mistake:
        return "about as good" if _is_as_good(one) else f"may have cost {one.points:.2f}"
    return f"cost {_cost(one)}; better {choice(one.better, game.names)}"


def _cost(one: Lesson) -> str:
    return f"{one.points:.2f} ±{one.reach:.2f}"


def result(game: PersonGame, ranks: Sequence[int], ended: str, faults: Sequence[tuple[int, str, str]]) -> list[str]:
    """Return how the game ended."""
    lines = []
    for seat, kind, detail in faults:
        lines.append(f"{game.name(seat)}: {kind}{f', {shown(detail, 200)}' if detail else ''}")
    if ranks:
        first = [game.name(seat) for seat, rank in enumerate(ranks) if rank == 1]
        own = "You win" if ranks[game.seat] == 1 else f"You do not win; you finish in place {ranks[game.seat]}"
        lines.append(f"{own}. Winner: {', '.join(first)} ({ended}). {score(game)}.")
    return lines
