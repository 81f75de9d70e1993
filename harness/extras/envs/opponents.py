"""The seats against one learning agent, played at random, by a function of their view, by a bot, or by a process.

Input: the user's `opponents`. Output: for each seat a function, a bot, or None for random play.
"""

from __future__ import annotations

import json
import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from bowerbird.engine import Action, EngineError, SeatView, did_you_mean, known_are
from bowerbird.harness.closing import Closing
from bowerbird.harness.sdk.bot import Bot, check_bot

Opponent = Callable[[SeatView], Action | str]
"""Chooses a seat's action from the seat's view."""

Opponents = str | Opponent | Bot | Sequence[str | Opponent | Bot]
"""One opponent for all other seats, or one for each of them, clockwise from the agent."""

RANDOM = "random"

BUNDLED: Mapping[str, str] = {"greedy": "bowerbird.bots.greedy.player:choose"}
"""Bundled bots that are a function of a view, by name."""

NAMES = (RANDOM, *BUNDLED)

LENGTH = struct.Struct("!Q")

START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from bowerbird.harness.extras.envs.opponents import main; main()"
)
"""The program of an opponent's process, which finds its modules where its parent found them."""

END_S = 5.0
"""How many seconds a process has to end before it is killed."""


class OpponentError(EngineError, RuntimeError):
    """An opponent is not available, or its process has ended."""


class OwnProcess(Closing):
    """An opponent that decides in its own process, which starts at its first decision.

    >>> with OwnProcess("greedy") as greedy:
    ...     greedy(new_game("euchre", first_dealer=3, seed=bytes(32)).view(0))
    Action('pass')

    A copy made by `pickle` starts its own process.

    name: the name of a bundled bot, or `MODULE:FUNCTION`.

        Raises: OpponentError: there is no opponent with that name.
    """

    def __init__(self, name: str) -> None:
        _checked(name)
        self.name = name
        self._process: subprocess.Popen[bytes] | None = None

    def __repr__(self) -> str:
        return f"OwnProcess({self.name!r})"

    def __reduce__(self) -> tuple[type[OwnProcess], tuple[str]]:
        return type(self), (self.name,)

    def __call__(self, view: SeatView) -> Action:
        """Return the decision of the process. Raises OpponentError if it has ended."""
        process = self._process or self._start()
        assert process.stdin is not None, "it has a pipe"
        assert process.stdout is not None, "it has a pipe"
        data = pickle.dumps(view)
        try:
            process.stdin.write(LENGTH.pack(len(data)) + data)
            process.stdin.flush()
            token = process.stdout.readline().decode().strip()
        except BrokenPipeError:
            token = ""
        if not token:
            self.close()
            raise OpponentError(f"the process of {self.name} has ended; its messages are on standard error")
        return Action(token)

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, json.dumps(sys.path), self.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        return self._process

    def close(self) -> None:
        """End the process. A second call does nothing."""
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None, "it has both pipes"
            try:
                pipe.close()
            except BrokenPipeError:  # it died with a view unread
                continue
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def seated(opponents: Opponents, seats: int) -> tuple[Opponent | Bot | None, ...]:
    """Return the opponents for `seats` other seats, with None for each that plays at random.

    Raises:
        OpponentError: a name is unknown, or the number of opponents is wrong.
        TypeError: a bot has no method that decides.
    """
    if isinstance(opponents, str | Bot) or callable(opponents):
        opponents = [opponents] * seats
    if not isinstance(opponents, Sequence):
        raise OpponentError(f"opponents must be a name, a function, a Bot, or a list of these, not {opponents!r}")
    if len(opponents) != seats:
        raise OpponentError(f"opponents must be one bot or a list of {seats}, not a list of {len(opponents)}")
    return tuple(map(_opponent, opponents))


def _opponent(given: str | Opponent | Bot) -> Opponent | Bot | None:
    if given == RANDOM:
        return None
    if isinstance(given, str):
        return _loaded(given)
    if isinstance(given, Bot):
        check_bot(given)
        return given
    if isinstance(given, type) or not callable(given):
        raise OpponentError(f"an opponent must be a name, a function of a view, or a Bot, not {given!r}")
    return given


def _checked(name: str) -> str:
    """Return the `MODULE:FUNCTION` for `name`."""
    place = BUNDLED.get(name, name)
    if ":" not in place:
        hint = did_you_mean(name, NAMES) or known_are(NAMES)
        raise OpponentError(f"unknown opponent {name!r}{hint}; or use MODULE:FUNCTION for your own")
    return place


def _loaded(name: str) -> Opponent:
    """Return the function with a name."""
    module, _, function = _checked(name).partition(":")
    try:
        found: Opponent = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise OpponentError(f"opponent {name} cannot be loaded: {error}") from error
    return found


def main() -> None:
    """Answer views from standard input with tokens of actions until it closes.

    The opponent's own output goes to stderr.

    The second argument is the opponent's name.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    choose = _loaded(sys.argv[2])
    while head := sys.stdin.buffer.read(LENGTH.size):
        view = pickle.loads(sys.stdin.buffer.read(LENGTH.unpack(head)[0]))
        print(choose(view), file=answers, flush=True)
