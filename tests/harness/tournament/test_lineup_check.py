"""Records whose bots sit as one of our tournaments places them pass, and no others (ratings.md, Line-ups)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest

from bowerbird.engine import rules_of, variant_names
from bowerbird.harness.records.replay.replay import REVEAL
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.game_record import GameRecord, OptionValue
from bowerbird.harness.records.verify.game_checks import verify_text
from bowerbird.harness.records.verify.lineup_check import wrong_seats
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.lineups import (
    FREE_FOR_ALL,
    MIXED,
    ONE_VS_REST,
    TEAMS,
    Lineup,
    MeetingRules,
    SeatingError,
    default_kind,
    lineups,
)
from bowerbird.harness.tournament.plan import make_plan
from tests.support.records.played_games import game, seat_record
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.plans import jobs_of

Options = Mapping[str, OptionValue]

SEATS = range(2, 11)
SETS = (0, 1, 5, 10**6)
PLAYED = game("euchre", options={"max_hands": 1})
"""A record of which only the id, the variant, its options and the bots are changed: nothing else is read."""


def record_of(variant: str, options: Options, place: str, bots: Sequence[str]) -> GameRecord:
    """Return a record with these bots by seat. `place` is line-up, deal set and rotation: "ann+bob/0/1"."""
    seats = tuple(map(seat_record, bots))
    return replace(
        PLAYED,
        id=f"0123456789/{variant}-0/{place}",
        variant=variant,
        options=rules_of(variant).resolve(options),
        seats=seats,
    )


def seated(lineup: Lineup, number: int, rotation: int) -> list[str]:
    by_seat = dict(zip(lineup.seats(number, rotation), lineup.positions, strict=True))
    return [by_seat[seat] for seat in sorted(by_seat)]


def variants() -> Iterator[tuple[str, Options]]:
    """Yield each variant by default, and the variant for any number of players with each number."""
    for variant in variant_names():
        yield variant, {}
    for players in SEATS:
        if players in rules_of("dirty-clubs").options["players"].allowed:
            yield "dirty-clubs", {"players": players}
    yield "king-cut-throat", {"players": 2}


def tables(variant: str, options: Options, kind: str) -> Iterator[Lineup]:
    """Yield the line-ups of a kind for few and many bots, with and without challengers; some of many."""
    rules = rules_of(variant)
    seats, sides = rules.seats(options), rules.teams(options)
    for count in (2, 3, seats - 1, seats, seats + 2):
        bots = tuple(f"bot-{number}" for number in range(max(2, count)))
        for challengers in ((), bots[:1], bots[-1:]):
            try:
                made = lineups(kind, MeetingRules(bots, challengers), seats, sides)
            except SeatingError:
                continue
            yield from made[:: max(1, len(made) // 5)]


ALL = [(variant, options) for variant, options in variants()]
NAMES = [f"{variant}{''.join(f'-{value}' for value in options.values())}" for variant, options in ALL]


def kinds(variant: str, options: Options) -> tuple[str, ...]:
    return (TEAMS, MIXED) if default_kind(rules_of(variant).teams(options)) == TEAMS else (FREE_FOR_ALL, ONE_VS_REST)


def test_tables_of_two_to_ten_seats_are_tried() -> None:
    assert {rules_of(variant).seats(options) for variant, options in ALL} == set(SEATS)


@pytest.mark.parametrize(("variant", "options"), ALL, ids=NAMES)
def test_every_table_of_every_lineup_passes(variant: str, options: Options) -> None:
    tried = 0
    for kind in kinds(variant, options):
        for lineup in tables(variant, options, kind):
            for number in SETS:
                for rotation in range(len(lineup.rotations)):
                    bots = seated(lineup, number, rotation)
                    record = record_of(variant, options, f"{lineup.text}/{number}/{rotation}", bots)
                    assert wrong_seats(record) == "", (kind, record.id)
                    tried += 1
    assert tried


@pytest.mark.parametrize(("variant", "options"), ALL, ids=NAMES)
def test_an_invented_table_of_every_lineup_is_refused(variant: str, options: Options) -> None:
    for kind in kinds(variant, options):
        for lineup in list(tables(variant, options, kind))[::5]:
            rotations = range(len(lineup.rotations))
            for number in SETS[:2]:
                right = [seated(lineup, number, rotation) for rotation in rotations]
                for rotation in rotations:
                    tried = [[bot] * len(lineup.positions) for bot in dict.fromkeys(lineup.positions)]
                    tried += [[*right[rotation][:-1], bot] for bot in dict.fromkeys(lineup.positions)]
                    tried += right
                    for bots in tried:
                        said = wrong_seats(record_of(variant, options, f"{lineup.text}/{number}/{rotation}", bots))
                        is_right = bots == right[rotation]
                        assert (said == "") is is_right, (kind, f"{lineup.text}/{number}/{rotation}", bots)
                beyond = record_of(variant, options, f"{lineup.text}/{number}/{len(rotations)}", right[0])
                assert "at its seats are" in wrong_seats(beyond), beyond.id


@pytest.mark.parametrize(
    ("variant", "lineup", "bots"),
    [
        ("euchre", "ann", "ann ann ann ann"),
        ("euchre", "ann+ann", "ann ann ann ann"),
        ("euchre", "ann+ann+bob+bob", "ann ann bob bob"),
        ("euchre", "ann+bob+carl", "ann bob carl ann"),
        ("two-handed", "ann+ann", "ann ann"),
        ("three-handed", "ann", "ann ann ann"),
        ("three-handed", "ann+ann", "ann ann ann"),
        ("three-handed", "ann+ann+ann", "ann ann ann"),
        ("three-handed", "ann+bob+ann", "ann bob ann"),
        ("three-handed", "ann+bob+carl+dora", "ann bob carl"),
        ("buck", "ann+ann+ann+ann", "ann ann ann ann"),
        ("buck", "ann+bob+ann+bob", "ann bob ann bob"),
        ("five-handed", "ann+ann+ann+bob+carl", "ann ann ann bob carl"),
        ("seven-handed", "ann+ann+bob+bob+bob+bob+carl", "ann ann bob bob bob bob carl"),
    ],
)
def test_a_lineup_that_no_tournament_has_is_refused(variant: str, lineup: str, bots: str) -> None:
    assert "which is not rotation 0 of line-up" in wrong_seats(record_of(variant, {}, f"{lineup}/0/0", bots.split()))


@pytest.mark.parametrize(
    ("rotation", "bots"),
    [(0, "ann bob ann bob"), (1, "bob ann bob ann"), (2, "ann bob ann bob"), (3, "bob ann bob ann")],
)
def test_bots_of_the_short_form_sit_in_turn(rotation: int, bots: str) -> None:
    """`ann+bob` at a table of four where each plays for himself, in every deal set."""
    for number in SETS:
        assert wrong_seats(record_of("buck", {}, f"ann+bob/{number}/{rotation}", bots.split())) == ""
        for wrong in ("ann ann ann ann", "ann ann bob bob", "bob bob ann ann", "ann bob bob bob", "ann bob ann carl"):
            assert wrong_seats(record_of("buck", {}, f"ann+bob/{number}/{rotation}", wrong.split())), wrong
        turned = bots.split()[1:] + bots.split()[:1]
        assert wrong_seats(record_of("buck", {}, f"ann+bob/{number}/{rotation}", turned))
    assert wrong_seats(record_of("buck", {}, f"ann+bob/0/{rotation + 4}", bots.split()))


def test_the_first_version_placed_the_bots_alike_in_all_deal_sets() -> None:
    newer = record_of("three-handed", {}, "ann+bob+carl/1/0", ["ann", "bob", "carl"])
    older = replace(newer, options={key: value for key, value in newer.options.items() if key != REVEAL})
    assert wrong_seats(newer) != ""
    assert wrong_seats(older) == ""


@pytest.mark.parametrize("challenge", ["", 'format = "gauntlet"'])
def test_every_table_of_a_plan_passes(yard: Yard, challenge: str) -> None:
    """The jobs that a tournament plays, of several variants and six bots."""
    variants = "".join(f'[[variant]]\nname = "{name}"\n' for name in ("euchre", "two-handed", "cornish", "five-handed"))
    variants += '[[variant]]\nname = "buck"\nlineup = "one-vs-rest"\n'
    bots = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{name}"\n' for name in "fbadce")
    plan = make_plan(load_tournament(yard.tournament("sets = 7", challenge, variants=variants, bots=bots)), bytes(32))
    tried = 0
    for job in jobs_of(plan):
        for table in job.tables():
            seats = tuple(seat_record(seat.bot) for seat in table.seats)
            record = replace(PLAYED, id=table.game_id, variant=table.variant, options=table.options, seats=seats)
            assert wrong_seats(record) == "", record.id
            tried += 1
    assert tried > 500


def test_a_single_record_with_invented_seats_is_refused() -> None:
    assert verify_text(canonical(PLAYED)) == []
    other = replace(PLAYED, seats=(PLAYED.seats[0],) * len(PLAYED.seats))
    (difference,) = verify_text(canonical(other))
    assert difference.sentence.startswith("at its seats are ann, ann, ann, ann, which is not rotation 0 of line-up")
