"""pimc and ismcts: legal everywhere, reproducible, in time, and better than the policy that they search with."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from collections.abc import Callable

import pytest

from bowerbird.bots.greedy.player import choose as greedy
from bowerbird.bots.ismcts.player import choose as ismcts
from bowerbird.bots.pimc.player import choose as pimc
from bowerbird.bots.search.bot import Search, SearchingBot
from bowerbird.bots.search.budget import Budget, budget_from
from bowerbird.bots.search.policy import RolloutPolicy
from bowerbird.engine import Action, Game, SeatView, new_game, rules_of, variant_names
from bowerbird.harness.sdk.local import play
from tests.support.bots.last_pass import allow_decisions_in_hand_0_alone, at_the_last_pass
from tests.support.deadline import DEADLINE_S

SEARCHES = {"pimc": pimc, "ismcts": ismcts}
ENOUGH = {"pimc": 30, "ismcts": 150}
"""Worlds, or iterations, with which each is beyond doubt above greedy with straw men; ismcts with 30 is level."""

PATIENT = 3600.0


def _bot(search: Search, worlds: int) -> SearchingBot:
    return SearchingBot(search, Budget(PATIENT, worlds))


@pytest.mark.parametrize("variant", variant_names())
@pytest.mark.parametrize("name", SEARCHES)
def test_search_plays_every_variant_legally(name: str, variant: str) -> None:
    bot = _bot(SEARCHES[name], 2)
    game = play(variant, [bot] * rules_of(variant).seats(), seed="legal", options={"max_hands": 1})
    assert game.is_over


@pytest.mark.parametrize("name", SEARCHES)
def test_the_same_seed_gives_the_same_game(name: str) -> None:
    def game(seed: str) -> list[tuple[object, ...]]:
        bots = [_bot(SEARCHES[name], 4) for _ in range(4)]
        return [hand.history for hand in play("buck", bots, seed=seed, options={"max_hands": 2}).results]

    assert game("a") == game("a")
    assert game("a") != game("b")


@pytest.mark.parametrize("name", SEARCHES)
def test_without_time_the_rule_of_thumb_is_played(name: str) -> None:
    game = new_game("euchre", seed=bytes(32))
    policy = RolloutPolicy("euchre", game.options)
    while game.actor is not None and game.hand_number == 0:
        view = game.view(game.actor)
        clock = Budget(PATIENT, 5).start(0, lambda: 1.0)
        assert SEARCHES[name](view, policy, clock, random.Random(1)) is greedy(view)
        game.apply(greedy(view))


@pytest.mark.parametrize("name", SEARCHES)
def test_no_search_plays_the_hand_after_the_one_in_play(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last of all passes ends the hand; the next one is dealt from a pack in order and tells nothing."""
    allow_decisions_in_hand_0_alone(monkeypatch)
    game = at_the_last_pass("euchre")
    assert game.actor is not None
    view, policy = game.view(game.actor), RolloutPolicy("euchre", game.options)
    chosen = SEARCHES[name](view, policy, Budget(PATIENT, 40).start(10**9), random.Random(2))
    assert chosen in view.legal


@pytest.mark.parametrize("name", SEARCHES)
def test_search_does_not_order_on_nothing(name: str) -> None:
    """Five low cards of other suits, and an opponent would take up the right bower."""
    game = new_game("euchre", {"max_hands": 1}, first_dealer=3, packs=[[" ".join(_dealt_weak())]])
    view = game.view(0)
    assert view.stage == "order up"
    assert set(view.hand) == {"9h", "Th", "9d", "Td", "9c"}
    policy = RolloutPolicy("euchre", game.options)
    chosen = SEARCHES[name](view, policy, Budget(PATIENT, 60).start(10**9), random.Random(2))
    assert chosen.kind == "pass"


def _dealt_weak() -> list[str]:
    """Return a pack: seat 0, left of dealer 3, is dealt 9h Th 9d Td 9c, and Js is turned (V1.4)."""
    weak = ["9h", "Th", "9d", "Td", "9c"]
    pack = rules_of("euchre").rules().pack.codes
    rest = [card for card in pack if card not in weak and card != "Js"]
    plan = rules_of("euchre").rules().plans[3]
    order: list[str] = [""] * len(pack)
    places = plan.hands[0](tuple(range(len(pack))))
    for place, card in zip(places, weak, strict=True):
        order[place] = card
    assert plan.upcard is not None
    order[plan.upcard] = "Js"
    remaining = iter(rest)
    return [card or next(remaining) for card in order]


def test_knobs_are_read_and_wrong_ones_refused() -> None:
    assert budget_from(["--seconds", "0.2", "--worlds", "7"], "pimc") == Budget(0.2, 7)
    with pytest.raises(SystemExit):
        budget_from(["--worlds", "0"], "pimc")


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("name", SEARCHES)
def test_a_wrong_argument_ends_the_program_with_a_usage_line(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"bowerbird.bots.{name}", "--seconds", "never"],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode == 2
    assert "--seconds" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("name", SEARCHES)
def test_search_beats_greedy_with_straw_men(name: str) -> None:
    """Looking ahead pays most where many cards lie open: points a deal in mirrored deals."""
    policy = RolloutPolicy("two-handed-straw-men", new_game("two-handed-straw-men", seed=bytes(32)).options)
    rng = random.Random(3)

    def search(view: SeatView) -> Action:
        return SEARCHES[name](view, policy, Budget(PATIENT, ENOUGH[name]).start(10**9), rng)

    gained = sum(_points(number, seat, search) for number in range(30) for seat in range(2))
    assert gained > 0, f"{name} lost {-gained} points to greedy in 30 mirrored deals"


def _points(number: int, seat: int, search: Callable[[SeatView], Action]) -> int:
    """Return the points of the searching seat minus greedy's points in one deal."""
    secret = hashlib.sha256(f"straw {number}".encode()).digest()
    game: Game = new_game("two-handed-straw-men", seed=secret)
    while game.actor is not None and game.hand_number == 0:
        chooser = search if game.actor == seat else greedy
        game.apply(chooser(game.view(game.actor)))
    return game.scores[seat] - game.scores[1 - seat]
