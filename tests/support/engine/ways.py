"""The phases of a hand as one line that a test can compare."""

from __future__ import annotations

from bowerbird.engine import Game
from tests.support.engine.scenario import play_out


def way(game: Game, lines: str) -> str:
    """Return the stages of the first hand, each with the seats that decided in it: "bid (012), play".

    `lines` are the decisions to make, such as "0 order, 1 discard Td". If they do not end the hand, the first legal
    action is taken from there on.
    """
    stages: list[tuple[str, str]] = []
    for line in lines.split(", ") if lines else ():
        seat, token = line.split(" ", 1)
        assert game.actor == int(seat), f"{line!r}: seat {game.actor} is asked ({game.stage})"
        stage = game.stage
        if stages and stages[-1][0] == stage:
            stages[-1] = (stage, stages[-1][1] + seat)
        else:
            stages.append((stage, seat))
        game.apply(token)
    passed = [f"{stage} ({seats})" for stage, seats in stages]
    if not game.results:
        passed.append(game.stage)
        assert play_out(game).ended in ("scored", "sweep")
    else:
        passed.append(game.results[0].ended)
    return ", ".join(passed)


def options(text: str) -> dict[str, str]:
    """Return the options that are written as "name=value name=value"."""
    return dict(word.split("=") for word in text.split())
