"""Behaviours of the hostile bot at its decisions, wrong or merely odd: one function for each, by the name of its mode.

An act is a generator of messages, which replace the answer to one DecisionRequests. `@act("name")` registers an act
that is done once (or, with --every, from then on). `@manner("name")` registers a way to play throughout.
"""

from __future__ import annotations

import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bowerbird.seat.v1 import seat_pb2
from tests.support.bots.hostile_frames import address_of
from tests.support.bots.hostile_stream import GrpcStream, Message, Stream, answer, answers, wait_for_ever


@dataclass(frozen=True)
class Turn:
    """One DecisionRequests: `requests` are all of them, `wrong` those at which the bot misbehaves (empty: play on)."""

    stream: Stream
    requests: list[seat_pb2.DecisionRequest]
    wrong: list[seat_pb2.DecisionRequest]

    def changed(self, **changes: object) -> Iterator[Message]:
        """Answer all requests; apply `changes` to the answers to the wrong ones."""
        marked = {(request.table_id, request.decision_id) for request in self.wrong}
        yield answers(*(answer(r, **(changes if (r.table_id, r.decision_id) in marked else {})) for r in self.requests))


Act = Callable[[Turn], Iterator[Message]]

ACTS: dict[str, Act] = {}
"""Misbehaviours at a decision."""

MANNERS: dict[str, Act] = {}
"""Ways to play that are odd, allowed or harmless, used for every message."""


def act(name: str) -> Callable[[Act], Act]:
    """Register a misbehaviour."""

    def register(function: Act) -> Act:
        ACTS[name] = function
        return function

    return register


def manner(name: str) -> Callable[[Act], Act]:
    """Register a way to play."""

    def register(function: Act) -> Act:
        MANNERS[name] = function
        return function

    return register


@manner("honest")
def honest(turn: Turn) -> Iterator[Message]:
    yield answers(*map(answer, turn.requests))


NOTES = (
    "of decision {}: I hold the right bower",
    "<script>document.title = 'noted'</script> {}",
    "\x1b[2J\u202e\\ {}\nand a second line",
    "x" * 1023 + "\u2665 {}",
    "{} " + "\u2665" * 1700,
    "a\0b {}",
)
"""What the bot notes in turn, each with the number of its decision: markup, escapes, a character across the cut, 5 KB,
and a NUL."""


def note_of(decision: int) -> str:
    """Return what the bot notes about its decision of this number at a table."""
    return NOTES[decision % len(NOTES)].replace("{}", str(decision))


@manner("noting")
def noting(turn: Turn) -> Iterator[Message]:
    """Note something about all decisions except every seventh."""
    yield answers(*(answer(r, note=note_of(r.decision_id)) if r.decision_id % 7 else answer(r) for r in turn.requests))


@manner("repeats")
def repeats(turn: Turn) -> Iterator[Message]:
    """Say everything twice."""
    yield answers(*map(answer, turn.requests))
    yield answers(*map(answer, turn.requests))


@manner("parts")
def parts(turn: Turn) -> Iterator[Message]:
    """Send the answer in parts, the last part first."""
    for request in reversed(turn.requests):
        yield answers(answer(request))


@manner("tokens")
def tokens(turn: Turn) -> Iterator[Message]:
    """Answer by token instead of index."""
    yield answers(
        *(answer(request, action_index=None, action=request.legal_actions[0].token) for request in turn.requests)
    )


@act("illegal")
def illegal(turn: Turn) -> Iterator[Message]:
    """Send an index that does not exist."""
    yield from turn.changed(action_index=99)


@act("nonsense")
def nonsense(turn: Turn) -> Iterator[Message]:
    """Send the token of an action that does not exist."""
    yield from turn.changed(action="play nonsense")


@act("nothing")
def nothing(turn: Turn) -> Iterator[Message]:
    """Send an answer without an action."""
    yield from turn.changed(action_index=None)


@act("unasked")
def unasked(turn: Turn) -> Iterator[Message]:
    """Answer a decision that was never asked."""
    yield from turn.changed(decision_id=4_000_000)


@act("silent")
def silent(turn: Turn) -> Iterator[Message]:
    """Do not answer, but keep reading the stream."""
    yield from ()


@act("killed")
def killed(turn: Turn) -> Iterator[Message]:
    """Die by SIGKILL, after the environment's THINK_MS if there is one."""
    time.sleep(int(os.environ.get("THINK_MS", "0")) / 1000)
    os.kill(os.getpid(), signal.SIGKILL)
    yield from ()


@act("exits-for-good")  # the mode has its own start, too: hostile_starts.STARTS
@act("exits")
def exits(turn: Turn) -> Iterator[Message]:
    print("the queen of spades is missing", file=sys.stderr, flush=True)
    os._exit(3)
    yield from ()


@act("stopped")
def stopped(turn: Turn) -> Iterator[Message]:
    os.kill(os.getpid(), signal.SIGSTOP)
    yield from ()


@act("half-closes")
def half_closes(turn: Turn) -> Iterator[Message]:
    """Close the bot's side of the stream and stay alive."""
    turn.stream.half_close()
    wait_for_ever()
    yield from ()


@act("hangs-up")
def hangs_up(turn: Turn) -> Iterator[Message]:
    """Break the stream off and stay alive."""
    assert isinstance(turn.stream, GrpcStream)
    turn.stream.heard.cancel()
    wait_for_ever()
    yield from ()


@act("malformed")
def malformed(turn: Turn) -> Iterator[Message]:
    yield b"\xff\xff\xff\xff"


@act("oversize")
def oversize(turn: Turn) -> Iterator[Message]:
    """Send more than the referee accepts, but less than the transport refuses."""
    yield answers(answer(turn.requests[0], note="x" * 100_000))


@act("huge")
def huge(turn: Turn) -> Iterator[Message]:
    """Send 10 MB of meaningless bytes."""
    yield bytes(10_000_000)


@act("colossal")
def colossal(turn: Turn) -> Iterator[Message]:
    """Send 100 MB, which is more than the transport lets through."""
    yield bytes(100_000_000)


@act("bomb")
def bomb(turn: Turn) -> Iterator[Message]:
    """Send 100 MB that the stream's gzip shrinks to 100 KB. Use it with --gzip."""
    yield bytes(100_000_000)


@act("squeezes")
def squeezes(turn: Turn) -> Iterator[Message]:
    """Send an honest answer with a long note, which gzip shortens. Use it with --gzip."""
    yield answers(*(answer(request, note="x" * 1000) for request in turn.requests))


@act("another")
def another(turn: Turn) -> Iterator[Message]:
    """Send the action of another decision: a card that the bot was never dealt, with a rank of another game."""
    yield from turn.changed(action_index=None, action="play X1")


@act("floods")
def floods(turn: Turn) -> Iterator[Message]:
    """Send answers for a table that does not exist."""
    for _ in range(2000):
        yield answers(*(answer(request, table_id="none") for request in turn.requests))


@act("floods-empty")
def floods_empty(turn: Turn) -> Iterator[Message]:
    """Send messages without an answer."""
    for _ in range(2000):
        yield answers()


@act("resigns")
def resigns(turn: Turn) -> Iterator[Message]:
    yield seat_pb2.PlayRequest(resign=seat_pb2.Resign(table_id=turn.wrong[0].table_id))
    yield answers(*map(answer, turn.requests))


@act("gives-up")
def gives_up(turn: Turn) -> Iterator[Message]:
    yield seat_pb2.PlayRequest(bot_fault=seat_pb2.BotFault(message="out of ideas"))


@act("hello-again")
def hello_again(turn: Turn) -> Iterator[Message]:
    turn.stream.hello()
    yield from ()


@act("second-stream")
def second_stream(turn: Turn) -> Iterator[Message]:
    """Open a second stream with the bot's own token, then answer on the first one."""
    second = GrpcStream()
    second.hello()
    print(second.refusal(), flush=True)
    yield answers(*map(answer, turn.requests))


@manner("slow")
def slow(turn: Turn) -> Iterator[Message]:
    """Think for the environment's THINK_MS at every message."""
    time.sleep(int(os.environ["THINK_MS"]) / 1000)
    yield from honest(turn)


@act("spins")
def spins(turn: Turn) -> Iterator[Message]:
    """Row 37: start the environment's SPINNERS processes that spin for ever, each in a session of its own.

    With HIDES their environment is empty, so that it does not say whose they are.
    """
    clean = "env -i " if os.environ.get("HIDES") else ""
    one = f"{clean}setsid /bin/sh -c 'while :; do :; done' &"
    subprocess.Popen(["/bin/sh", "-c", f"for n in $(seq $SPINNERS); do {one} done"], stdout=subprocess.DEVNULL)
    yield from honest(turn)


_TICKS: list[int] = []


@manner("ticks")
def ticks(turn: Turn) -> Iterator[Message]:
    """Keep a thread that wakes every millisecond, and print the longest time in ms between two of its wake-ups."""
    if not _TICKS:
        _TICKS.append(time.monotonic_ns())
        threading.Thread(target=_tick, daemon=True).start()
    longest = max((after - before for before, after in itertools.pairwise(_TICKS)), default=0)
    print(f"longest pause: {longest // 1_000_000}", flush=True)
    yield from honest(turn)


def _tick() -> None:
    while True:
        time.sleep(0.001)
        _TICKS.append(time.monotonic_ns())


@act("ponders")
def ponders(turn: Turn) -> Iterator[Message]:
    """Think for the environment's THINK_MS at this message."""
    yield from slow(turn)


@act("loads")
def loads(turn: Turn) -> Iterator[Message]:
    """Load the host with SPINNERS processes for the environment's THINK_MS, which is too long, then answer."""
    spinners = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(int(os.environ["SPINNERS"]))
    ]
    time.sleep(int(os.environ["THINK_MS"]) / 1000)
    for spinner in spinners:
        spinner.kill()
        spinner.wait()
    yield from honest(turn)


@act("late")
def late(turn: Turn) -> Iterator[Message]:
    """Answer when the next message shows that the referee no longer waits, then answer again."""
    for message in turn.stream.messages():
        if message.WhichOneof("message") != "ping":
            break
        yield seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=message.ping.ping_id))
    yield from honest(turn)
    yield from honest(turn)


_CLOSED: list[seat_pb2.DecisionRequest] = []


@manner("lingers")
def lingers(turn: Turn) -> Iterator[Message]:
    """Repeat the bot's first answer along with every later one, even long after that table has closed."""
    _CLOSED[1:] = []
    _CLOSED.extend(turn.requests[: 1 - len(_CLOSED)])
    yield answers(*map(answer, [*_CLOSED, *turn.requests]))


@act("deaf-ears")
def deaf_ears(turn: Turn) -> Iterator[Message]:
    """Stop reading and say nothing, while the connection still answers every ping."""
    wait_for_ever()
    yield from ()


@act("crowds")
def crowds(turn: Turn) -> Iterator[Message]:
    """Open 40 more streams and 500 silent connections, keep all of them, and play on."""
    _KEPT.extend(GrpcStream() for _ in range(40))
    family, address = address_of(os.environ["BOWERBIRD_ADDRESS"])
    for _ in range(500):
        made = socket.socket(family)
        made.settimeout(5)
        try:
            made.connect(address)
        except OSError as error:  # a refusal is an outcome that the test checks
            print("refused:", error, flush=True)
            break
        _KEPT.append(made)
    print("keeps", len(_KEPT), flush=True)
    yield from honest(turn)


_KEPT: list[object] = []


@act("steals")
def steals(turn: Turn) -> Iterator[Message]:
    """Dial every address found in /proc with every token found there."""
    seats = [seat for folder in Path("/proc").glob("[0-9]*") if (seat := _seat_of(folder))]
    for address, _ in seats:
        for _, token in seats:
            stolen = GrpcStream(address=address)
            stolen.hello(token=token)
            print("stolen:", stolen.refusal(), flush=True)
    yield from honest(turn)


def _seat_of(folder: Path) -> tuple[str, str] | None:
    """Return address and token of a process of the same run, or None if its environment cannot be read."""
    try:
        pairs = (folder / "environ").read_bytes().decode().split("\0")
    except OSError:
        return None
    found = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    mark = os.environ.get(MARK)
    if "BOWERBIRD_TOKEN" not in found or mark is None or found.get(MARK) != mark:
        return None
    return found["BOWERBIRD_ADDRESS"], found["BOWERBIRD_TOKEN"]


MARK = "STARTED_BY_TEST"
"""An environment variable that the referee's tests set for all processes of one test."""
