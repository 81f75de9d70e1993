"""The charge of a decision, and when it is late (protocol.md, The clock and Batches)."""

from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.game.clock import NS_PER_MS, Bank, MessageClock, Pace, ms_at_least, whole_ms

PACE = Pace.of(TimeControl(per_decision_ms=1000, bank_ms=5000, increment_ms=300, margin_ms=20))


def ms(count: int) -> int:
    return count * NS_PER_MS


def test_a_decision_within_its_budget_leaves_the_bank_alone() -> None:
    bank = Bank(PACE)
    assert bank.charge(ms(1000))
    assert bank.left == ms(5000)
    assert bank.charged == ms(1000)


def test_a_decision_over_its_budget_draws_on_the_bank() -> None:
    bank = Bank(PACE)
    assert bank.charge(ms(1700))
    assert bank.left == ms(4300)


def test_budget_bank_and_margin_together_are_still_in_time() -> None:
    bank = Bank(PACE)
    assert bank.limit == ms(6020)
    assert bank.charge(ms(6020))
    assert bank.left == 0, "the margin is grace, not credit"


def test_one_nanosecond_more_is_late() -> None:
    bank = Bank(PACE)
    assert not bank.charge(ms(6020) + 1)
    assert bank.left == 0


def test_each_hand_begins_with_an_increment() -> None:
    bank = Bank(PACE)
    bank.begin_hand()
    bank.begin_hand()
    assert bank.left == ms(5600)


def test_a_bounded_game_leaves_a_decision_no_more_than_the_rest_of_the_game() -> None:
    """The bank and its increments are still there, but can no longer be used."""
    bank = Bank(Pace.of(TimeControl(per_decision_ms=1000, bank_ms=5000, increment_ms=300, margin_ms=20, game_ms=1500)))
    assert (bank.budget, bank.left, bank.limit) == (ms(1000), ms(500), ms(1520))
    assert bank.charge(ms(900))
    assert (bank.budget, bank.left) == (ms(600), 0)
    bank.begin_hand()
    assert (bank.budget, bank.left, bank.limit) == (ms(600), 0, ms(620)), "an increment lengthened the game"
    assert bank.charge(ms(600))
    assert (bank.budget, bank.left, bank.limit) == (0, 0, ms(20))
    assert not bank.charge(ms(21)), "a decision beyond the game's time was in time"


def test_a_game_bound_above_all_budgets_changes_nothing() -> None:
    wide = Bank(Pace.of(TimeControl(1000, 5000, 300, game_ms=3_600_000)))
    free = Bank(Pace.of(TimeControl(1000, 5000, 300)))
    for taken in (400, 2500, 4510, 1021):
        assert wide.charge(ms(taken)) == free.charge(ms(taken))
        assert (wide.budget, wide.left) == (free.budget, free.left)


def test_a_message_is_due_after_its_budgets_and_its_largest_bank() -> None:
    rich, poor = Bank(PACE), Bank(PACE)
    poor.charge(ms(4000))
    clock = MessageClock(PACE, [poor, rich, poor], queued=ms(70))
    clock.begin(ms(100))
    assert clock.limit == ms(3 * 1000 + 5000 + 20)
    assert clock.deadline == ms(100) + clock.limit


def test_decisions_that_arrive_together_share_the_time() -> None:
    clock = MessageClock(PACE, [Bank(PACE)] * 4, queued=0)
    clock.begin(ms(10))
    assert clock.part(4, ms(810)) == ms(200)


def test_a_later_part_is_charged_since_the_part_before() -> None:
    clock = MessageClock(PACE, [Bank(PACE)] * 3, queued=0)
    assert clock.part(2, ms(600)) == ms(300)
    assert clock.part(1, ms(700)) == ms(100)


def test_a_part_that_was_stamped_before_the_last_one_costs_nothing() -> None:
    clock = MessageClock(PACE, [Bank(PACE)] * 2, queued=0)
    clock.part(1, ms(600))
    assert clock.part(1, ms(599)) == 0
    assert clock.part(1, ms(650)) == ms(50), "time must not be charged twice"


def test_a_message_of_which_only_void_decisions_are_left_is_due_after_their_time_alone() -> None:
    banks = [Bank(PACE) for _ in range(5)]
    clock = MessageClock(PACE, banks, ms(100))
    assert clock.limit == ms(10_020)
    clock.part(3, ms(600))
    assert clock.shorten(banks[:2])
    assert clock.limit == ms(500 + 7020)
    assert not clock.shorten(banks), "never longer"
    assert clock.limit == ms(500 + 7020)


def test_recorded_milliseconds_are_rounded_and_broken_limits_never_hidden() -> None:
    assert whole_ms(ms(3) + 499_999) == 3
    assert whole_ms(ms(3) + 500_000) == 4
    assert ms_at_least(ms(6020) + 1) == 6021
    assert ms_at_least(ms(6020)) == 6020
