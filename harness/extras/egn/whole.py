"""Turns an EGN game whose cards are all known into a record, which our engine can play and our pages can show.

The record is only for display, since nobody committed to its seed and no clock ran.
"""

from __future__ import annotations

from bowerbird.engine import ENGINE_VERSION, RULES_VERSION, Game, new_game, resolve_options
from bowerbird.harness.extras.egn import game as egn
from bowerbird.harness.extras.egn.errors import EgnError
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


def record_of(game: JudgedGame, name: str, digest: str) -> GameRecord:
    """Return a complete game as a record. `name` becomes its id; `digest` is the file's digest (SHA-256 in hex).

    Raises EgnError if our engine plays the game differently from the file.
    """
    if not game.is_whole:
        raise EgnError(f"the game is partial: {game.missing}")
    options = resolve_options(VARIANT, _options(game))
    first_dealer = game.game.deals[0].dealer
    texts = [_pack(deal, has_joker=game.game.rules.joker) for deal in game.deals]
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
        "lone_lead": "left_of_lone" if rules.loner_lead == egn.LEFT_OF_LONER_LEADS else "eldest",
        "lone_euchre_points": rules.loner_euchred,
        "alone_march_points": rules.loner_march,
        "joker": rules.joker,
        "name_no_trump": rules.no_trump,
        "call_best": rules.partners_best,
        "farmers_hand": "mixed" if rules.go_under else "none",
    }


def _pack(deal: PlayedDeal, *, has_joker: bool) -> str:
    """Return a pack that deals these hands. We choose the order of the cards that nobody sees."""
    dealer = deal.deal.dealer
    cards = [f"{rank}{suit}" for suit in "shdc" for rank in "AKQJT9"] + [egn.JOKER] * has_joker
    sample = new_game(VARIANT, {"joker": has_joker}, first_dealer=dealer, packs=[(" ".join(cards),)])
    place = {card: at for at, card in enumerate(cards)}
    pack = [""] * len(cards)
    for seat in range(egn.SEATS):
        for at, card in zip(sorted(place[one] for one in sample.view(seat).hand), deal.hands[seat], strict=True):
            pack[at] = card
    upcard = place[sample.view(0).upcard]
    pack[upcard] = deal.deal.upcard
    for one in deal.exchanges:
        if one.sender is None:
            pack[upcard + 1 : upcard + 1 + egn.WENT_UNDER] = one.cards
    rest = iter(sorted(set(cards) - set(pack), key=place.__getitem__))
    return " ".join(card or next(rest) for card in pack)


def _hand(play: Game, number: int, deal: PlayedDeal, pack: str) -> HandRecord:
    """Play a deal in our engine and return it."""
    where = f"deals[{number}]"
    if play.is_over:
        raise EgnError(f"{where}: by Bowerbird's rules the game is already over")
    said = _Said(deal)
    actions: list[str] = []
    forced: list[int] = []
    while len(play.results) == number:
        legal = play.legal_actions()
        tokens = list(map(str, legal))
        token = said.token(play.actor or 0, play.stage)
        if token not in tokens:
            raise EgnError(f"{where}: {token!r} of seat {play.actor} is not legal in Bowerbird's euchre")
        if len(tokens) == 1:
            forced.append(len(actions))
        actions.append(f"{play.actor} {token}")
        play.apply(legal[tokens.index(token)])
    scores = play.results[number].scores
    return HandRecord(deal.deal.dealer, (pack,), tuple(actions), (0,) * len(actions), tuple(forced), (), scores)


class _Said:
    """The answers of a deal to our engine's questions, in the engine's order."""

    def __init__(self, deal: PlayedDeal) -> None:
        self._deal = deal
        self._calls = iter(deal.deal.calls or ())
        self._cards = iter([card for trick in deal.tricks for _, card in trick.cards])
        self._gift = next((one for one in deal.exchanges if one.sender is not None), None)
        self._under = next((one.receiver for one in deal.exchanges if one.sender is None), None)
        shown = () if self._under is None else deal.low_put_away(self._under)[: egn.WENT_UNDER]
        self._shown = iter(shown)
        ordered = [deal.deal.discard] if deal.deal.calls and deal.deal.calls[-1] == egn.ORDER else []
        left = () if self._gift is None else deal.put_away[self._gift.receiver]
        self._discards = iter([*ordered, *(card for card in left if card not in shown)])

    def token(self, actor: int, stage: str) -> str:
        """Return the answer of the seat `actor` at a stage. It may be illegal."""
        gift = self._gift
        match stage:
            case "discard":
                said = f"discard {next(self._discards, '')}"
            case "defend alone":
                said = "defend" if actor == self._deal.deal.lone_defender else "decline"
            case "play":
                said = f"play {next(self._cards, '')}"
            case "go under":
                said = "swap" if actor == self._under else "keep"
            case "show":
                said = f"show {next(self._shown, '')}"
            case "ask for a card":
                said = "decline" if gift is None else f"ask {gift.sender}"
            case "give a card":
                said = "" if gift is None else f"give {gift.cards[0]}"
            case _:
                said = self._called(next(self._calls, egn.PASS))
        return said

    def _called(self, call: str) -> str:
        if call == egn.PASS:
            return "pass"
        suit = egn.NO_TRUMP if call == egn.NO_TRUMP_IN_EGN else call
        return f"{'order' if call == egn.ORDER else f'call {suit}'}{' alone' if self._deal.deal.is_alone else ''}"
