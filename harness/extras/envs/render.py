"""A table for people, as text of 80 columns or as a picture. Both show all cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bowerbird.engine import Game, counted

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

WIDTH = 720
ROW = 64
HEAD = 92
"""The size of the picture in pixels: its width, the height of a seat's row, and the height of the lines above."""

CARD = (38, 50)
"""The width and height of a card in pixels."""

FELT = (24, 92, 62)
DARK = (18, 70, 47)
LIGHT = (238, 242, 236)
PALE = (168, 200, 182)
PAPER = (252, 252, 248)
RED = (190, 30, 45)
BLACK = (28, 28, 32)
GOLD = (244, 196, 80)
BACK = (70, 100, 150)


def rendered(game: Game, mode: str) -> str | NDArray[np.uint8] | None:
    """Return the table as a picture ("rgb_array") or text ("ansi"); print it for any other mode."""
    if mode == "rgb_array":
        return image_of(game)
    text = text_of(game)
    if mode == "ansi":
        return text
    print(text)
    return None


def text_of(game: Game) -> str:
    """Return the table as lines of text."""
    lines = [_title(game), *_facts(game)]
    for seat in range(game.players):
        sign = ">" if seat == game.actor else " "
        cards = game.rules.pack.text(game.hands[seat])
        lines.append(f"{sign} seat {seat}  {_played(game, seat):<3} {' '.join(cards)}{_table_cards(game, seat)}")
    if game.is_over:
        lines.append(f"over ({game.ended}); won by {', '.join(f'seat {seat}' for seat in game.winners)}")
    return "\n".join(lines)


def _title(game: Game) -> str:
    scores = " ".join(map(str, game.scores))
    return f"{game.variant}, hand {game.hand_number}, dealer seat {game.dealer}; scores {scores}"


def _facts(game: Game) -> list[str]:
    """Return the known facts about the call, one per line."""
    code = game.rules.pack.code
    facts = []
    if game.upcard:
        facts.append(f"upcard {code[game.upcard]} {game.upcard_place}")
    if game.trump:
        maker = "without a maker" if game.maker is None else f"by seat {game.maker} {game.how}".rstrip()
        contract = f", contract {game.contract}" if game.contract else ""
        facts.append(f"trump {game.trump} {maker}{contract}")
    if game.actor is not None:
        facts.append(f"seat {game.actor} to decide: {game.stage}")
    facts.append(f"tricks {' '.join(map(str, game.tricks_won))}")
    return ["; ".join(facts)]


def _played(game: Game, seat: int) -> str:
    return dict(game.trick).get(seat, "")


def _table_cards(game: Game, seat: int) -> str:
    """Return a seat's cards on the table: those face up and the number of those face down."""
    laid = game.laid[seat] & ~game.hands[seat] if game.laid else 0
    covered = game.covered[seat] if game.covered else 0
    shown = f"  face up {' '.join(game.rules.pack.text(laid))}" if laid else ""
    return shown + (f"  face down {covered}" if covered else "")


def image_of(game: Game) -> NDArray[np.uint8]:
    """Return the table as a picture, an array of height, width and three colours.

    Raises:
        ImportError: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise ImportError("render_mode rgb_array needs Pillow: pip install 'bowerbird[rl]'") from error
    image = Image.new("RGB", (WIDTH, HEAD + ROW * game.players + 12), FELT)
    draw = ImageDraw.Draw(image)
    large, small = ImageFont.load_default(17), ImageFont.load_default(13)
    draw.text((16, 12), _title(game), LIGHT, large)
    draw.text((16, 38), _facts(game)[0], PALE, small)
    draw.text((118, 66), "trick", PALE, small)
    draw.text((180, 66), "hand", PALE, small)
    for seat in range(game.players):
        _draw_seat(draw, game, seat, HEAD + seat * ROW, (large, small))
    return np.asarray(image, dtype=np.uint8)


def _draw_seat(
    draw: ImageDraw, game: Game, seat: int, top: int, fonts: tuple[FreeTypeFont | ImageFont, FreeTypeFont | ImageFont]
) -> None:
    """Draw the row of a seat."""
    large, small = fonts
    draw.rounded_rectangle((10, top, WIDTH - 10, top + ROW - 6), 8, DARK)
    if seat == game.actor or (game.is_over and seat in game.winners):
        draw.rounded_rectangle((10, top, WIDTH - 10, top + ROW - 6), 8, outline=GOLD, width=2)
    draw.text((22, top + 9), f"seat {seat}", LIGHT, large)
    roles = [*(["dealer"] if seat == game.dealer else []), *(["maker"] if seat == game.maker else [])]
    draw.text((22, top + 34), ", ".join(roles) or counted(game.tricks_won[seat], "trick"), PALE, small)
    played = _played(game, seat)
    if played:
        _draw_card(draw, (118, top + 4), played, large)
    laid = game.laid[seat] & ~game.hands[seat] if game.laid else 0
    cards = [*game.rules.pack.text(game.hands[seat]), *game.rules.pack.text(laid)]
    step = min(CARD[0] + 4, (WIDTH - 40 - 180 - CARD[0]) // max(1, len(cards)))
    for place, code in enumerate(cards):
        _draw_card(draw, (180 + place * step, top + 4), code, large)


def _draw_card(draw: ImageDraw, corner: tuple[int, int], code: str, font: FreeTypeFont | ImageFont) -> None:
    """Draw a card with its rank and suit."""
    left, top = corner
    width, height = CARD
    draw.rounded_rectangle((left, top, left + width, top + height), 5, PAPER, (120, 130, 124))
    if code[0] == "X":
        draw.text((left + 6, top + 4), "joker"[0].upper(), BACK, font)
        draw.text((left + 6, top + 26), code[1], BACK, font)
        return
    rank, suit = code[0].replace("T", "10"), code[1]
    ink = RED if suit in "hd" else BLACK
    draw.text((left + 5, top + 2), rank, ink, font)
    _draw_suit(draw, left + 19, top + 35, suit, ink)


def _draw_suit(draw: ImageDraw, x: int, y: int, suit: str, ink: tuple[int, int, int]) -> None:
    """Draw the symbol of a suit with its centre at (x, y). Pillow's own fonts do not have these symbols."""
    if suit == "d":
        draw.polygon([(x, y - 10), (x + 8, y), (x, y + 10), (x - 8, y)], ink)
    elif suit == "h":
        draw.ellipse((x - 9, y - 8, x, y + 1), ink)
        draw.ellipse((x, y - 8, x + 9, y + 1), ink)
        draw.polygon([(x - 8, y - 1), (x + 8, y - 1), (x, y + 9)], ink)
    else:
        draw.polygon([(x, y), (x + 4, y + 10), (x - 4, y + 10)], ink)
        if suit == "s":
            draw.polygon([(x, y - 10), (x + 9, y + 1), (x - 9, y + 1)], ink)
            draw.ellipse((x - 9, y - 3, x, y + 6), ink)
            draw.ellipse((x, y - 3, x + 9, y + 6), ink)
        else:
            draw.ellipse((x - 4, y - 10, x + 4, y - 2), ink)
            draw.ellipse((x - 9, y - 3, x - 1, y + 5), ink)
            draw.ellipse((x + 1, y - 3, x + 9, y + 5), ink)
