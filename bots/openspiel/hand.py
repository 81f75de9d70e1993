"""A hand of our euchre as a state of OpenSpiel, and the choices of its bots as our actions.

Cards are numbers in OpenSpiel: rank * 4 + suit, ranks 9 T J Q K A, suits c d h s. 24 is a pass, 25 to 28 name a suit,
29 and 30 decide whether to play alone. If the two ask in a different order, each gets its answer when it asks:

- A maker says "alone" with the call here (rules.md L1), and after the dealer's discard in OpenSpiel.
- Of the defenders who may play alone, the one on the maker's left is asked first here (L3), and the eldest in
  OpenSpiel.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from bowerbird.engine import Action, Game, OptionValue

RANKS = "9TJQKA"
SUITS = "cdhs"
PASS = 24
FIRST_SUIT = 25
ALONE = 29
WITH_PARTNER = 30

REQUIRED: Mapping[str, tuple[OptionValue, ...]] = {
    "deck": (24,),
    "assist_must_go_alone": (False,),
    "defend_alone": ("never", "always"),
    "lone_lead": ("eldest",),
    "jambone": (False,),
    "jamboree": (False,),
    "misdeal": ("none",),
    "farmers_hand": ("none",),
    "name_no_trump": (False,),
    "joker": (False,),
    "call_best": (False,),
}
"""The value that OpenSpiel's rules have for each option that changes how a hand is played."""


def parameters_of(options: Mapping[str, OptionValue]) -> dict[str, bool]:
    """Return OpenSpiel's parameters for a game with our options.

    Raises ValueError if OpenSpiel does not have these rules.
    """
    for name, allowed in REQUIRED.items():
        if options[name] not in allowed:
            known = " or ".join(map(_said, allowed))
            raise ValueError(f"OpenSpiel's euchre has no {name} = {_said(options[name])}, only {known}")
    return {
        "allow_lone_defender": options["defend_alone"] == "always",
        "stick_the_dealer": bool(options["stick_dealer"]),
    }


def _said(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def number_of(code: str) -> int:
    """Return OpenSpiel's number of a card."""
    return RANKS.index(code[0]) * len(SUITS) + SUITS.index(code[1])


def code_of(number: int) -> str:
    """Return the card with this number in OpenSpiel."""
    return RANKS[number // len(SUITS)] + SUITS[number % len(SUITS)]


def state_of(spiel: Any, world: Game) -> Any:
    """Return the hand in play of `world` as a state of `spiel` in which the same seat is asked the same question.

    spiel: OpenSpiel's game, loaded with `parameters_of` the world's options. world: a game of euchre that is not over.
    """
    state = spiel.new_initial_state()
    _deal(state, world)
    how = ""
    for event in world.view(world.dealer).history:
        action = event.action
        if action.kind in ("defend", "decline"):
            continue  # answered by `_ask_defenders`
        if action.kind == "play":
            _ask_defenders(state, world.view(event.seat).lone_defender, None)
            state.apply_action(number_of(action.card))
        elif action.kind == "discard":
            state.apply_action(number_of(_discarded(world)))
            state.apply_action(ALONE if how else WITH_PARTNER)
        elif action.kind == "pass":
            state.apply_action(PASS)
        else:
            how = action.how
            suit = action.suit or world.view(event.seat).upcard[1]
            state.apply_action(FIRST_SUIT + SUITS.index(suit))
            if action.kind == "call":
                state.apply_action(ALONE if how else WITH_PARTNER)
    if world.stage in ("defend alone", "play"):
        asked = world.actor if world.stage == "defend alone" else None
        _ask_defenders(state, world.view(world.dealer).lone_defender, asked)
    return state


def _deal(state: Any, world: Game) -> None:
    """Deal the cards of the hand: one at a time, the dealer first. The order of a deal is not a rule of the game."""
    fresh = world.redealt()
    dealer = fresh.dealer
    hands = [fresh.view(seat).hand for seat in range(fresh.players)]
    state.apply_action(dealer)
    for place in range(sum(map(len, hands))):
        state.apply_action(number_of(hands[(dealer + place) % len(hands)][place // len(hands)]))
    state.apply_action(number_of(fresh.view(dealer).upcard))


def _discarded(world: Game) -> str:
    """Return the card that the dealer put away."""
    return next(memory.cards[0] for memory in world.view(world.dealer).memory if memory.what == "discarded")


def _ask_defenders(state: Any, lone_defender: int | None, until: int | None) -> None:
    """Answer OpenSpiel's questions whether a defender plays alone, up to that for the seat `until`; None for all."""
    while state.legal_actions() == [ALONE, WITH_PARTNER] and state.current_player() != until:
        state.apply_action(ALONE if state.current_player() == lone_defender else WITH_PARTNER)


def chosen_action(bot: Any, state: Any, stage: str, rng: random.Random) -> Action:
    """Return our action for the choice of OpenSpiel's `bot` in `state`.

    stage: the question that our engine asks. rng: draws a card for the dealer's discard if the bot must decide whether
        to go alone before our dealer has discarded.
    """
    number = int(bot.step(state))
    if stage == "defend alone":
        return Action("defend" if number == ALONE else "decline")
    if number == PASS:
        return Action("pass")
    if number < PASS:
        return Action(f"{'discard' if stage == 'discard' else 'play'} {code_of(number)}")
    alone = " alone" if _goes_alone(bot, state, number, rng) else ""
    return Action(f"order{alone}" if stage == "order up" else f"call {SUITS[number - FIRST_SUIT]}{alone}")


def _goes_alone(bot: Any, state: Any, call: int, rng: random.Random) -> bool:
    """Return whether the bot goes alone after its call. The caller does not see the dealer's discard."""
    after = state.clone()
    caller = after.current_player()
    after.apply_action(call)
    while ALONE not in after.legal_actions():
        own = after.current_player() == caller  # the dealer has called
        after.apply_action(int(bot.step(after)) if own else rng.choice(after.legal_actions()))
    return bool(bot.step(after) == ALONE)
