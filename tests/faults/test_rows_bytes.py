"""Every byte sent to a seat holds only what that seat may know (faults.md row 27).

Non-interference, in every variant. `engine.sample_game` draws another deal that a seat cannot tell from the real one.
The same play on it, up to one of the seat's decisions and on a clock that the test controls, must send the seat the
same bytes, from TableOpened to the request for that decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import pytest
import trio

from bowerbird.engine import Game, SeatView, new_game, sample_game, variant_names
from bowerbird.harness.records.values.game_record import SeatRecord
from bowerbird.harness.referee.connection.participant import Capabilities
from bowerbird.harness.referee.connection.stream import Outgoing, Received
from bowerbird.harness.referee.game.table import Table
from bowerbird.harness.referee.table_driver import TableDriver
from bowerbird.seat.v1 import seat_pb2
from tests.support.deadline import DEADLINE_S
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.room import TIME, FakeConnection, FakeParticipant, sessions_of, settle
from tests.support.referee.tables import conditions, table

DECISIONS = 12
"""How many decisions of each variant are compared, spread over hands."""

DEALS = 200
"""The most hands to deal until enough decisions are found."""

TICK_NS = 7_000_000
TRIES = 4000
"""The most actions to try on the way from a deal to a seat's view."""


@dataclass(frozen=True)
class Play:
    """The first hand up to a decision: its packs, dealer and actions."""

    variant: str
    dealer: int
    packs: tuple[str, ...]
    actions: tuple[str, ...]

    def game(self) -> Game:
        """Return the game before its first decision."""
        return new_game(self.variant, first_dealer=self.dealer, packs=[self.packs])


def positions(variant: str, rng: Random) -> Iterator[tuple[Play, Game]]:
    """Yield every decision of one random first hand that offers a choice, with the game at that point."""
    game = new_game(variant, seed=rng.randbytes(32))
    actions: list[str] = []
    dealer = game.dealer
    while game.actor is not None and not game.results:
        legal = game.legal_actions()
        if len(legal) > 1:
            yield Play(variant, dealer, game.packs, tuple(actions)), game.copy()
        action = rng.choice(legal)
        actions.append(action.token)
        game.apply(action)


class Search:
    """A search for actions on another deal that give a seat the same view."""

    def __init__(self, view: SeatView, drawn: Game) -> None:
        self._view = view
        self._drawn = drawn
        self._left = TRIES

    def ways(self, game: Game, done: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        """Yield action tokens that lead from `game` to the view.

        Nobody can have put away a card that he still holds in the drawn game.
        """
        if game.view(self._view.seat) == self._view:
            yield done
            return
        actor = game.actor
        if actor is None:
            return
        for action in game.legal_actions():
            self._left -= 1
            if self._left < 0:
                return
            after = game.copy()
            after.apply(action)
            if after.results or game.hands[actor] & ~after.hands[actor] & self._drawn.hands[actor]:
                continue
            seen = after.view(self._view.seat).history
            if seen == self._view.history[: len(seen)]:
                yield from self.ways(after, (*done, action.token))


def same_for(seat: int, play: Play, game: Game, rng: Random) -> Play | None:
    """Return a play on another deal that the seat cannot tell from this one; None if there is no such play."""
    view = game.view(seat)
    drawn = sample_game(view, rng)
    if drawn.packs == game.packs:
        return None
    begun = Play(play.variant, play.dealer, drawn.packs, ())
    actions = next(Search(view, drawn).ways(begun.game()), None)
    return None if actions is None else Play(play.variant, play.dealer, drawn.packs, actions)


class Wire(FakeConnection):
    """A fake connection that keeps the bytes as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes: list[bytes] = []

    def send(self, data: bytes) -> Outgoing:
        self.bytes.append(data)
        return super().send(data)


class Bench:
    """The sessions of one table, played by the test."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._mirror = play.game()
        self.wires = [Wire() for _ in range(self._mirror.players)]
        self._table = self._new_table()
        can = Capabilities(tables=1, batch=64, wants_events=True, wants_forced=False)
        self.participants = [FakeParticipant(wire) for wire in self.wires]
        self.sessions = sessions_of(self.participants, can, len(self.wires), lambda fault: pytest.fail(str(fault)))
        self._driver = TableDriver(self._table, self.sessions, lambda driver: None)

    def _new_table(self) -> Table:
        players = self._mirror.players
        spec = table([f"b{seat}" for seat in range(players)], variant=self._play.variant)
        made = Table(spec, conditions(time=TIME), [SeatRecord("x", "1", f"sha256:{'0' * 64}")] * players)
        made.game = self._play.game()
        return made

    async def run(self, tick: list[int]) -> None:
        """Answer as the play says until its last decision has been asked."""
        self._driver.open()
        self._driver.start()
        await settle()
        left = list(self._play.actions)
        while True:
            while left and len(self._mirror.legal_actions()) == 1:
                self._mirror.apply(left.pop(0))
            if not left:
                return
            seat = self._mirror.actor
            assert seat is not None
            [request] = self.wires[seat].requests()
            token = left.pop(0)
            self._mirror.apply(token)
            tick[0] += TICK_NS
            decision = seat_pb2.Decision(table_id=request.table_id, decision_id=request.decision_id, action=token)
            said = seat_pb2.PlayRequest(decisions=seat_pb2.Decisions(decisions=[decision]))
            self.participants[seat].inbox.put(Received(said, tick[0]))
            await settle()


def sent(play: Play, seat: int, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return every message sent to the seat's bot during this play."""
    tick = [10**15]
    benches: list[Bench] = []

    async def main() -> None:
        bench = Bench(play)
        benches.append(bench)
        with trio.fail_after(DEADLINE_S):
            async with trio.open_nursery() as nursery:
                for session in bench.sessions:
                    nursery.start_soon(session.run)
                await bench.run(tick)
                nursery.cancel_scope.cancel()

    with monkeypatch.context() as patched:
        patched.setattr("time.monotonic_ns", lambda: tick[0])
        trio.run(main)
    return benches[0].wires[seat].bytes


@pytest.mark.row(27)
@pytest.mark.parametrize("variant", variant_names())
def test_a_deal_that_a_seat_cannot_tell_apart_sends_it_the_same_bytes(
    variant: str, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(variant)
    looked_at = messages = 0
    for _ in range(DEALS):
        for play, game in positions(variant, rng):
            seat = game.actor
            assert seat is not None
            if rng.random() < 0.7 or looked_at >= DECISIONS or (other := same_for(seat, play, game, rng)) is None:
                continue
            assert other.packs != play.packs
            first, second = sent(play, seat, monkeypatch), sent(other, seat, monkeypatch)
            assert seat_pb2.PlayResponse.FromString(first[-1]).WhichOneof("message") == "decision_requests"
            assert first == second, f"seat {seat} can tell {play} from {other}"
            looked_at += 1
            messages += len(first)
    assert looked_at == DECISIONS, "too few positions were found"
    seen(f"{variant}: {looked_at} decisions, {messages} messages, the same bytes on another deal")


@pytest.mark.row(27)
def test_a_deal_that_a_seat_can_tell_apart_sends_it_other_bytes(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Proves that the comparison can fail: it fails on a deal that looks different to the seat."""
    rng = Random(27)
    [(play, game), *_] = positions("euchre", rng)
    other = next(
        Play("euchre", play.dealer, found.packs, ())
        for found in (new_game("euchre", seed=rng.randbytes(32), first_dealer=play.dealer) for _ in range(9))
    )
    seat = game.actor
    assert seat is not None
    assert sent(play, seat, monkeypatch) == sent(play, seat, monkeypatch)
    assert sent(play, seat, monkeypatch) != sent(other, seat, monkeypatch)
    seen("another deal that it can tell apart: other bytes")
