"""Standings follow from the records, counted here a second time in another way (database.md)."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.faults import FAULT_KINDS
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId, ResultsDigest
from tests.support.records.every_game import every_game
from tests.support.records.played_games import (
    SEED,
    Misbehaviour,
    after,
    database,
    deal_set,
    header,
    play,
    spec_of,
    withdrawn,
)

NO_RATINGS = ResultsDigest("", 0)
RUN = header(bots=("ann", "bob", "eve"))


def save(store: Store, games: tuple[GameRecord, ...], ratings: ResultsDigest = NO_RATINGS) -> None:
    with store.begin(RUN, SEED) as writer:
        assert writer.save_set(GameId.parse(games[0].id).set_key, games, ratings)


def table_of_four(
    number: int, bots: tuple[str, ...], misbehave: Misbehaviour | None = None, ms: int = 9
) -> tuple[GameRecord, ...]:
    specs = [
        spec_of("buck", bots[-turn:] + bots[:-turn], set_number=number, rotation=turn, run=RUN, on_fault="substitute")
        for turn in range(4)
    ]
    return tuple(play(spec, random.Random(f"{number}{spec.rotation}"), misbehave, ms) for spec in specs)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(database(tmp_path))


def test_wins_draws_and_losses_count_each_opponent_at_the_table(store: Store) -> None:
    games = table_of_four(0, ("ann", "bob", "eve", "ann"))
    save(store, games)
    counted: Counter[tuple[str, float]] = Counter()
    met: Counter[tuple[str, str]] = Counter()
    for game in games:
        bots, ranks = [seat.bot for seat in game.seats], game.result.ranks
        for seat, bot in enumerate(bots):
            for other, opponent in enumerate(bots):
                if bot != opponent:
                    counted[bot, 0.5 if ranks[seat] == ranks[other] else float(ranks[seat] < ranks[other])] += 1
                    met[bot, opponent] += 1
    rows = {row.bot: row for row in store[RUN.fingerprint].standings()}
    assert {bot: (row.wins, row.draws, row.losses) for bot, row in rows.items()} == {
        bot: (counted[bot, 1.0], counted[bot, 0.5], counted[bot, 0.0]) for bot in ("ann", "bob", "eve")
    }
    assert all(row.games == 4 for row in rows.values())
    pairs = {(cell.bot, cell.opponent): cell for cell in store[RUN.fingerprint].crosstable()}
    assert {pair: cell.wins + cell.draws + cell.losses for pair, cell in pairs.items()} == dict(met)
    assert pairs["ann", "eve"].score == pytest.approx(1 - pairs["eve", "ann"].score)


def test_a_side_of_two_seats_meets_the_other_side_once(store: Store) -> None:
    _, games = deal_set("euchre", 0, RUN)
    save(store, games)
    ann, bob = sorted(store[RUN.fingerprint].standings(), key=lambda row: row.bot)
    assert ann.wins + ann.draws + ann.losses == 2, "two games against one opponent"
    assert (ann.wins, ann.losses) == (bob.losses, bob.wins)


def test_a_bot_against_its_own_copies_counts_nothing(store: Store) -> None:
    save(store, table_of_four(0, ("ann",) * 4))
    (ann,) = store[RUN.fingerprint].standings()
    assert (ann.games, ann.wins, ann.draws, ann.losses, ann.score) == (4, 0, 0, 0, None)
    assert store[RUN.fingerprint].crosstable() == []


def test_an_offender_loses_each_pair_and_the_others_count_as_they_finished(store: Store) -> None:
    """protocol.md, Faults at a table: under substitute the offender loses every rated pair."""
    games = table_of_four(0, ("ann", "bob", "eve", "bob"), misbehave=after(20, 0, "CRASHED"))
    assert any(game.faults for game in games)
    save(store, games)
    for result, game in zip(store[RUN.fingerprint].results(), games, strict=True):
        assert result.offenders == tuple({fault.seat for fault in game.faults})
        for offender in result.offenders:
            innocent = [seat for seat in range(4) if seat not in result.offenders]
            assert all(result.pair_outcome(offender, seat) == 0.0 for seat in innocent)
            assert all(result.pair_outcome(seat, offender) == 1.0 for seat in innocent)
    views: Counter[tuple[str, str, float]] = Counter()
    for result in store[RUN.fingerprint].results():
        for seat, bot in enumerate(result.bots):
            for other, opponent in enumerate(result.bots):
                if bot != opponent:
                    views[bot, opponent, result.pair_outcome(seat, other)] += 1
    assert {(cell.bot, cell.opponent): (cell.wins, cell.losses) for cell in store[RUN.fingerprint].crosstable()} == {
        (cell.bot, cell.opponent): (views[cell.bot, cell.opponent, 1.0], views[cell.bot, cell.opponent, 0.0])
        for cell in store[RUN.fingerprint].crosstable()
    }, "the view and GameResult.outcome must agree"


def test_faults_are_counted_by_kind_and_listed(store: Store) -> None:
    games = tuple(
        play(
            spec_of(
                "euchre",
                ("ann", "bob") * 2 if turn == 0 else ("bob", "ann") * 2,
                rotation=turn,
                run=RUN,
                on_fault="forfeit",
            ),
            random.Random(turn),
            after(5 + turn, None, kind),
        )
        for turn, kind in enumerate(("TIMEOUT", "ILLEGAL"))
    )
    save(store, games)
    rows = store[RUN.fingerprint].standings()
    assert all(set(row.faults) == set(FAULT_KINDS) for row in rows)
    assert sum(row.faults["TIMEOUT"] for row in rows) == 1
    assert sum(row.faults["ILLEGAL"] for row in rows) == 1
    assert sum(sum(row.faults.values()) for row in rows) == 2
    listed = store[RUN.fingerprint].faults()
    assert [(fault.game, fault.kind, fault.detail) for fault in listed] == [
        (games[0].id, "TIMEOUT", "exit status 3"),
        (games[1].id, "ILLEGAL", "exit status 3"),
    ]
    assert all(fault.bot == games[n].seats[fault.seat].bot for n, fault in enumerate(listed))
    assert [game.faults for game in every_game(store)] == [1, 1]


def test_decision_times_are_the_exact_percentiles_of_the_bots_own_decisions(store: Store) -> None:
    games = table_of_four(0, ("ann", "bob", "eve", "bob"), ms=900)
    save(store, games)
    times: dict[str, list[int]] = {}
    for game in games:
        for hand in game.hands:
            for index, (action, ms) in enumerate(zip(hand.actions, hand.ms, strict=True)):
                if index not in hand.forced:
                    times.setdefault(game.seats[int(action[0])].bot, []).append(ms)
    for row in store[RUN.fingerprint].standings():
        ordered = sorted(times[row.bot])
        assert row.decisions == len(ordered)
        assert row.p50_ms == ordered[math.ceil(0.50 * len(ordered)) - 1]
        assert row.p99_ms == ordered[math.ceil(0.99 * len(ordered)) - 1]


def test_points_per_deal_go_in_the_better_direction(store: Store) -> None:
    """buck counts down from 25 (V12.1): a point fewer is a point won."""
    games = table_of_four(0, ("ann", "bob", "eve", "bob"))
    save(store, games)
    won, hands = 0, 0
    for game in games:
        for seat, who in enumerate(game.seats):
            if who.bot == "bob":
                won += 25 - game.scores[seat]
                hands += len(game.hands)
    (bob,) = (row for row in store[RUN.fingerprint].standings() if row.bot == "bob")
    assert bob.points_per_deal == pytest.approx(won / hands)


def test_standings_of_one_variant_leave_the_others_out(store: Store) -> None:
    save(store, table_of_four(0, ("ann", "bob", "eve", "bob")))
    save(store, deal_set("euchre", 0, RUN)[1])
    run = RUN.fingerprint
    assert {row.bot: row.games for row in store[run].standings()} == {"ann": 6, "bob": 6, "eve": 4}
    assert {row.bot: row.games for row in store[run].standings("euchre")} == {"ann": 2, "bob": 2}
    assert store[run].standings("cornish") == []


def test_a_game_without_its_withdrawn_bot_is_not_rated_and_no_fault(store: Store) -> None:
    games = deal_set("euchre", 0, header())[1]
    absent = withdrawn("euchre", 0)
    run = header()
    with store.begin(run, SEED) as writer:
        writer.save_set(GameId.parse(absent.id).set_key, (absent, games[1]), NO_RATINGS)
    unrated, rated = store[run.fingerprint].results()
    assert (unrated.rated, rated.rated) == (False, True)
    assert unrated.pair_outcome(0, 1) == 0.0
    (ann,) = (row for row in store[run.fingerprint].standings() if row.bot == "ann")
    assert ann.faults["NEVER_STARTED"] == 0


def test_a_shared_place_is_half_a_win() -> None:
    result = GameResult(
        GameId("r", "buck-0", "a+b", 0, 0),
        "buck",
        ("a", "b", "a", "b"),
        (0, 1, 2, 3),
        (1, 1, 3, 4),
        (0, 0, 3, 9),
        (3,),
        True,
    )
    assert result.pair_outcome(0, 1) == 0.5
    assert result.pair_outcome(2, 0) == 0.0
    assert result.pair_outcome(2, 3) == 1.0
