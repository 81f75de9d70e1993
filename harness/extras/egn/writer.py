"""Writes a recorded game as EGN 1.4, if the notation can represent it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import NoReturn

from bowerbird.harness.extras.egn import game as egn
from bowerbird.harness.extras.egn.errors import EgnError
from bowerbird.harness.records.replay.replay import Step, replay
from bowerbird.harness.records.values.game_record import GameRecord, OptionValue

LONGEST_ID = 64

Options = Mapping[str, OptionValue]


def egn_of(record: GameRecord) -> str:
    """Return a game as the text of an EGN file. Raises the errors of `document_of`."""
    return f"{json.dumps(document_of(record), indent=2)}\n"


def document_of(record: GameRecord) -> dict[str, object]:
    """Return a game as the content of an EGN file. Raises EgnError with the reason if the notation cannot represent it.

    The record is played through the engine (RecordError).
    """
    rules = _RULESETS.get(record.variant, _no_ruleset)(record)
    if not record.hands:
        raise EgnError("the game was not played")
    if len(record.hands) > egn.MOST_DEALS:
        raise EgnError(f"the game has {len(record.hands)} deals, and EGN allows {egn.MOST_DEALS}")
    deals = [_deal(number, list(steps)) for number, steps in groupby(replay(record), lambda step: step.hand)]
    scores = record.scores or (0,) * egn.SEATS
    named = {"gameId": record.id} if len(record.id) <= LONGEST_ID else {}
    return {
        "fileType": egn.FILE_TYPE,
        "version": egn.VERSION,
        "metadata": {
            **named,
            "description": f"Played by Bowerbird, {record.variant}, game {record.id}"[:1024],
            "players": [seat.bot[:64] for seat in record.seats],
            "initialScore": [0, 0],
            "finalScore": [scores[0], scores[1]],
            "ruleset": rules,
        },
        "deals": deals,
    }


def _no_ruleset(record: GameRecord) -> NoReturn:
    raise EgnError(f"EGN is for euchre with two teams of two and 24 cards, not {record.variant}")


def _euchre(record: GameRecord) -> dict[str, object]:
    """Return the ruleset of a game of euchre. Raises EgnError if it cannot contain an option."""
    options = record.options
    only: Mapping[str, tuple[OptionValue, ...]] = {
        "deck": (24,),
        "defend_alone": ("never", "vs_alone"),
        "lap": (False,),
        "slam": (False,),
        "jambone": (False,),
        "jamboree": (False,),
        "games_to_win": (1,),
        "misdeal": ("none",),
        "farmers_hand": ("none", "mixed"),
        "alone_needs_five": (False,),
    }
    for name, allowed in only.items():
        if options.get(name, allowed[0]) not in allowed:  # older records lack some options
            raise EgnError(f"EGN has no euchre with {name} = {str(options[name]).lower()}")
    end: dict[str, object] = {"winning_score": options["target"]}
    if record.result.ended == "limit":
        end = {"num_deals": options["max_hands"]}
    return {
        "std": options["stick_dealer"],
        **end,
        "canadian": options["assist_must_go_alone"],
        "loner_lead": egn.LEFT_OF_LONER_LEADS if options["lone_lead"] == "left_of_lone" else egn.ELDEST_LEADS,
        "loner_march_score": options.get("alone_march_points", 4),
        "loner_euchred_score": options["lone_euchre_points"],
        "defend_alone": options["defend_alone"] != "never",
        **{name: True for name, is_on in _further(options).items() if is_on},
    }


def _further(options: Options) -> dict[str, bool]:
    """Return the EGN rules that are written only if they are on."""
    return {
        "joker": options.get("joker", False) is True,
        "allow_no_trump": options.get("name_no_trump", False) is True,
        "partners_best": options.get("call_best", False) is True,
        "go_under": options.get("farmers_hand", "none") != "none",
    }


_RULESETS: Mapping[str, Callable[[GameRecord], dict[str, object]]] = {"euchre": _euchre}
"""The variants that EGN can represent, with the functions that make their rulesets."""


def _deal(number: int, steps: list[Step]) -> dict[str, object]:
    first = steps[0].before
    calls: list[str] = []
    if first.view(0).upcard == egn.JOKER:
        raise EgnError(f"a joker is turned up in deal {number}, and EGN does not say what its suit is called")
    exchanges: list[dict[str, object]] = []
    bidding: dict[str, object] = {"phaseNumber": 0, "type": "EUCHRE_BIDDING", "calls": calls, "isAlone": False}
    for step in steps:
        match step.action.kind:
            case "pass":
                calls.append(egn.PASS)
            case "order" | "call":
                named = egn.NO_TRUMP_IN_EGN if step.action.suit == egn.NO_TRUMP else str(step.action.suit)
                calls.append(egn.ORDER if step.action.kind == "order" else named)
                bidding["isAlone"] = step.token.endswith(" alone")
            case "discard" if not any("sender" in one for one in exchanges):  # it follows the order
                bidding["discard"] = _card(step.action.card)
            case "give":
                cards = [_card(step.action.card)]
                exchanges.append({"sender": step.seat, "receiver": step.before.maker, "cards": cards})
            case "show" if step.after.stage != "show":
                cards = [_card(card) for card in step.after.view(step.seat).memory[-1].cards]
                exchanges.append({"receiver": step.seat, "cards": cards})
            case "defend":
                bidding["aloneDefender"] = step.seat
    if exchanges:
        bidding["cardExchanges"] = exchanges
    phases = [bidding]
    tricks = _tricks(step for step in steps if step.action.kind == "play")
    if tricks:
        phases.append({"phaseNumber": 1, "type": "TRICK_PLAY", "tricks": tricks})
    return {
        "dealNumber": number,
        "initialState": {
            "dealer": first.dealer,
            "upCard": first.view(0).upcard,
            "playerCards": [list(map(_card, first.view(seat).hand)) for seat in range(egn.SEATS)],
        },
        "phases": phases,
    }


def _card(card: str) -> str:
    """Return a card in EGN."""
    return egn.JOKER_IN_EGN if card == egn.JOKER else card


def _tricks(plays: Iterable[Step]) -> list[list[str]]:
    tricks: list[list[str]] = [[]]
    for step in plays:
        tricks[-1].append(_card(step.action.card))
        if step.trick_winner is not None:
            tricks.append([])
    return [trick for trick in tricks if trick]
