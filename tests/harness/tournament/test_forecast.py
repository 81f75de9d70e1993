"""The longest time of a forecast: about the most that a run can take (tournament-file.md; faults.md row 45)."""

from __future__ import annotations

import pytest

from bowerbird.harness.referee.game.clock import NS_PER_MS, Bank, Pace
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, load_tournament
from bowerbird.harness.tournament.forecast import Forecast, actions_of_a_hand, forecast
from bowerbird.harness.tournament.formats.catalogue import AT_LEAST
from bowerbird.harness.tournament.plan import make_plan
from tests.support.tournament.bot_folders import Yard

HANDS = 6
VARIANT = f'[[variant]]\nname = "two-handed"\noptions = {{ max_hands = {HANDS} }}\n'
BANKED = '[time]\nper_decision = "10ms"\nbank = "1s"\nincrement = "50ms"\n'
BOUNDED = '[time]\nper_decision = "10ms"\nbank = "1s"\ngame = "100ms"\nmargin = "30ms"\n'


def entered(yard: Yard, *lines: str, time: str = "") -> TournamentFile:
    return load_tournament(yard.tournament('seed = "leaves"', *lines, variants=f"{time}{VARIANT}"))


def forecast_of(file: TournamentFile) -> Forecast:
    return forecast(make_plan(file), None, 0)


def slowest_game_ms(file: TournamentFile) -> float:
    """Return the time of a game in which each decision takes as long as it may, the seats in turn."""
    (entry,) = file.variants
    banks = [Bank(Pace.of(file.time)) for _ in range(entry.seats)]
    used_ns = 0
    for _ in range(HANDS):
        for bank in banks:
            bank.begin_hand()
        for number in range(actions_of_a_hand(entry)):
            bank = banks[number % len(banks)]
            used_ns += bank.limit
            assert bank.charge(bank.limit), "a decision at its limit was late"
    return used_ns / NS_PER_MS


@pytest.mark.parametrize("time", [BANKED, BOUNDED], ids=["bank", "game"])
def test_bots_that_use_all_that_their_clocks_allow_play_no_longer_than_forecast(yard: Yard, time: str) -> None:
    """A seat that has used up the time of its game may still take the margin for each decision."""
    file = entered(yard, "sets = 1", time=time)
    (entry,) = forecast_of(file).entries
    assert slowest_game_ms(file) <= entry.longest_seconds * 1000 / entry.games


@pytest.mark.parametrize("sets", [1, 40], ids=["one block", "two blocks"])
def test_the_longest_time_of_a_knockout_counts_the_extra_sets_of_tied_matches(yard: Yard, sets: int) -> None:
    """Between two bots it is as long as one round of twice the deal sets."""
    knockout = forecast_of(entered(yard, f"sets = {sets}", 'format = "knockout"'))
    round_robin = forecast_of(entered(yard, f"sets = {2 * sets}"))
    assert knockout.extent.bound == AT_LEAST
    assert 2 * knockout.extent.games == round_robin.extent.games
    assert knockout.longest_seconds == round_robin.longest_seconds
