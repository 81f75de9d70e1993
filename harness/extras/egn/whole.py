"""Turns an EGN game of which every card is known into a record, which our engine can play and our pages can show.

The record is for showing alone: nobody committed to its seed, and no clock ran.
"""

from __future__ import annotations

from collections.abc import Sequence

from bowerbird.engine import ENGINE_VERSION, RULES_VERSION, Game, new_game, resolve_options
from bowerbird.harness.extras.egn.errors import EgnError
from bowerbird.harness.extras.egn.game import LEFT_OF_LONER_LEADS, ORDER, PASS, SEATS
from bowerbird.harness.extras.egn.judge import JudgedGame, PlayedDeal
from bowerbird.harness.records.replay.replay import check
from bowerbird.harness.records.values.game_record import (
    NO_ISOLATION,
    PER_SEAT,
    Conditions,
    GameRecord,
    HandRecord,
    ResultRecord,
    SeatRecord,
    TimeControl,
)

VARIANT = "euchre"
PACK = 24


def record_of(game: JudgedGame, name: str, digest: str) -> GameRecord:
    """Return a whole game as a record. `name` becomes its id, `digest` (SHA-256 in hex) is that of the file.

    Raises EgnError if our engine plays the game otherwise than the file says.
    """
    if not game.is_whole:
        raise EgnError(f"the game is partial: {game.missing}")
    options = resolve_options(VARIANT, _options(game))
    first_dealer = game.game.deals[0].dealer
    texts = [_pack(deal, first_dealer) for deal in game.deals]
    play = new_game(VARIANT, options, first_dealer=first_dealer, packs=[(text,) for text in texts])
    hands = tuple(_hand(play, at, deal, texts[at]) for at, deal in enumerate(game.deals))
    if not play.is_over:
        raise EgnError("the game is not over by Bowerbird's rules")
    mark = f"sha256:{digest}"
    record = GameRecord(
        id=name,
        engine=ENGINE_VERSION,
        rules=RULES_VERSION,
        variant=VARIANT,
        options=dict(options),
        first_dealer=first_dealer,
        commitment=mark,
        conditions=Conditions("forfeit", NO_ISOLATION, PER_SEAT, TimeControl(bank_ms=0)),
        seats=tuple(SeatRecord(player, "", mark) for player in game.game.players),
        hands=hands,
        faults=(),
        result=ResultRecord(str(play.ended), play.winners, play.ranks, ()),
    )
    check(record)
    return record


def _options(game: JudgedGame) -> dict[str, object]:
    rules = game.game.rules
    best = max((max(score) for score in game.scores if score is not None), default=0)
    return {
        "target": rules.target or max(10, best + 1),
        "max_hands": rules.deals,
        "stick_dealer": rules.stick_dealer,
        "assist_must_go_alone": rules.canadian,
        "defend_alone": "vs_alone" if rules.defend_alone else "never",
        "lone_lead": "left_of_lone" if rules.loner_lead == LEFT_OF_LONER_LEADS else "eldest",
        "lone_euchre_points": rules.loner_euchred,
    }


def _pack(deal: PlayedDeal, first_dealer: int) -> str:
    """Return a pack that deals these hands. The order of the three cards that nobody sees is ours."""
    dealer = deal.deal.dealer
    cards = [f"{rank}{suit}" for suit in "shdc" for rank in "AKQJT9"]
    sample = new_game(VARIANT, first_dealer=dealer, packs=[(" ".join(cards),)])
    place = {card: at for at, card in enumerate(cards)}
    pack = [""] * PACK
    for seat in range(SEATS):
        for at, card in zip(sorted(place[one] for one in sample.view(seat).hand), deal.hands[seat], strict=True):
            pack[at] = card
    pack[place[sample.view(0).upcard]] = deal.deal.upcard
    rest = iter(sorted(set(cards) - set(pack), key=place.__getitem__))
    return " ".join(card or next(rest) for card in pack)


def _hand(play: Game, number: int, deal: PlayedDeal, pack: str) -> HandRecord:
    """Play a deal in our engine and return it."""
    where = f"deals[{number}]"
    if play.is_over:
        raise EgnError(f"{where}: the game is over before it, as Bowerbird's rules count")
    calls = iter(deal.deal.calls or ())
    cards = iter([card for trick in deal.tricks for _, card in trick.cards])
    actions: list[str] = []
    forced: list[int] = []
    while len(play.results) == number:
        legal = play.legal_actions()
        tokens = list(map(str, legal))
        token = _token(play.actor, tokens, deal, calls, cards)
        if token not in tokens:
            raise EgnError(f"{where}: {token!r} of seat {play.actor} is not legal in Bowerbird's euchre")
        if len(tokens) == 1:
            forced.append(len(actions))
        actions.append(f"{play.actor} {token}")
        play.apply(legal[tokens.index(token)])
    scores = play.results[number].scores
    return HandRecord(deal.deal.dealer, (pack,), tuple(actions), (0,) * len(actions), tuple(forced), (), scores)


def _token(actor: int | None, legal: Sequence[str], deal: PlayedDeal, calls: object, cards: object) -> str:
    if legal[0].startswith("discard"):
        return f"discard {deal.deal.discard}"
    if legal[0] in ("defend", "decline"):
        return "defend" if actor == deal.deal.lone_defender else "decline"
    if legal[0].startswith("play"):
        return f"play {next(cards, '')}"  # type: ignore[call-overload]  # an iterator of texts
    call = next(calls, PASS)  # type: ignore[call-overload]  # an iterator of texts
    if call == PASS:
        return "pass"
    return f"{'order' if call == ORDER else f'call {call}'}{' alone' if deal.deal.is_alone else ''}"
