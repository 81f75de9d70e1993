"""Incremental Elo (ratings.md, Ratings kept, 1, and Known answers)."""

from __future__ import annotations

import pytest

from bowerbird.harness.ratings.elo.update import START, K, changes, expected_score
from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.records.values.game_record import (
    Conditions,
    FaultRecord,
    GameRecord,
    ResultRecord,
    SeatRecord,
    TimeControl,
)
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId


def game(
    bots: str,
    ranks: tuple[int, ...],
    *,
    sides: tuple[int, ...] | None = None,
    offenders: tuple[int, ...] = (),
    rated: bool = True,
) -> GameResult:
    """Return a game of bots named by letters; each plays for himself unless `sides` says otherwise."""
    return GameResult(
        id=GameId("4f1c9a", "buck-0", "+".join(bots), 0, 0),
        variant="buck",
        bots=tuple(bots),
        sides=sides or tuple(range(len(bots))),
        ranks=ranks,
        scores=(0,) * len(bots),
        offenders=offenders,
        rated=rated,
    )


def test_expectation_is_ten_to_one_at_400_points() -> None:
    assert expected_score(1900, 1500) == pytest.approx(10 / 11)
    assert expected_score(1500, 1900) == pytest.approx(1 / 11)


def test_equal_bots_move_by_half_of_k() -> None:
    assert changes(game("ab", (1, 2)), {}) == {"a": pytest.approx(K / 2), "b": pytest.approx(-K / 2)}


def test_a_shared_rank_is_half_a_win() -> None:
    moved = changes(game("ab", (1, 1)), {"a": 1600.0, "b": 1500.0})
    assert moved["a"] == pytest.approx(K * (0.5 - expected_score(1600, 1500)))


def test_multielo_known_answer_of_three_players() -> None:
    """ratings.md, Known answers: [1200, 1000, 900] in that order, K = 32.

    multielo uses 2K/n for each pair where ours is K/(n-1); with n = 3, 2*32/3 = K'/2 gives K' = 128/3.
    """
    moved = changes(game("abc", (1, 2, 3)), {"a": 1200.0, "b": 1000.0, "c": 900.0}, k=128 / 3)
    after = [1200 + moved["a"], 1000 + moved["b"], 900 + moved["c"]]
    assert after == pytest.approx([1208.346, 1002.553, 889.100], abs=5e-4)


def test_three_players_by_hand() -> None:
    """K/(n-1) = 10 for each pair; 1200 against 1000 is expected to score .7597, 1200 against 900 .8490."""
    moved = changes(game("abc", (1, 2, 3)), {"a": 1200.0, "b": 1000.0, "c": 900.0}, k=20)
    assert moved["a"] == pytest.approx(10 * (1 - 0.759747) + 10 * (1 - 0.849020), abs=1e-4)
    assert moved["c"] == pytest.approx(-10 * 0.150980 - 10 * 0.359935, abs=1e-4)


@pytest.mark.parametrize("ranks", [(1, 2, 3, 4), (4, 1, 1, 3), (1, 1, 1, 1)])
def test_no_rating_is_made_or_lost(ranks: tuple[int, ...]) -> None:
    moved = changes(game("abcd", ranks), {"a": 1700.0, "b": 1500.0, "c": 1300.0})
    assert sum(moved.values()) == pytest.approx(0, abs=1e-12)


def test_a_side_is_rated_by_the_mean_of_its_members_who_all_get_its_change() -> None:
    ratings = {"a": 1700.0, "b": 1500.0, "c": 1400.0, "d": 1400.0}
    moved = changes(game("acbd", (1, 2, 1, 2), sides=(0, 1, 0, 1)), ratings)
    change = K * (1 - expected_score(1600, 1400))
    assert moved == {name: pytest.approx(change if name in "ab" else -change) for name in "abcd"}


def test_one_bot_on_both_seats_of_a_side_gets_the_change_once() -> None:
    assert changes(game("abab", (1, 2, 1, 2), sides=(0, 1, 0, 1)), {})["a"] == pytest.approx(K / 2)


def test_a_pair_of_one_bot_with_itself_is_not_rated() -> None:
    """A is first and last, B between. A's two pairs with B cancel, and A against A is not rated."""
    assert changes(game("aba", (1, 2, 3)), {}) == {"a": pytest.approx(0), "b": pytest.approx(0)}
    assert changes(game("aaa", (1, 2, 3)), {"a": 1500.0}) == {}


def test_copies_each_play_their_own_pairs() -> None:
    """A at two of three seats, both ahead of B: each of the two pairs moves K/(n-1) * 1/2."""
    moved = changes(game("aab", (1, 1, 3)), {})
    assert moved == {"a": pytest.approx(K / 2), "b": pytest.approx(-K / 2)}


def test_an_offender_loses_every_pair_and_the_others_count_as_they_finished() -> None:
    """protocol.md, Faults at a table: A came first by its substitute and loses to B and C. B stays ahead of C."""
    moved = changes(game("abc", (1, 2, 3), offenders=(0,)), {})
    assert moved == changes(game("abc", (3, 1, 2)), {})


def test_two_offenders_meet_by_their_ranks() -> None:
    moved = changes(game("abc", (1, 2, 3), offenders=(0, 1)), {})
    assert moved == changes(game("abc", (2, 3, 1)), {})


def test_an_offenders_partner_loses_with_it() -> None:
    faulted = game("abab", (1, 2, 1, 2), sides=(0, 1, 0, 1), offenders=(2,))
    assert changes(faulted, {})["a"] == pytest.approx(-K / 2)


def test_a_game_that_was_not_played_never_enters() -> None:
    assert changes(game("ab", (2, 1), offenders=(0,), rated=False), {"a": START}) == {}


def record(ended: str, faults: tuple[FaultRecord, ...]) -> GameRecord:
    return GameRecord(
        id="4f1c9a/euchre-0/a+b/12/1",
        engine="1",
        rules="1",
        variant="euchre",
        options={},
        first_dealer=0,
        commitment="sha256:00",
        conditions=Conditions("forfeit", "none", "seat", TimeControl()),
        seats=tuple(SeatRecord(bot, "1", "sha256:0") for bot in "abab"),
        hands=(),
        faults=faults,
        result=ResultRecord(ended, (1, 3), (2, 1, 2, 1), ()),
    )


def test_a_record_says_who_was_at_fault_and_who_sat_together() -> None:
    faults = tuple(FaultRecord(0, 3, seat, "TIMEOUT", 1, 2, "") for seat in (2, 2, 0))
    result = result_of_record(record("forfeit", faults))
    assert result.offenders == (0, 2)
    assert result.sides == (0, 1, 0, 1)
    assert result.rated
    assert result.id == GameId("4f1c9a", "euchre-0", "a+b", 12, 1)


def test_the_record_of_a_withdrawn_bot_is_not_rated() -> None:
    assert not result_of_record(record("withdrawn", ())).rated


def test_the_ids_of_a_run_share_their_words() -> None:
    """The standings read a million ids at once."""
    ids = [GameId.parse(f"4f1c9a/euchre-0/a+b/{number}/0") for number in range(2)]
    assert ids[0].lineup is ids[1].lineup
