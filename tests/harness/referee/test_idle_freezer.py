"""faults.md, Isolation, Pondering: who is frozen, and when."""

from __future__ import annotations

from bowerbird.harness.referee.connection.idle_freezer import IDLE_TICKS, IdleFreezer


class Bot:
    """A session: `idle_since` as the test sets it, and how often it was frozen."""

    def __init__(self, idle_since: int | None) -> None:
        self.idle_since = idle_since
        self.frozen = 0

    def freeze(self) -> None:
        self.frozen += 1


def watched(bot: Bot) -> IdleFreezer:
    freezer = IdleFreezer()
    freezer.add(bot)
    return freezer


def test_a_bot_that_stays_idle_is_frozen_once() -> None:
    bot = Bot(0)
    freezer = watched(bot)
    for _ in range(IDLE_TICKS - 1):
        freezer.tick()
    assert bot.frozen == 0, "it was idle for too short a time"
    for _ in range(5):
        freezer.tick()
    assert bot.frozen == 1


def test_a_bot_that_thinks_is_never_frozen() -> None:
    bot = Bot(None)
    freezer = watched(bot)
    for _ in range(5 * IDLE_TICKS):
        freezer.tick()
    assert bot.frozen == 0


def test_a_bot_that_is_asked_between_all_ticks_is_never_frozen() -> None:
    """It is idle whenever it is checked, but has answered another request."""
    bot = Bot(0)
    freezer = watched(bot)
    for number in range(5 * IDLE_TICKS):
        bot.idle_since = number
        freezer.tick()
    assert bot.frozen == 0


def test_a_bot_is_frozen_again_after_a_request() -> None:
    bot = Bot(0)
    freezer = watched(bot)
    for idle_since in (0, 0, 0, None, 1, 1, 1):
        bot.idle_since = idle_since
        freezer.tick()
    assert bot.frozen == 2


def test_a_bot_that_is_leaving_is_not_watched() -> None:
    bot = Bot(0)
    freezer = watched(bot)
    freezer.discard(bot)
    freezer.discard(bot)
    for _ in range(2 * IDLE_TICKS):
        freezer.tick()
    assert bot.frozen == 0
