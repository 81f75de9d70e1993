"""A start that takes long is announced, also with --quiet."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
import trio
import trio.testing

from bowerbird.harness.cli.display.progress import show_progress
from bowerbird.harness.referee.game.fault_ledger import BotStarted, FaultLedger
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import FaultLimits
from bowerbird.harness.tournament.errors import BotNotStartingError
from bowerbird.harness.tournament.events import StartsSlow, TournamentEvent
from bowerbird.harness.tournament.plan import Plan
from bowerbird.harness.tournament.playing.runner import SLOW_START_S, check_all_started, saying_who_is_slow
from bowerbird.harness.tournament.run_options import PreparedRun
from tests.support.referee.tables import bot


def told(start_s: float, *started: str) -> list[TournamentEvent]:
    """Return what is said of a start of three bots that takes some seconds, and at whose end some have started."""
    events: list[TournamentEvent] = []
    ledger = FaultLedger(FaultLimits())
    for name in started:
        ledger.enter(BotStarted(name))
    remote = SimpleNamespace(name="away", remote=True)
    plan = SimpleNamespace(file=SimpleNamespace(time=SimpleNamespace(startup_ms=20_000)))
    prepared = SimpleNamespace(bots=(bot("ann"), bot("ben"), remote), plan=plan, progress=events.append)

    async def start() -> None:
        async with saying_who_is_slow(cast(PreparedRun, prepared), ledger):
            await trio.sleep(start_s)

    trio.run(start, clock=trio.testing.MockClock(autojump_threshold=0))
    return events


def test_a_quick_start_is_not_mentioned() -> None:
    assert told(SLOW_START_S / 2) == []


def test_a_slow_start_names_the_bots_that_are_waited_for() -> None:
    assert told(3 * SLOW_START_S, "ann") == [StartsSlow(("ben",), 20.0)]


def test_the_wait_is_told_with_quiet_too(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(quiet=True) as progress:
        progress(StartsSlow(("ben",), 20.0))
    assert "ben: not ready yet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (
            "exit status 0 before its Hello",
            "it ended without connecting (exit status 0); its program must call run",
        ),
        ("exit status 3 before its Hello", "it ended without connecting (exit status 3)"),
        ("did not connect and say Hello within 20000 ms", "it did not connect within 20 s; [time] startup in a"),
        ("no such program", "no such program"),
    ],
)
def test_a_bot_that_does_not_start_is_reported_with_what_to_look_at(failure: str, said: str) -> None:
    story = BotStory("ben", 1, "", f"NEVER_STARTED: {failure}", "", "", "", "")
    file = SimpleNamespace(bots=(bot("ben"),), time=SimpleNamespace(startup_ms=20_000))
    with pytest.raises(BotNotStartingError, match="bot 'ben' does not start: ") as caught:
        check_all_started([story], cast(Plan, SimpleNamespace(file=file)), "limits")
    assert str(caught.value).partition("does not start: ")[2].startswith(said)
