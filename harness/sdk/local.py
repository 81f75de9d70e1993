"""Plays a whole game between bots in this process: to try and to debug a bot without a referee.

Everything goes through the messages of the protocol, so a bot sees here what it will see at a referee's table; only
the clock stands still. What a bot raises comes through with its traceback.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from engine import Action, Game, OptionValue, new_game, rules_of
from harness.sdk.bot import Bot, check_bot
from harness.sdk.session import Session
from harness.v1 import seat_pb2, table_pb2
from harness.wire import encode


class ResignedError(Exception):
    """A bot gave up, so that the game cannot go on; `seat` says which."""

    def __init__(self, seat: int) -> None:
        """By this seat."""
        super().__init__(f"seat {seat} resigned")
        self.seat = seat


def play(
    variant: str, bots: Sequence[Bot], *, seed: str = "", options: Mapping[str, OptionValue] | None = None
) -> Game:
    """Play one game, `bots` by seat (one object may sit at several seats); returns it finished.

    The same seed, any text, gives the same cards and the same `table.rng`.

    Raises:
        ValueError: a wrong number of bots.
        TypeError: what was given is no bot, or it chose what is no action at all.
        EngineError: a wrong variant or option, or a bot chose what is not legal (IllegalAction).
        ResignedError: a bot gave up.
        Exception: whatever a bot raises.
    """
    secret = hashlib.sha256(seed.encode()).digest()
    game = new_game(variant, options, seed=secret)
    if len(bots) != game.players:
        raise ValueError(f"{variant} has {game.players} seats, {len(bots)} bots were given")
    for bot in bots:
        check_bot(bot)
    _LocalTable(game, bots, secret).play()
    return game


class _LocalTable:
    """A game and the sessions of its seats; a bot that sits at several seats has one session, as at a referee."""

    def __init__(self, game: Game, bots: Sequence[Bot], secret: bytes) -> None:
        self._game = game
        self._bots = bots
        self._encoder = encode.TableEncoder()
        self._answered = [0] * game.players
        self._told = [0] * game.players
        self._hands = 0
        sessions = {id(bot): Session(bot) for bot in bots}
        for session in sessions.values():
            session.hear(seat_pb2.PlayResponse(welcome=seat_pb2.Welcome(protocol_version=1)))
        self._sessions = [sessions[id(bot)] for bot in bots]
        for seat in range(game.players):
            self._open(seat, hashlib.sha256(secret + bytes([seat])).digest())

    def play(self) -> None:
        """To the end of the game."""
        while (seat := self._game.actor) is not None:
            legal = self._game.legal_actions()
            forced = len(legal) == 1 and not self._bots[seat].capabilities.wants_forced
            action = legal[0] if forced else self._ask(seat, legal)
            self._game.apply(action)
            self._answered[seat] += 1
            self._tell_hands()
        for seat in range(self._game.players):
            self._close(seat)

    def _open(self, seat: int, seed: bytes) -> None:
        game = self._game
        teams = rules_of(game.variant).teams(game.options) or ()
        message = encode.table_opened(
            table_id=str(seat),
            seat=seat,
            players=game.players,
            partners=[partner for team in teams if seat in team for partner in team if partner != seat],
            variant=game.variant,
            options=game.options,
            clock=table_pb2.Clock(per_decision_ms=1000, bank_ms=5000),
            on_fault="forfeit",
            seed=seed,
        )
        self._sessions[seat].hear(message)

    def _ask(self, seat: int, legal: tuple[Action, ...]) -> Action | str:
        view = self._game.view(seat)
        wants_events = self._bots[seat].capabilities.wants_events
        request = self._encoder.request(
            str(seat),
            view,
            self._answered[seat],
            budget_ms=1000,
            bank_ms=5000,
            charged_ms=0,
            events=view.history[self._told[seat] :] if wants_events else (),
        )
        self._told[seat] = len(view.history)
        message = encode.decision_requests([request], deadline_ms=6000)
        answer = self._sessions[seat].hear(seat_pb2.PlayResponse.FromString(message))[0]
        if answer.WhichOneof("message") == "resign":
            raise ResignedError(seat)
        decision = answer.decisions.decisions[0]
        if decision.HasField("action_index") and decision.action_index < len(legal):
            return legal[decision.action_index]
        return decision.action or f"action {decision.action_index}"

    def _tell_hands(self) -> None:
        for hand in self._game.results[self._hands :]:
            for seat, bot in enumerate(self._bots):
                events = hand.history[self._told[seat] :] if bot.capabilities.wants_events else ()
                self._sessions[seat].hear(encode.hand_news(str(seat), hand, events))
                self._told[seat] = 0
        self._hands = len(self._game.results)

    def _close(self, seat: int) -> None:
        game = self._game
        message = encode.table_closed(
            table_id=str(seat), ranks=game.ranks, scores=game.scores, games=game.games, ended=game.ended
        )
        self._sessions[seat].hear(message)
