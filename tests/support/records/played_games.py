"""Real games for tests, played at the referee's own table without processes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from bowerbird.engine import rules_of
from bowerbird.harness.records.values.annotations import LONGEST_NOTE, Note
from bowerbird.harness.records.values.faults import FAULT_KINDS, FaultStory
from bowerbird.harness.records.values.game_record import Conditions, GameRecord, OptionValue, SeatRecord, TimeControl
from bowerbird.harness.records.values.run import Entrant, GameId, RunHeader, SetKey, commitment_of
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.game.table import Table, fresh_game, unplayed
from bowerbird.harness.referee.spec import InstanceKey, SeatSpec, TableSpec

SEED = bytes(range(32))
MILLISECOND = 1_000_000

Misbehaviour = Callable[[Table], bool]
"""Called before each due decision. May change the table; returns whether it did."""


def seat_record(bot: str) -> SeatRecord:
    return SeatRecord(bot, "1.0", f"sha256:{bot}")


def header(name: str = "autumn", seed: bytes = SEED, bots: tuple[str, ...] = ("ann", "bob"), **more: str) -> RunHeader:
    entrants = tuple(Entrant(bot, "1.0", f"sha256:{bot}", "somebody") for bot in bots)
    return RunHeader(name, commitment_of(seed), False, "[tournament]\n", entrants, **more)


def spec_of(
    variant: str,
    bots: tuple[str, ...],
    *,
    options: Mapping[str, OptionValue] | None = None,
    set_number: int = 0,
    rotation: int = 0,
    run: RunHeader | None = None,
    seed: bytes = SEED,
    on_fault: str = "",
) -> TableSpec:
    run = run or header(bots=tuple(sorted(set(bots))))
    lineup = "+".join(sorted(set(bots)))
    entry = f"{variant}-0"
    return TableSpec(
        game_id=str(GameId(run.fingerprint, entry, lineup, set_number, rotation)),
        variant=variant,
        options=options or {},
        entry=entry,
        set_number=set_number,
        rotation=rotation,
        seed=seed,
        commitment=run.commitment,
        seats=tuple(SeatSpec(bot, InstanceKey(bot, number)) for number, bot in enumerate(bots)),
        on_fault=on_fault,
    )


def play(spec: TableSpec, chooser: random.Random, misbehave: Misbehaviour | None = None, ms: int = 3) -> GameRecord:
    """Play the table to its end by random choices, each charged 0 to `ms` milliseconds."""
    return play_on(seated(spec), chooser, misbehave, ms)


def seated(spec: TableSpec) -> Table:
    """Return the table, ready to play."""
    return Table(
        spec,
        Conditions("substitute", "limits", "seat", TimeControl()),
        [seat_record(seat.bot) for seat in spec.seats],
    )


def play_on(table: Table, chooser: random.Random, misbehave: Misbehaviour | None = None, ms: int = 3) -> GameRecord:
    """Play on at a seated table, as `play` does."""
    table.start()
    while table.record is None:
        if misbehave is not None and misbehave(table):
            continue
        due = table.due
        assert due is not None
        table.answer(chooser.randrange(len(due.legal)), chooser.randint(0, ms) * MILLISECOND)
    return table.record


def game(
    variant: str,
    number: int = 0,
    *,
    on_fault: str = "substitute",
    misbehave: Misbehaviour | None = None,
    options: Mapping[str, OptionValue] | None = None,
) -> GameRecord:
    """Return a game of `variant` with ann and bob at alternate seats; another `number` is another game."""
    bots = around(spec_of(variant, ("ann", "bob"), options=options))
    spec = spec_of(variant, bots, options=options, set_number=number, on_fault=on_fault)
    return play(spec, random.Random(number), misbehave)


def around(spec: TableSpec, bots: tuple[str, ...] = ("ann", "bob")) -> tuple[str, ...]:
    """Return these bots in turn, one for each seat of the table of `spec`."""
    return tuple(bots[seat % len(bots)] for seat in range(fresh_game(spec).players))


def deal_set(
    variant: str,
    number: int,
    run: RunHeader,
    *,
    seed: bytes = SEED,
    ms: int = 3,
    options: Mapping[str, OptionValue] | None = None,
    bots: tuple[str, ...] = ("ann", "bob"),
) -> tuple[SetKey, tuple[GameRecord, ...]]:
    """Return a deal set of these bots at alternate seats.

    Two mirrored games in team games, otherwise one game for each seat. A set that was played before is not played
    again: its games are the same, and nobody changes them.
    """
    chosen = tuple((options or {}).items())
    games = _played(variant=variant, number=number, run=run, seed=seed, ms=ms, options=chosen, bots=bots)
    return GameId.parse(games[0].id).set_key, games


@cache
def _played(
    *,
    variant: str,
    number: int,
    run: RunHeader,
    seed: bytes,
    ms: int,
    options: tuple[tuple[str, OptionValue], ...],
    bots: tuple[str, ...],
) -> tuple[GameRecord, ...]:
    specs = set_specs(variant, number, run, seed=seed, options=dict(options), bots=bots)
    return tuple(play(spec, random.Random(f"{number}/{spec.rotation}"), ms=ms) for spec in specs)


def set_specs(
    variant: str,
    number: int,
    run: RunHeader,
    *,
    seed: bytes = SEED,
    options: Mapping[str, OptionValue] | None = None,
    bots: tuple[str, ...] = ("ann", "bob"),
) -> list[TableSpec]:
    """Return the tables of a deal set of these bots."""
    bots = around(spec_of(variant, bots, options=options, run=run), bots)
    rotations = 2 if rules_of(variant).teams(options) is not None else len(bots)
    return [
        spec_of(
            variant,
            bots[-turn:] + bots[:-turn] if turn else bots,
            options=options,
            set_number=number,
            rotation=turn,
            run=run,
            seed=seed,
        )
        for turn in range(rotations)
    ]


STDERR = 'Traceback:\n  "the queen\u2665 is missing"\n\x1b[2J\x00\\\n'
"""Text that a bot may write: quotes, line breaks, terminal control characters."""


def faulty_set(
    variant: str,
    number: int,
    run: RunHeader,
    *,
    options: Mapping[str, OptionValue] | None = None,
    bots: tuple[str, ...] = ("ann", "bob"),
) -> tuple[SetKey, tuple[GameRecord, ...], tuple[FaultStory, ...]]:
    """Return a deal set with a fault in each game, forfeited or played on in turn, and each fault's story."""
    games, stories = [], []
    for fair in set_specs(variant, number, run, options=options, bots=bots):
        turn = number + fair.rotation
        table = seated(replace(fair, on_fault=("forfeit", "substitute")[turn % 2]))
        fault = after(3 * fair.rotation, None, FAULT_KINDS[turn % len(FAULT_KINDS)])
        record = play_on(table, random.Random(f"{number}/{fair.rotation}"), fault)
        games.append(record)
        stories += [
            FaultStory(
                game=record.id,
                seat=seat,
                bot=record.seats[seat].bot,
                legal=legal,
                how_ended=("exit status 3", "still running")[turn % 2],
                stderr=STDERR[: 10 * turn],
                log=f"logs/{run.fingerprint}/{record.seats[seat].bot}-{seat}-1.log",
            )
            for seat, legal in table.legal_at_fault.items()
        ]
    return GameId.parse(games[0].id).set_key, tuple(games), tuple(stories)


WORDS = ("trump is short", "<script>alert('\u2665')</script>", '\x1b[2J\u202e\\\n"', "\u2665" * (LONGEST_NOTE // 3))
"""Text that a bot may note: markup, control characters, many bytes."""


def notes_of(record: GameRecord) -> tuple[Note, ...]:
    """Return notes about some actions that the bots of a game chose."""
    return tuple(
        Note(record.id, int(said.partition(" ")[0]), number, action, WORDS[(number + action) % len(WORDS)])
        for number, hand in enumerate(record.hands)
        for action, said in enumerate(hand.actions)
        if action not in hand.forced and action not in hand.substituted and (number + action) % 3
    )


def after(decisions: int, seat: int | None, kind: str) -> Misbehaviour:
    """Return a misbehaviour: `seat` faults once, after `decisions` decisions of all seats. None: the seat to decide."""
    asked = 0

    def misbehave(table: Table) -> bool:
        nonlocal asked
        asked += 1
        due = table.due
        assert due is not None
        if asked == decisions + 1:
            culprit = due.seat if seat is None else seat
            return table.leave(culprit, Fault(kind, "exit status 3", 6020, 6031)) and culprit == due.seat
        return False

    return misbehave


def withdrawn(variant: str, absent: int, number: int = 0) -> GameRecord:
    """Return a game that was not played because the bot at seat `absent` had been withdrawn."""
    spec = spec_of(variant, around(spec_of(variant, ("ann", "bob"))), set_number=number)
    conditions = Conditions("substitute", "limits", "seat", TimeControl())
    seats = [seat_record(seat.bot) for seat in spec.seats]
    return unplayed(spec, conditions, seats, {absent: Fault("NEVER_STARTED", "no such file")})


def database(folder: Path) -> Path:
    return folder / "results" / "bowerbird.db"
