"""Plays a whole game between bots in this process, without a referee, to try them out or debug them.

Bots receive the same protocol messages as from a referee, but the clock stands still. An exception raised by a bot
passes through with its traceback.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from bowerbird.engine import Action, Game, OptionValue, new_game, rules_of
from bowerbird.harness.sdk.bot import Bot, check_bot
from bowerbird.harness.sdk.session import Session
from bowerbird.harness.wire import encode
from bowerbird.seat.v1 import seat_pb2, table_pb2

MAX_HANDS = 100
"""The default of the option max_hands, as in a tournament: without a limit, bots that always pass never end a game."""


class ResignedError(Exception):
    """The end of a game because a bot gave up. `seat` is the seat that resigned."""

    def __init__(self, seat: int) -> None:
        super().__init__(f"seat {seat} resigned")
        self.seat = seat


def play(
    variant: str, bots: Sequence[Bot], *, seed: str | int = "", options: Mapping[str, OptionValue] | None = None
) -> Game:
    """Play one game to its end and return it.

    bots: the bot in each seat. One object may sit in several seats.
    seed: any text or number. The same seed gives the same cards and the same `table.rng`.
    options: options of the variant that differ from their defaults. Without max_hands the game stops after 100 hands;
        with max_hands = 0 it might never end.

    Raises:
        ValueError: the number of bots is wrong.
        TypeError: an element of `bots` is not a Bot, or a bot's choice is not an action at all.
        EngineError: the variant or an option is wrong, or a bot chose an illegal action (IllegalAction).
        ResignedError: a bot resigned.
        Exception: any exception that a bot raises.
    """
    secret = hashlib.sha256(str(seed).encode("utf-8", "surrogatepass")).digest()
    game = new_game(variant, {"max_hands": MAX_HANDS, **(options or {})}, seed=secret)
    if len(bots) != game.players:
        raise ValueError(f"got {len(bots)} bots; {variant} has {game.players} seats")
    for bot in bots:
        check_bot(bot)
    play_out(game, bots, secret)
    return game


def play_out(game: Game, bots: Sequence[Bot], secret: bytes) -> None:
    """Play a game to its end. `secret` determines the seed of each seat. Raises the errors of `play`."""
    table = LocalTable(game, bots, LocalSessions(bots), secret)
    while (seat := game.actor) is not None:
        game.apply(table.ask(seat))
        table.acted(seat)
    table.close()


def _ignore(_sentence: str) -> None:
    """Do nothing: an illegal choice ends the game with an exception anyway."""


class LocalSessions:
    """A session for each bot, welcomed and prepared, for a series of games.

    A bot that is listed more than once has one session, as with a referee.
    """

    def __init__(self, bots: Sequence[Bot]) -> None:
        self._sessions: list[tuple[Bot, Session]] = []
        for bot in bots:
            if not any(known is bot for known, _ in self._sessions):
                session = Session(bot, on_illegal=_ignore)
                session.receive(seat_pb2.PlayResponse(welcome=seat_pb2.Welcome(protocol_version=1, awaits_ready=True)))
                self._sessions.append((bot, session))

    def of(self, bot: Bot) -> Session:
        """Return the session of one of the bots."""
        return next(session for known, session in self._sessions if known is bot)


class LocalTable:
    """A game and the bots that play it. The owner of the table applies each action, and reports who acted."""

    def __init__(self, game: Game, bots: Sequence[Bot | None], sessions: LocalSessions, secret: bytes) -> None:
        """Open the table.

        bots: the bot in each seat; None for a seat that somebody else plays.
        secret: determines the seed of each seat.
        """
        self._game = game
        self._bots = bots
        self._sessions = [None if bot is None else sessions.of(bot) for bot in bots]
        self._encoder = encode.TableEncoder()
        self._decision_ids = [0] * game.players
        self._events_sent = [0] * game.players
        self._hands_sent = 0
        for seat, session in enumerate(self._sessions):
            if session is not None:
                self._open(session, seat, hashlib.sha256(secret + bytes([seat])).digest())

    def ask(self, seat: int) -> Action | str:
        """Return the decision of the bot in `seat`, whose turn it is. Raises ResignedError if the bot resigns."""
        bot, session = self._bots[seat], self._sessions[seat]
        assert bot is not None, "a bot sits there"
        assert session is not None, "as above"
        legal = self._game.legal_actions()
        if len(legal) == 1 and not bot.capabilities.wants_forced:
            return legal[0]
        return self._answer(bot, session, seat, legal)

    def acted(self, seat: int) -> None:
        """Record that the action of `seat` was applied, and notify the bots if it ended a hand."""
        self._decision_ids[seat] += 1
        self._end_hands()

    def close(self) -> None:
        """Close every bot's table, after the game or during it."""
        for seat, session in enumerate(self._sessions):
            if session is not None:
                self._close(session, seat)

    def _open(self, session: Session, seat: int, seed: bytes) -> None:
        game = self._game
        message = encode.table_opened(
            table_id=str(seat),
            seat=seat,
            rules=rules_of(game.variant).rules(game.options),
            clock=table_pb2.Clock(per_decision_ms=1000, bank_ms=5000),
            on_fault="forfeit",
            seed=seed,
        )
        session.receive(message)

    def _answer(self, bot: Bot, session: Session, seat: int, legal: tuple[Action, ...]) -> Action | str:
        request = self._encoder.request(
            str(seat),
            self._game,
            seat,
            self._decision_ids[seat],
            budget_ms=1000,
            bank_ms=5000,
            charged_ms=0,
            events_from=self._events_sent[seat] if bot.capabilities.wants_events else None,
        )
        self._events_sent[seat] = len(self._game.history)
        message = encode.decision_requests([request], deadline_ms=6000)
        answer = session.receive(seat_pb2.PlayResponse.FromString(message))[0]
        if answer.WhichOneof("message") == "resign":
            raise ResignedError(seat)
        decision = answer.decisions.decisions[0]
        if not decision.HasField("action_index"):
            return decision.action
        if decision.action_index < len(legal):
            return legal[decision.action_index]
        return f"action_index {decision.action_index}"

    def _end_hands(self) -> None:
        for hand in self._game.results[self._hands_sent :]:
            for seat, (bot, session) in enumerate(zip(self._bots, self._sessions, strict=True)):
                if bot is None or session is None:
                    continue
                events = hand.history[self._events_sent[seat] :] if bot.capabilities.wants_events else ()
                message = encode.hand_ended(str(seat), hand, events)
                session.receive(seat_pb2.PlayResponse.FromString(message))
                self._events_sent[seat] = 0
        self._hands_sent = len(self._game.results)

    def _close(self, session: Session, seat: int) -> None:
        game = self._game
        message = encode.table_closed(
            table_id=str(seat), ranks=game.ranks, scores=game.scores, games=game.games, ended=game.ended or "abandoned"
        )
        session.receive(message)
