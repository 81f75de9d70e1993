"""Reports scores made uneven by a withdrawal: some bots finished games with the withdrawn bot that others missed.

Input: a stored run. Output: sentences for people, with the command that takes these games out of the results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.ratings.standings.scopes import format_of

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun

BY_SCORE = ("round-robin", "gauntlet")
"""The formats whose places follow from the score over all games."""


def uneven_lines(run: StoredRun, undo: Callable[[str], str] | None = None) -> list[str]:
    """Return a sentence for each withdrawn bot if some bots finished more of their games with it than others did.

    undo: returns the command that discounts all of a bot's games; the sentence names it unless the run was imported.
    """
    withdrawn = [one.bot for one in run.withdrawals()]
    if not withdrawn or format_of(run.row.config)[0] not in BY_SCORE:
        return []
    due: dict[str, Counter[str]] = {bot: Counter() for bot in withdrawn}
    finished: dict[str, Counter[str]] = {bot: Counter() for bot in withdrawn}
    for game in run.results():
        at_table = set(game.bots)
        for bot in at_table & due.keys():
            others = at_table - {bot}
            due[bot].update(others)
            if game.rated:
                finished[bot].update(others)
    found = {bot: _uneven(bot, due[bot], finished[bot], withdrawn) for bot in withdrawn}
    if undo is None or run.origins():
        return [line for line in found.values() if line]
    return [f"{line}; to count none of them: {undo(bot)}" for bot, line in found.items() if line]


def _uneven(bot: str, due: Counter[str], finished: Counter[str], withdrawn: Sequence[str]) -> str:
    """Return the sentence about a withdrawn bot; "" if all others finished the same share of their games with it.

    due, finished: the number of games that each other bot should have played with it, and the number it finished.
    """
    others = sorted(due.keys() - set(withdrawn), key=lambda other: (-finished[other] / due[other], other))
    if not others:
        return ""
    most, least = others[0], others[-1]
    if finished[most] * due[least] == finished[least] * due[most]:
        return ""
    return (
        f"uneven: {most} finished {counted(finished[most], 'game')} with {bot}, which was withdrawn, "
        f"{least} {f'only {finished[least]}' if finished[least] else 'none'}"
    )
