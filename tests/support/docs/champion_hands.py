"""Decisions of euchre that show how champion plays, as champion.md tells them.

`python -m tests.support.docs.champion_hands DEALS` lists decisions in which champion and greedy differ clearly, to
choose from: deal, step, and what both do.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from itertools import islice

from bowerbird.bots.champion import lookahead
from bowerbird.bots.champion.deciding import Decider, decider_of
from bowerbird.bots.champion.levels import LEVELS
from bowerbird.bots.champion.lookahead import Look
from bowerbird.bots.greedy.player import choose as greedy
from bowerbird.engine import Game, SeatView, new_game, rules_of

VARIANT = "euchre"
LEVEL = LEVELS[5]
SHOWN = ((1, 5), (4, 3), (5, 13))
"""Deals and decisions of the page: the numbers of the deal set and of the decision with a choice in it."""

CLEAR = 0.02
"""The share of a game by which an action must be better to be listed."""


def decider() -> Decider:
    """Return champion's networks for the variant."""
    found = decider_of(VARIANT, rules_of(VARIANT).rules({"max_hands": 1}).options)
    assert found is not None
    return found


def decisions(own: Decider, deal: int) -> Iterator[Game]:
    """Yield the game at each decision with a choice, if champion's policy plays in all seats."""
    game = new_game(VARIANT, {"max_hands": 1}, seed=bytes(32), set_number=deal)
    while game.actor is not None:
        legal = game.legal_actions()
        if len(legal) > 1:
            yield game
        game.apply(own.choices([own.follow(game)])[0] if len(legal) > 1 else legal[0])


def looked(own: Decider, view: SeatView) -> Look:
    """Return what champion sees at a decision."""
    return lookahead.look(own, view, LEVEL, random.Random(1), lambda: True)


def told(deal: int, step: int) -> str:
    """Return a decision as text: what the seat knows, and what champion thinks of its actions."""
    own = decider()
    game = next(islice(decisions(own, deal), step - 1, None))
    assert game.actor is not None
    view = game.view(game.actor)
    seen = looked(own, view)
    before = ", ".join(f"{seat} {action}" for seat, action in view.history) or "nothing yet"
    lines = [
        f"seat {view.seat}, seat {view.dealer} dealt, upcard {view.upcard}, hand {' '.join(view.hand)}",
        f"so far: {before}",
        "",
        f"{'action':<16}{'policy':>8}{'worth':>8}",
    ]
    worths = dict(zip(seen.tried, seen.worths.mean(axis=0), strict=True)) if seen.tried else {}
    for chance, action in seen.ranked[: max(2, len(seen.tried))]:
        worth = f"{worths[action]:.3f}" if action in worths else "-"
        lines.append(f"{action!s:<16}{chance:>8.2f}{worth:>8}")
    return "\n".join([*lines, "", f"champion: {seen.choice}; greedy: {greedy(view)}"])


def main() -> None:
    """List decisions to choose from."""
    own = decider()
    for deal in range(int(sys.argv[1])):
        for step, game in enumerate(decisions(own, deal), start=1):
            assert game.actor is not None
            view = game.view(game.actor)
            seen = looked(own, view)
            rule = greedy(view)
            if rule in seen.tried and rule is not seen.choice:
                means = seen.worths.mean(axis=0)
                gain = means[seen.tried.index(seen.choice)] - means[seen.tried.index(rule)]
                if gain > CLEAR:
                    print(f"deal {deal} step {step}: {gain:.3f}\n{told(deal, step)}\n")


if __name__ == "__main__":
    main()
