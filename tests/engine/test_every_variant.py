"""Laws that hold for every variant under every option, on random games."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from pkgutil import iter_modules
from random import Random
from typing import Any

import pytest

from bowerbird.engine import Action, Event, Game, IllegalAction, new_game, rules_of, variant_names, variants
from bowerbird.engine.fields import Know
from bowerbird.engine.game import state_of
from bowerbird.engine.game_state import GameState
from tests.support.engine.variant_games import VARIANTS, Walk, settings, step, walk

GAMES = 2
"""Random games with each value of each option."""

CANONICAL = (
    *(
        "pass",
        "order",
        "call",
        "bid",
        "lone",
        "discard",
        "swap",
        "keep",
        "show",
        "take",
        "alone",
        "exchange",
        "defend",
        "ask",
        "claim",
        "decline",
    ),
    *("give", "dictate", "stay", "drop", "partner", "lead", "play"),
)
"""Rows of the table (notation.md, Decisions), with `alone` and `decline` where their rows have them."""


@pytest.fixture(scope="module", params=VARIANTS)
def walks(request: pytest.FixtureRequest) -> list[Walk]:
    """Return random games of a variant with each value of each option. No law may change them."""
    variant: str = request.param
    return [walk(variant, options, number) for options in settings(variant) for number in range(GAMES)]


def in_every_game(law: Callable[[Walk, Random], None]) -> Callable[[list[Walk]], None]:
    """Make a test of a law of games. Where it is broken, the error says in which game."""

    def test(walks: list[Walk]) -> None:
        for walked in walks:
            try:
                law(walked, Random(1))
            except BaseException as error:
                error.add_note(f"in {walked}")
                raise

    test.__doc__ = law.__doc__
    return test


def in_positions(every: int = 1) -> Callable[[Callable[[Game, Random], None]], Callable[[list[Walk]], None]]:
    """Make a test of a law of positions, which are those before each decision and at the end of a game.

    A law that takes long is tried in one position of `every`, in others in each game.
    """

    def made(law: Callable[[Game, Random], None]) -> Callable[[list[Walk]], None]:
        def in_all(walked: Walk, rng: Random) -> None:
            for decisions in range(walked.number % every, len(walked.positions), every):
                try:
                    law(walked.positions[decisions], rng)
                except BaseException as error:
                    error.add_note(f"after {decisions} decisions")
                    raise

        in_all.__doc__ = law.__doc__
        return in_every_game(in_all)

    return made


def snapshot(game: Game) -> dict[str, Any]:
    """Return every field of a game, with its lists copied."""
    state = state_of(game)
    return {
        name: list(value) if isinstance(value := getattr(state, name), list) else value
        for name in GameState.fields
        if name != "legal_now"
    }


@in_positions(every=2)
def test_no_card_is_lost_or_doubled(game: Game, rng: Random) -> None:
    """A7, A10, A17: the cards of hands, piles, discards and tricks all differ, and each comes from the deal."""
    pack = game.rules.pack
    played = [event.action.card for event in game.history if event.action.kind in ("play", "dictate")]
    held = [card for hand in game.hands for card in pack.text(hand)]
    piled = [pack.code[card] for pile in game.piles.values() for card in pile]
    everywhere = [*held, *piled, *pack.text(state_of(game).dead), *played]
    left = list(pack.codes)
    for card in everywhere:
        assert card in left, f"{card} is in two places: {held=} {piled=} {played=}"
        left.remove(card)


@in_positions()
def test_legal_actions_are_never_empty_and_never_doubled(game: Game, rng: Random) -> None:
    """bowerbird.engine.Game.legal_actions: never empty while there is an actor; each token occurs once."""
    legal = game.legal_actions()
    assert bool(legal) == (game.actor is not None)
    assert len({str(action) for action in legal}) == len(legal)


@in_positions()
def test_a_phase_with_a_kind_of_cards_offers_one_action_for_each_choice(game: Game, rng: Random) -> None:
    """Phase.card_kind."""
    state = state_of(game)
    if game.actor is not None and state.phase.card_kind:
        text = dict.fromkeys(game.rules.pack.text(state.phase.choices(state)))
        assert [str(action) for action in game.legal_actions()] == [f"{state.phase.card_kind} {card}" for card in text]


@in_positions()
def test_legal_actions_stand_in_canonical_order(game: Game, rng: Random) -> None:
    """notation.md, Order of legal actions: by row, number, suit, way of playing, card, seat."""
    codes = game.rules.pack.codes

    def key(action: Action, codes: tuple[str, ...] = codes) -> tuple[object, ...]:
        return (
            CANONICAL.index(action.kind),
            action.number or 0,
            ("", "s", "h", "d", "c", "nt", "low").index(action.suit),
            ("", "alone", "jambone").index(action.how),
            codes.index(action.card) if action.card else -1,
            -1 if action.seat is None else action.seat,
        )

    legal = game.legal_actions()
    assert sorted(legal, key=key) == list(legal), [str(action) for action in legal]


@in_positions(every=2)
def test_an_illegal_action_is_refused_and_changes_nothing(game: Game, rng: Random) -> None:
    """A12; the sentence names the seat, the token and the legal actions."""
    legal = {str(action) for action in game.legal_actions()}
    before = snapshot(game)
    for token in ("play As", "discard 9c", "order", "drop", "bid 3", "call s", "nonsense", ""):
        if token in legal:
            continue
        with pytest.raises(IllegalAction) as refused:
            game.apply(token)
        assert f'"{token}"' in refused.value.args[0]
        if game.actor is not None:
            assert f"seat {game.actor} " in refused.value.args[0]
            assert all(known in refused.value.args[0] for known in legal)
    assert snapshot(game) == before


@in_positions(every=4)
def test_a_copy_is_independent_and_has_the_same_future(game: Game, rng: Random) -> None:
    before = snapshot(game)
    twin = game.copy()
    assert snapshot(twin) == before
    future = Random(1)
    for _ in range(12):
        if twin.actor is not None:
            step(twin, future)
    assert snapshot(game) == before, "a copy changed its original"
    again, future = game.copy(), Random(1)
    for _ in range(12):
        if again.actor is not None:
            step(again, future)
    assert snapshot(again) == snapshot(twin)


@in_every_game
def test_a_game_replays_from_its_packs(walked: Walk, rng: Random) -> None:
    """notation.md, Record of a game: first dealer, packs and decisions suffice."""
    first, game = walked.positions[0], walked.positions[-1]
    packs = [list(result.packs) for result in game.results]
    again = new_game(walked.variant, walked.options, first_dealer=first.dealer, packs=packs)
    for action in walked.decisions:
        again.apply(str(action))
    assert (again.results, again.scores, again.ended, again.winners, again.ranks) == (
        game.results, game.scores, game.ended, game.winners, game.ranks,
    )  # fmt: skip


@in_positions(every=2)
def test_nobody_sees_what_is_hidden_from_him(game: Game, rng: Random) -> None:
    """A9: with garbage in everything that a seat may not know, its view is the same."""
    for seat in range(game.players):
        assert spoilt(game, seat, rng).view(seat) == game.view(seat), f"seat {seat} sees hidden things"


def spoilt(game: Game, seat: int, rng: Random) -> Game:
    """Return a copy with garbage in every field, or entry of a field, that this seat may not know."""
    copy = game.copy()
    state = state_of(copy)
    garbage = rng.getrandbits(game.rules.pack.size)
    own_legal = game.legal_actions() if seat == game.actor else None
    for name, (know, _, _) in GameState.fields.items():
        if know is Know.HIDDEN:
            setattr(state, name, object())
        elif name == "legal_now":
            state.legal_now = own_legal if own_legal is not None else ()
        elif name == "notes":
            state.notes = [note if note[0] == seat else (note[0], "?", garbage, None) for note in state_of(game).notes]
        elif know is Know.OWN:
            entries = getattr(state, name)
            setattr(state, name, type(entries)(entry if k == seat else garbage for k, entry in enumerate(entries)))
    return copy


@in_positions(every=2)
def test_a_view_reads_back_from_its_fields(game: Game, rng: Random) -> None:
    for seat in range(game.players):
        view = game.view(seat)
        again = type(view).from_fields(**{**view.fields(), "options": dict(view.options)})
        assert again == view


@in_every_game
def test_a_view_shows_every_public_decision_in_order(walked: Walk, rng: Random) -> None:
    """protocol.md, Decisions: this hand's public history is complete."""
    expected: list[Event] = []
    hand, packs = 0, 1
    for game, action in zip(walked.positions, walked.decisions, strict=False):
        if (game.hand_number, len(game.packs)) != (hand, packs) and not game.history:
            expected = []
        hand, packs = game.hand_number, len(game.packs)
        assert game.view(0).history == tuple(expected)
        if not state_of(game).phase.private:
            assert game.actor is not None
            expected.append(Event(game.actor, action.public))


@in_positions()
def test_a_view_shows_every_complete_trick(game: Game, rng: Random) -> None:
    """Who led, what was played and who won follow from the view alone, without a rule of the game."""
    view = game.view(0)
    played = [event.action.card for event in view.history if event.action.kind in ("play", "dictate")]
    cards = [card for trick in view.tricks for _, card in trick.cards] + [card for _, card in view.trick]
    assert cards == played
    assert len(view.tricks) == view.trick_number
    won = [sum(trick.winner == seat for trick in view.tricks) for seat in range(view.players)]
    if not game.is_over:  # the last seat of an uncontested hand is credited with tricks that nobody plays
        assert tuple(won) == view.tricks_won
    for trick in view.tricks:
        seats = [seat for seat, _ in trick.cards]
        assert trick.leader == seats[0]
        assert trick.winner in seats
        assert len(set(seats)) == len(seats)
    for number, (before, after) in enumerate(pairwise(view.tricks), 1):
        named = number >= game.rules.tricks  # a seat names who leads a showdown
        assert after.leader == before.winner or named


@in_every_game
def test_results_follow_the_game(walked: Walk, rng: Random) -> None:
    """A8, A14, A15, E1: numbers, dealers, tricks and ranks are consistent."""
    game = walked.positions[-1]
    assert game.is_over
    assert game.ended
    assert [result.number for result in game.results] == list(range(len(game.results)))
    first = game.results[0].dealer
    assert [result.dealer for result in game.results] == [
        (first + k) % game.players for k in range(len(game.results))
    ], "the deal moves left after every hand"
    assert game.results[-1].scores == game.scores
    assert all(game.ranks[seat] == 1 for seat in game.winners)
    assert sorted(game.ranks)[0] == 1
    for rank in game.ranks:
        if game.rules.teams is None:
            assert rank == 1 + sum(other < rank for other in game.ranks)


@pytest.mark.parametrize("variant", variant_names())
def test_every_page_explains_the_game(variant: str) -> None:
    """The text of `bowerbird variants NAME`: every section and every option."""
    page = rules_of(variant)
    text = page.describe
    for word in ("Seats", "Pack", "Order", "The hand", "Points", "End", "Options"):
        assert f"\n{word}" in text, f"{variant}: nothing under {word}"
    for name, option in page.options.items():
        assert f"\n  {name} " in text
        assert str(option.allowed) in " ".join(text.split())
        assert option.help
    assert all(len(line) <= 80 for line in text.splitlines())


def test_every_variant_of_a_module_is_found_and_under_its_own_name() -> None:
    modules = [name for _, name, _ in iter_modules(variants.__path__) if not name.startswith("_")]
    written = [page.name for name in modules for page in import_module(f"bowerbird.engine.variants.{name}").VARIANTS]
    assert sorted(written) == sorted(variant_names()), (
        "bowerbird.engine.variants._MODULES lacks one, or names one too many"
    )
    assert [rules_of(name).name for name in variant_names()] == list(variant_names())


def test_variants_stand_in_the_order_of_the_rule_book() -> None:
    sections = [int(rules_of(name).section[1:]) for name in variant_names()]
    assert sections == sorted(set(sections))
