"""The functions of EGN for the commands.

Imported files are kept in the folder `egn` beside the database. They are not records, since nobody committed to their
cards and no clock ran. They stay outside the database so that nothing rates or verifies them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bowerbird.engine import counted
from bowerbird.harness.extras.egn.errors import EgnError
from bowerbird.harness.extras.egn.fields import parse, says
from bowerbird.harness.extras.egn.game import FILE_TYPE, ORDER, PASS, SEATS, is_known
from bowerbird.harness.extras.egn.judge import HAND, JudgedGame, PlayedDeal, PlayedTrick, judged
from bowerbird.harness.extras.egn.whole import record_of
from bowerbird.harness.extras.egn.writer import egn_of
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.notation import ForeignGame
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.atomic_file import replacing
from bowerbird.harness.records.text.bounded_file import read_bounded

FOLDER = "egn"
SUFFIX = ".egn"
MAX_BYTES = 1 << 22
_ID = re.compile(r"egn/([0-9a-f]{16})")


REMARK = "a game in EGN, from elsewhere: no clock of ours ran, and nobody committed to its cards"

written = egn_of


def read_file(path: Path) -> ForeignGame:
    """Read and judge a file. Raises EgnError with the path, StoreError if the file is too long, OSError."""
    try:
        return game_of(read_bounded(path, MAX_BYTES, "game in EGN"))
    except EgnError as error:
        raise EgnError(f"{shown(str(path))}: {error}") from None


def game_of(data: bytes) -> ForeignGame:
    """Return the game in the bytes of a file, judged. Raises EgnError."""
    digest = hashlib.sha256(data).hexdigest()
    name = f"{FOLDER}/{digest[:16]}"
    game = judged(parse(data))
    record = record_of(game, name, digest) if game.is_whole else None
    ignored = ((game.game.comments, "comment"), (game.game.lines, "alternative line"))
    unshown = tuple(counted(number, what) for number, what in ignored if number)
    return ForeignGame(name, data, record, game.missing, len(game.deals), REMARK, unshown, partial(lines_of, game))


def begins(beginning: bytes) -> bool:
    """Return whether a file that begins with these bytes is one game in EGN."""
    return says(beginning, FILE_TYPE)


def keep(game: ForeignGame, db: Path) -> bool:
    """Keep the file of a game beside the database. Return whether it is new. Raises OSError."""
    path = _path(game.id, db)
    if path.is_file():
        return False
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as kept:
        kept.write(game.data)
    return True


def found(ref: str, db: Path) -> Path | None:
    """Return the file that `ref` names (a path that ends in .egn, or the id of a kept file), or None.

    Raises StoreError if an id has no file.
    """
    if ref.endswith(SUFFIX) and Path(ref).is_file():
        return Path(ref)
    if not _ID.fullmatch(ref):
        return None
    path = _path(ref, db)
    if not path.is_file():
        raise StoreError(f"there is no game {ref} in {shown(str(path.parent))}; 'bowerbird import' prints the ids")
    return path


def _path(name: str, db: Path) -> Path:
    return db.parent / FOLDER / f"{name.partition('/')[2]}{SUFFIX}"


LONGEST_NAME = 40


def lines_of(game: JudgedGame, deal: int | None = None) -> Iterator[str]:
    """Yield the lines of a game, or only of its deal with this index. Foreign names are made safe to print."""
    names = [shown(name, LONGEST_NAME) for name in game.game.players]
    if deal is None:
        title = shown(game.game.title, 80)
        yield f"{title or 'a game'} in EGN: {' and '.join(names[::2])} against {' and '.join(names[1::2])}"
        if game.missing:
            yield f"partial: {shown(game.missing)}"
    for at, played in enumerate(game.deals):
        if deal is None or deal == at:
            yield ""
            yield from _deal(game, at, played, names[played.deal.dealer])


def _deal(game: JudgedGame, at: int, played: PlayedDeal, dealer: str) -> Iterator[str]:
    deal = played.deal
    yield f"deal {deal.number}, dealer seat {deal.dealer} ({dealer})"
    for seat, hand in enumerate(played.hands):
        cards = [card if is_known(card) else "?" for card in hand]
        yield f"  seat {seat}  {' '.join([*cards, *['?'] * (HAND - len(cards))])}"
    yield f"  upcard  {deal.upcard if is_known(deal.upcard) else '?'}"
    for step, call in enumerate(deal.calls or ()):
        yield f"  seat {(deal.dealer + 1 + step) % SEATS}  {_call(call, deal.is_alone)}"
    if deal.calls and deal.calls[-1] == ORDER:
        known = deal.discard if deal.discard is not None and is_known(deal.discard) else "?"
        yield f"  seat {deal.dealer}  discard {known}"
    for one in played.exchanges:
        source = "the kitty" if one.sender is None else f"seat {one.sender}"
        cards = [card if is_known(card) else "?" for card in one.cards]
        yield f"  seat {one.receiver}  takes {' '.join(cards)} from {source}"
    if deal.lone_defender is not None:
        yield f"  seat {deal.lone_defender}  defend"
    if played.maker is not None:
        yield f"  trump   {played.trump or '?'}, maker seat {played.maker}{' alone' if deal.is_alone else ''}"
    for number, trick in enumerate(played.tricks, start=1):
        yield f"  trick {number} {_trick(trick)}"
    if played.missing:
        yield f"  not known: {played.missing}"
    score = game.scores[at]
    yield "  scores  " + ("?" if score is None else f"{score[0]} to {score[1]}")


def _call(call: str, is_alone: bool) -> str:
    if call == PASS:
        return "pass"
    words = "order" if call == ORDER else f"call {call if call != 'x' else '?'}"
    return f"{words} alone" if is_alone else words


def _trick(trick: PlayedTrick) -> str:
    cards = "   ".join(f"{seat} {card if is_known(card) else '?'}" for seat, card in trick.cards)
    return cards if trick.winner is None else f"{cards}   won by {trick.winner}"
