"""`bowerbird.bots.openspiel` gives OpenSpiel's bots the hand that our seat sees, and brings their choices back."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bowerbird.engine import Action, Game, new_game, sample_game
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.engine.openspiel import Twin

HANDS = 60
PASSES = 0.7
"""How often a seat passes if it may: often enough to reach every round of the bidding."""

SETTINGS = [(stick, defend) for stick in (False, True) for defend in ("never", "always")]


@pytest.fixture
def pyspiel() -> Any:
    """Return OpenSpiel's module. Without it these tests skip, or fail if nothing may be skipped."""
    return pytest.importorskip("pyspiel", reason="OpenSpiel is not installed; `make oracle` adds it")


class Scripted:
    """A bot in OpenSpiel's form that draws a legal action, and counts what it was asked."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def step(self, state: Any) -> int:
        legal = state.legal_actions()
        return int(legal[0] if legal[0] == 24 and self._rng.random() < PASSES else self._rng.choice(legal))


def choose(game: Game, rng: Random) -> Action:
    legal = game.legal_actions()
    return legal[0] if legal[0].kind == "pass" and rng.random() < PASSES else rng.choice(legal)


def with_arguments(bowerbird: Bowerbird, *arguments: str) -> Path:
    """Return the folder of the bundled bot with arguments in its command."""
    folder = bowerbird.bundled("openspiel")
    manifest = folder / "bot.toml"
    words = ", ".join(f'"{word}"' for word in ("bowerbird.bots.openspiel", *arguments))
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace('"bowerbird.bots.openspiel"', words), encoding="utf-8"
    )
    return folder


@pytest.mark.parametrize(("stick_dealer", "defend_alone"), SETTINGS)
def test_a_drawn_world_has_the_information_state_of_the_true_hand(
    pyspiel: Any, stick_dealer: bool, defend_alone: str
) -> None:
    """The bot sees what OpenSpiel itself would show the seat, and nothing of the true cards."""
    from bowerbird.bots.openspiel.hand import parameters_of, state_of

    rng = Random(f"{stick_dealer} {defend_alone}")
    options = {"stick_dealer": stick_dealer, "defend_alone": defend_alone, "max_hands": HANDS, "target": 10**6}
    game = new_game("euchre", options, seed=rng.randbytes(32))
    spiel = pyspiel.load_game("euchre", parameters_of(game.options))
    met: Counter[str] = Counter()
    while not game.is_over:
        number = game.hand_number
        twin = Twin(spiel, game)
        while len(game.results) == number:
            twin.before(game)
            seat = game.actor
            assert seat is not None
            state = state_of(spiel, sample_game(game.view(seat), rng))
            assert state.current_player() == seat
            if game.stage != "defend alone":  # the twin answers these questions later
                shown, true = (one.information_state_string(seat) for one in (state, twin.state))
                assert shown == true, f"{game!r}: the bot sees {shown}, OpenSpiel shows {true}"
                assert state.legal_actions() == twin.state.legal_actions()
            met[game.stage] += 1
            action = choose(game, rng)
            game.apply(action)
            twin.made(action)
    expected = {"order up", "discard", "name trump", "play", *({"defend alone"} if defend_alone == "always" else ())}
    assert set(met) == expected


@pytest.mark.parametrize(("stick_dealer", "defend_alone"), SETTINGS)
def test_every_choice_of_a_bot_is_a_legal_action(pyspiel: Any, stick_dealer: bool, defend_alone: str) -> None:
    from bowerbird.bots.openspiel.hand import chosen_action, parameters_of, state_of

    rng = Random(f"choices {stick_dealer} {defend_alone}")
    options = {"stick_dealer": stick_dealer, "defend_alone": defend_alone, "max_hands": HANDS, "target": 10**6}
    game = new_game("euchre", options, seed=rng.randbytes(32))
    spiel = pyspiel.load_game("euchre", parameters_of(game.options))
    bot = Scripted(rng)
    made: Counter[str] = Counter()
    while game.actor is not None:
        world = sample_game(game.view(game.actor), rng)
        action = chosen_action(bot, state_of(spiel, world), game.stage, rng)
        assert action in game.legal_actions(), f"{game!r}: {action} is none of {game.legal_actions()}"
        made[f"{action.kind} {action.how}".strip()] += 1
        game.apply(action)
    expected = {"pass", "order", "order alone", "call", "call alone", "discard", "play"}
    assert expected <= set(made), f"never made in {HANDS} hands: {sorted(expected - set(made))}"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"deck": 28}, "OpenSpiel's euchre has no deck = 28, only 24"),
        ({"defend_alone": "vs_alone"}, "OpenSpiel's euchre has no defend_alone = vs_alone, only never or always"),
        ({"jambone": True}, "OpenSpiel's euchre has no jambone = true, only false"),
    ],
)
def test_rules_that_openspiel_has_not_are_refused(options: dict[str, object], sentence: str) -> None:
    from bowerbird.bots.openspiel.hand import parameters_of

    with pytest.raises(ValueError, match=sentence):
        parameters_of(new_game("euchre", options, seed=bytes(32)).options)


def test_an_unknown_bot_is_refused_with_those_that_there_are(pyspiel: Any) -> None:
    from bowerbird.bots.openspiel.player import maker_of

    with pytest.raises(ValueError, match="there is no bot 'ismtcs'; there are ismcts, fixed_action_preference"):
        maker_of("ismtcs", 10)
    with pytest.raises(ValueError, match="cannot be loaded"):
        maker_of("no_such_module:make", 10)


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("arguments", [("--simulations", "20"), ("--bot", "uniform_random")], ids=["search", "random"])
def test_bots_of_openspiel_play_over_the_protocol(
    pyspiel: Any, bowerbird: Bowerbird, arguments: tuple[str, ...]
) -> None:
    folder = with_arguments(bowerbird, *arguments)
    match = ("--variant", "euchre", "--option", "max_hands=2", "--sets", "1", "--seed", "x", "--quiet")
    bowerbird.done("match", folder, bowerbird.bundled("random"), *match)
    games = bowerbird.json("matches")
    assert [game["faults"] for game in games] == [0, 0]


@pytest.mark.usefixtures("processes")
def test_without_openspiel_one_sentence_names_the_extra() -> None:
    hidden = (
        "import sys, runpy; sys.modules['pyspiel'] = None; sys.argv[1:] = [];"
        "runpy.run_module('bowerbird.bots.openspiel', None, '__main__')"
    )
    ended = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr == "OpenSpiel is not installed: pip install 'bowerbird[openspiel]' adds it\n"
