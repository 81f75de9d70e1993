"""A bot that is withdrawn with its games and later taken back: on a cluster, and with remote bots (faults.md)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.outcome import WITHDRAWN
from bowerbird.harness.records.values.run import GameId
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.hosted import hosted, remote
from tests.support.tournament.corrected_runs import BY, WHY, Games

CUP = """
[tournament]
sets = {sets}
seed = "annulled"
unit = "deals"
{lines}
[time]
per_decision = "60s"
startup = "60s"
[[variant]]
name = "euchre"
"""
ADA = '[[bot]]\nremote = true\nname = "ada"\n'

PlayOn = Callable[[int], None]
"""Plays a run, with this many deal sets of each line-up, from where it is to its end."""


def decided(bowerbird: Bowerbird, command: str, bot: str, *more: str) -> None:
    """Withdraw or reinstate a bot of the run."""
    with Store.open(bowerbird.folder / "x.db") as store:
        run = store.run().fingerprint
    bowerbird.done(command, run, bot, *more, "--why", WHY, "--by", BY, "--yes", "--db", "x.db")


def games(bowerbird: Bowerbird) -> Games:
    """Return the games that count, and check that the run is complete and fits them."""
    with Store.open(bowerbird.folder / "x.db") as store:
        run = store.run()
        assert run.row.ended is not None
        assert run.ratings() == digest_of(run.results())
        found = Games.of(store)
    bowerbird.done("verify", "--db", "x.db")
    return found


def of(found: Games, bot: str) -> set[str]:
    """Return the ids of the games of a bot."""
    return {game for game in found.texts if bot in GameId.parse(game).lineup.split("+")}


def check_annulled_and_back(bowerbird: Bowerbird, bot: str, play_on: PlayOn) -> None:
    """Play one deal set, withdraw a bot with its games, play a second set without it, reinstate it, play the rest."""
    play_on(1)
    first = games(bowerbird)
    assert of(first, bot)
    decided(bowerbird, "withdraw", bot, "--annul")
    play_on(2)
    without = games(bowerbird)
    assert not of(first, bot) & without.texts.keys(), "what was annulled is not played again"
    missed = of(without, bot)
    with Store.open(bowerbird.folder / "x.db") as store:
        assert {game.id for game in store.run().games(bot=bot)} == missed
        assert {game.ended for game in store.run().games(bot=bot)} == {WITHDRAWN}
        [gone] = store.run().withdrawals()
        assert (gone.bot, gone.by, gone.unplayed) == (bot, BY, len(missed))
        assert gone.annulled == len({GameId.parse(game).set_key for game in of(first, bot)})
    shown = bowerbird.done("standings", "--db", "x.db")
    assert f"{bot} was withdrawn by {BY}" in shown
    decided(bowerbird, "reinstate", bot)
    play_on(2)
    back = games(bowerbird)
    assert back.texts.items() >= first.texts.items(), "the annulled games count again, with the packs they had"
    others = {game: text for game, text in without.texts.items() if game not in missed}
    assert back.texts.items() >= others.items()
    assert of(back, bot) == of(first, bot) | missed
    with Store.open(bowerbird.folder / "x.db") as store:
        assert store.run().withdrawals() == []
        assert all(game.rated for game in store.run().results())


def test_a_bot_is_annulled_and_back_in_a_run_on_a_cluster(bowerbird: Bowerbird) -> None:
    pytest.importorskip("distributed", reason="the extra bowerbird[cluster] is not installed")
    bots = bowerbird.bot("first", "draws"), bowerbird.bot("second", "draws"), bowerbird.bot("third", "honest")

    def play_on(sets: int) -> None:
        file = bowerbird.tournament(CUP.format(sets=sets, lines='isolation = "limits"\ninstances = "shared"'), *bots)
        again = ["--resume"] if (bowerbird.folder / "x.db").exists() else []
        bowerbird.done("tournament", file.name, *again, "--db", "x.db", "--cluster", "local:2", "--quiet")

    check_annulled_and_back(bowerbird, "first", play_on)


@pytest.mark.parametrize("bot", ["ada", pytest.param("first", marks=pytest.mark.long)])
def test_a_bot_is_annulled_and_back_in_a_run_with_a_remote_bot(bowerbird: Bowerbird, bot: str) -> None:
    """Tables of the remote bot are played by the host, all the others by its two workers."""
    bots = bowerbird.bot("first", "draws"), bowerbird.bot("second", "draws")
    turn = iter(range(3))

    def play_on(sets: int) -> None:
        file: Path = bowerbird.tournament(CUP.format(sets=sets, lines="") + ADA, *bots)
        turn_now = next(turn)
        with hosted(bowerbird, file, "--jobs", "2", *(["--resume"] if turn_now else [])) as host:
            if bot == "ada" and turn_now == 1:  # nobody is invited: the only remote bot is withdrawn
                host.ended()
                return
            host.until_invited()
            with remote(host, "ada"):
                host.ended()

    check_annulled_and_back(bowerbird, bot, play_on)
