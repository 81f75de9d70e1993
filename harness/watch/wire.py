"""Values of spectators to messages of `watch.proto` and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bowerbird.harness.records.replay.frames import Frame, Kind, Pile, SeatFrame
from bowerbird.harness.records.values.game_record import FaultRecord
from bowerbird.harness.watch.values import (
    BotFailed,
    BotInfo,
    ClockInfo,
    DealSet,
    GameOutcome,
    GamesOpened,
    Lost,
    RoundBegan,
    RunInfo,
    RunOver,
    RunUpdate,
    SetFinished,
    SetVoided,
    Standing,
    Standings,
    TableEnded,
    TableInfo,
    TableUpdate,
    Thinking,
)
from bowerbird.watch.v1 import watch_pb2 as pb

_KINDS: dict[Kind, pb.FrameKind.ValueType] = {
    "deal": pb.FRAME_KIND_DEAL,
    "action": pb.FRAME_KIND_ACTION,
    "fault": pb.FRAME_KIND_FAULT,
    "end": pb.FRAME_KIND_END,
}
_KIND_OF = {value: kind for kind, value in _KINDS.items()}


# Runs


def run_message(run: RunInfo) -> pb.Run:
    """Return a run as a message."""
    return pb.Run(
        id=run.id,
        name=run.name,
        bots=map(_bot_message, run.bots),
        variants=run.variants,
        sets_stored=run.sets_stored,
        sets_total=run.sets_total,
        sets_bound=run.sets_bound,
        games_played=run.games_played,
        packs=run.packs,
        shows_tables=run.shows_tables,
        why_hidden=run.why_hidden,
        round=run.round,
    )


def run_from(message: pb.Run) -> RunInfo:
    """Return the run in a message."""
    return RunInfo(
        id=message.id,
        name=message.name,
        bots=tuple(map(_bot_from, message.bots)),
        variants=tuple(message.variants),
        sets_stored=message.sets_stored,
        sets_total=message.sets_total,
        sets_bound=message.sets_bound,
        games_played=message.games_played,
        packs=message.packs,
        shows_tables=message.shows_tables,
        why_hidden=message.why_hidden,
        round=message.round,
    )


def _bot_message(bot: BotInfo) -> pb.Bot:
    return pb.Bot(name=bot.name, version=bot.version, author=bot.author)


def _bot_from(message: pb.Bot) -> BotInfo:
    return BotInfo(message.name, message.version, message.author)


def standing_messages(standings: Standings) -> Iterable[pb.Standing]:
    """Yield the rows of standings as messages."""
    return (
        pb.Standing(
            scope=one.scope, bot=one.bot, elo=one.elo, games=one.games, rank=one.rank, low=one.low, high=one.high
        )
        for one in standings.standings
    )


def standings_from(sets: int, rows: Iterable[pb.Standing], *, is_open: bool) -> Standings:
    """Return the standings in messages."""
    standings = tuple(
        Standing(
            scope=one.scope,
            bot=one.bot,
            elo=one.elo,
            games=one.games,
            rank=one.rank,
            low=one.low if one.HasField("low") else None,
            high=one.high if one.HasField("high") else None,
        )
        for one in rows
    )
    return Standings(sets, standings, is_open)


def run_update_message(update: RunUpdate) -> pb.WatchRunResponse:
    """Return an update of a run as a message."""
    message = pb.WatchRunResponse()
    match update:
        case RunInfo():
            message.run.CopyFrom(run_message(update))
        case SetFinished():
            games = map(_outcome_message, update.games)
            finished = pb.SetFinished(set=_set_message(update.set), games=games, sets_stored=update.sets_stored)
            message.set_finished.CopyFrom(finished)
        case SetVoided():
            key, is_left_out = _set_message(update.set), update.is_left_out
            void = pb.SetVoided(set=key, bots=update.bots, why=update.why, is_left_out=is_left_out)
            message.set_voided.CopyFrom(void)
        case BotFailed():
            message.bot_failed.CopyFrom(pb.BotFailed(game=update.game, bot=update.bot, kind=update.kind))
        case GamesOpened():
            message.games_opened.CopyFrom(pb.GamesOpened(sets=map(_set_message, update.sets)))
        case Standings():
            rows = standing_messages(update)
            message.ratings_changed.CopyFrom(
                pb.RatingsChanged(sets=update.sets, standings=rows, is_open=update.is_open)
            )
        case RoundBegan():
            message.round_started.CopyFrom(pb.RoundStarted(title=update.title))
        case Lost():
            message.lost.CopyFrom(pb.Lost(updates=update.updates))
        case RunOver():
            message.run_ended.CopyFrom(pb.RunEnded(reason=update.reason, is_complete=update.is_complete))
    return message


def run_update_from(message: pb.WatchRunResponse) -> RunUpdate | None:
    """Return the update of a run in a message; None for one of a later version."""
    read = _RUN_UPDATES.get(message.WhichOneof("update") or "")
    return None if read is None else read(message)


def _finished_from(message: pb.SetFinished) -> SetFinished:
    return SetFinished(_set_from(message.set), tuple(map(_outcome_from, message.games)), message.sets_stored)


def _voided_from(message: pb.SetVoided) -> SetVoided:
    return SetVoided(_set_from(message.set), tuple(message.bots), message.why, message.is_left_out)


_RUN_UPDATES: dict[str, Callable[[pb.WatchRunResponse], RunUpdate]] = {
    "run": lambda message: run_from(message.run),
    "set_finished": lambda message: _finished_from(message.set_finished),
    "set_voided": lambda message: _voided_from(message.set_voided),
    "bot_failed": lambda m: BotFailed(m.bot_failed.game, m.bot_failed.bot, m.bot_failed.kind),
    "games_opened": lambda message: GamesOpened(tuple(map(_set_from, message.games_opened.sets))),
    "ratings_changed": lambda m: standings_from(
        m.ratings_changed.sets, m.ratings_changed.standings, is_open=m.ratings_changed.is_open
    ),
    "round_started": lambda message: RoundBegan(message.round_started.title),
    "lost": lambda message: Lost(message.lost.updates),
    "run_ended": lambda message: RunOver(message.run_ended.reason, message.run_ended.is_complete),
}


def _set_message(key: DealSet) -> pb.DealSet:
    return pb.DealSet(entry=key.entry, lineup=key.lineup, number=key.number)


def _set_from(message: pb.DealSet) -> DealSet:
    return DealSet(message.entry, message.lineup, message.number)


def _outcome_message(game: GameOutcome) -> pb.GameResult:
    return pb.GameResult(game=game.game, scores=game.scores, offenders=game.offenders, ranks=game.ranks, bots=game.bots)


def _outcome_from(message: pb.GameResult) -> GameOutcome:
    return GameOutcome(
        game=message.game,
        scores=tuple(message.scores),
        offenders=tuple(message.offenders),
        ranks=tuple(message.ranks),
        bots=tuple(message.bots),
    )


# Tables


def table_message(table: TableInfo) -> pb.Table:
    """Return a table as a message."""
    clock = table.clock
    return pb.Table(
        game=table.game,
        variant=table.variant,
        options=dict(table.options),
        seats=map(_bot_message, table.seats),
        hand=table.hand,
        scores=table.scores,
        is_shown=table.is_shown,
        clock=pb.Clock(
            per_decision_ms=clock.per_decision_ms,
            bank_ms=clock.bank_ms,
            increment_ms=clock.increment_ms,
            game_ms=clock.game_ms,
        ),
    )


def table_from(message: pb.Table) -> TableInfo:
    """Return the table in a message."""
    clock = message.clock
    return TableInfo(
        game=message.game,
        variant=message.variant,
        options=dict(message.options),
        seats=tuple(map(_bot_from, message.seats)),
        hand=message.hand,
        scores=tuple(message.scores),
        is_shown=message.is_shown,
        clock=ClockInfo(clock.per_decision_ms, clock.bank_ms, clock.increment_ms, clock.game_ms),
    )


def table_update_message(update: TableUpdate) -> pb.WatchTableResponse:
    """Return an update of a table as a message. A frame must be a public one: a hand has no room in it."""
    message = pb.WatchTableResponse()
    match update:
        case TableInfo():
            message.table.CopyFrom(table_message(update))
        case Frame():
            message.frame.CopyFrom(frame_message(update))
        case Thinking():
            thinking = pb.Thinking(seat=update.seat, elapsed_ms=update.elapsed_ms, limit_ms=update.limit_ms)
            message.thinking.CopyFrom(thinking)
        case Lost():
            message.lost.CopyFrom(pb.Lost(updates=update.updates))
        case TableEnded():
            ended = pb.TableEnded(ended=update.ended, winners=update.winners, ranks=update.ranks)
            message.ended.CopyFrom(ended)
    return message


def table_update_from(message: pb.WatchTableResponse) -> TableUpdate | None:
    """Return the update of a table in a message; None for one of a later version."""
    read = _TABLE_UPDATES.get(message.WhichOneof("update") or "")
    return None if read is None else read(message)


def _thinking_from(message: pb.Thinking) -> Thinking:
    seat = message.seat if message.HasField("seat") else None
    return Thinking(seat, message.elapsed_ms, message.limit_ms)


_TABLE_UPDATES: dict[str, Callable[[pb.WatchTableResponse], TableUpdate]] = {
    "table": lambda message: table_from(message.table),
    "frame": lambda message: frame_from(message.frame),
    "thinking": lambda message: _thinking_from(message.thinking),
    "lost": lambda message: Lost(message.lost.updates),
    "ended": lambda m: TableEnded(m.ended.ended, tuple(m.ended.winners), tuple(m.ended.ranks)),
}


def frame_message(frame: Frame) -> pb.Frame:
    """Return a public frame as a message."""
    fault = frame.fault
    return pb.Frame(
        hand=frame.hand,
        step=frame.step,
        kind=_KINDS[frame.kind],
        seat=frame.seat,
        token=frame.token,
        said=frame.said,
        seats=map(_seat_message, frame.seats),
        dealer=frame.dealer,
        actor=frame.actor,
        stage=frame.stage,
        upcard=frame.upcard,
        upcard_place=frame.upcard_place,
        trump=frame.trump,
        maker=frame.maker,
        contract=frame.contract,
        how=frame.how,
        lone_defender=frame.lone_defender,
        trick=(pb.PlayedCard(seat=seat, card=card) for seat, card in frame.trick),
        trick_number=frame.trick_number,
        winner=frame.winner,
        piles=(pb.Pile(name=pile.name, number=pile.number) for pile in frame.piles),
        facts=(pb.Fact(name=name, value=value) for name, value in frame.facts),
        ms=frame.ms,
        forced=frame.forced,
        substituted=frame.substituted,
        fault=None
        if fault is None
        else pb.Fault(seat=fault.seat, kind=fault.kind, limit_ms=fault.limit_ms, elapsed_ms=fault.elapsed_ms),
    )


def _seat_message(seat: SeatFrame) -> pb.Seat:
    return pb.Seat(
        hidden=seat.hidden,
        laid=seat.laid,
        covered=seat.covered,
        tricks=seat.tricks,
        score=seat.score,
        games=seat.games,
        active=seat.active,
        side=seat.side,
        bank_ms=seat.bank_ms or 0,
    )


def frame_from(message: pb.Frame) -> Frame:
    """Return the frame in a message. A kind of a later version is an action."""
    fault = message.fault
    return Frame(
        hand=message.hand,
        step=message.step,
        kind=_KIND_OF.get(message.kind, "action"),
        seat=message.seat if message.HasField("seat") else None,
        token=message.token,
        said=message.said,
        seats=tuple(map(_seat_from, message.seats)),
        dealer=message.dealer,
        actor=message.actor if message.HasField("actor") else None,
        stage=message.stage,
        upcard=message.upcard,
        upcard_place=message.upcard_place,
        trump=message.trump,
        maker=message.maker if message.HasField("maker") else None,
        contract=message.contract,
        how=message.how,
        lone_defender=message.lone_defender if message.HasField("lone_defender") else None,
        trick=tuple((card.seat, card.card) for card in message.trick),
        trick_number=message.trick_number,
        winner=message.winner if message.HasField("winner") else None,
        piles=tuple(Pile(pile.name, (), pile.number) for pile in message.piles),
        facts=tuple((fact.name, fact.value) for fact in message.facts),
        ms=message.ms if message.HasField("ms") else None,
        forced=message.forced,
        substituted=message.substituted,
        fault=FaultRecord(message.hand, message.step, fault.seat, fault.kind, fault.limit_ms, fault.elapsed_ms, "")
        if message.HasField("fault")
        else None,
    )


def _seat_from(message: pb.Seat) -> SeatFrame:
    return SeatFrame(
        cards=(),
        hidden=message.hidden,
        laid=tuple(message.laid),
        covered=message.covered,
        put_away=(),
        tricks=message.tricks,
        score=message.score,
        games=message.games if message.HasField("games") else None,
        active=message.active,
        side=message.side,
        bank_ms=message.bank_ms,
    )
