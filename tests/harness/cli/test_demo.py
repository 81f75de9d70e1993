"""`bowerbird demo` tells how the build of its bot in Node goes, as commands that play do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from bowerbird.harness.cli.commands import demo
from bowerbird.harness.cli.display import progress
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.events import Building, BuildSays, TournamentEvent
from bowerbird.harness.tournament.preparation import build


@pytest.mark.parametrize("quiet", [True, False])
def test_the_build_is_shown_as_progress(monkeypatch: pytest.MonkeyPatch, quiet: bool) -> None:
    events: list[TournamentEvent] = []
    asked: list[bool] = []

    @contextmanager
    def shown(quiet: bool) -> Iterator[Callable[[TournamentEvent], None]]:
        asked.append(quiet)
        yield events.append

    def prepared(bot: BotSpec, building: Callable[[str], None], says: Callable[[str], None]) -> BotSpec:
        building(bot.name)
        says("added 32 packages")
        return bot

    monkeypatch.setattr(progress, "show_progress", shown)
    monkeypatch.setattr(build, "prepare", prepared)
    monkeypatch.setattr("shutil.which", lambda tool: f"/usr/bin/{tool}")
    assert demo._bots(quiet=quiet) == (("greedy", "random", "node-random"), "")
    assert asked == [quiet]
    assert events == [Building("node-random", build.TIMEOUT_S), BuildSays("added 32 packages")]
