"""The scheduler: each rule of its choice, with fake bots of known strength."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest

from bowerbird.harness.tournament.lineups import balanced_sample
from bowerbird.harness.tournament.pairing.beliefs import expected_score
from bowerbird.harness.tournament.pairing.scheduler import FIRST_SETS, MOST_OF_SHARE, PLACE_SETS, Scheduler
from bowerbird.harness.tournament.pairing.values import (
    FLOOR,
    LEARN,
    LINK,
    PLACE,
    REMAINDER,
    VARIANT,
    Choice,
    PairingBot,
    PairingTable,
    Reason,
    SetResult,
    meetings_of,
    sentence,
)

SEED = bytes(range(32))


def pairs(bots: Sequence[str], *entries: str) -> list[PairingTable]:
    return [
        PairingTable(entry, f"{one}+{other}", ((one,), (other,)), 2)
        for entry in entries or ("euchre-0",)
        for one, other in combinations(bots, 2)
    ]


class Field:
    """Bots that score what their strengths say, with luck from a seed, and think for given times."""

    def __init__(self, strengths: Mapping[str, float], ms: Mapping[str, int] | None = None) -> None:
        self.strengths = strengths
        self.ms = ms or {}
        self.luck = random.Random(1)
        self.sets: Counter[str] = Counter()
        self.entries: Counter[str] = Counter()
        self.used: Counter[str] = Counter()

    def play(self, scheduler: Scheduler, choices: Sequence[Choice]) -> None:
        for choice in choices:
            scheduler.add(choice.table.entry, choice.table.lineup, self.result(choice.table))

    def result(self, table: PairingTable) -> SetResult:
        scores = []
        for meeting in meetings_of(table):
            one, other = meeting.ones[0], meeting.others[0]
            expected = expected_score(self.strengths[one] - self.strengths[other])
            scores.append(min(max(self.luck.gauss(expected, 0.2), 0.0), 1.0))
        thinking = {bot: self.ms.get(bot, 1000) for bot in table.bots}
        self.sets.update(table.bots)
        self.entries[table.entry] += 1
        self.used.update(thinking)
        return SetResult(tuple(scores), thinking, 40)


def names(number: int) -> list[str]:
    return [f"b{index:02}" for index in range(number)]


def even(number: int, apart: float = 40.0) -> dict[str, float]:
    return {name: apart * place for place, name in enumerate(names(number))}


def played(scheduler: Scheduler, field: Field, sets: int, batch: int = 16) -> list[Choice]:
    choices: list[Choice] = []
    while len(choices) < sets:
        found = scheduler.next_batch(min(batch, sets - len(choices)), sets - len(choices))
        field.play(scheduler, found)
        choices += found
    return choices


def test_equal_inputs_make_equal_choices_whatever_their_order() -> None:
    bots = [PairingBot(name) for name in names(6)]
    tables = pairs(names(6), "euchre-0", "buck-0")
    one, other = Scheduler(bots, tables, SEED), Scheduler(bots[::-1], tables[::-1], SEED)
    assert played(one, Field(even(6)), 100) == played(other, Field(even(6)), 100)


def test_a_lot_from_the_seed_breaks_ties() -> None:
    bots, tables = [PairingBot(name) for name in names(8)], pairs(names(8))
    first = {Scheduler(bots, tables, bytes([seed]) * 32).next_batch(1)[0].table.lineup for seed in range(12)}
    assert len(first) > 3, f"12 seeds begin with {first} alone"


def test_most_sets_are_between_neighbours() -> None:
    strengths = even(12)
    scheduler, field = Scheduler([PairingBot(name) for name in strengths], pairs(names(12)), SEED), Field(strengths)
    played(scheduler, field, 300)
    later = [choice for choice in played(scheduler, field, 200) if choice.reason.kind == LEARN]
    distances = [abs(int(one[1:]) - int(other[1:])) for one, other in (choice.table.bots for choice in later)]
    assert sum(distances) / len(distances) < 2, f"bots meet {sum(distances) / len(distances):.1f} ranks apart"


def test_a_settled_order_gets_fewer_sets_than_an_open_one() -> None:
    strengths = {"a": 600.0, "b": 300.0, "c": 10.0, "d": 0.0}
    scheduler, field = Scheduler([PairingBot(name) for name in strengths], pairs("abcd"), SEED), Field(strengths)
    found = Counter(choice.table.lineup for choice in played(scheduler, field, 200))
    assert found["c+d"] > 2 * found["a+b"], found


def test_no_bot_starves() -> None:
    """Each bot has at least about half of an equal share, though the order of the top bots was settled long ago."""
    strengths = {**even(9, 5.0), "b99": 2000.0}
    bots = sorted(strengths)
    scheduler, field = Scheduler([PairingBot(name) for name in bots], pairs(bots), SEED), Field(strengths)
    choices = played(scheduler, field, 300)
    assert min(field.sets.values()) >= 0.4 * 2 * len(choices) / len(bots), field.sets
    assert FLOOR in {choice.reason.kind for choice in choices}


def test_variants_are_balanced() -> None:
    """Also if one of its sets takes a hundred times as long."""
    entries = ("euchre-0", "buck-0", "almonte-0")
    bots = names(5)
    scheduler, field = Scheduler([PairingBot(name) for name in bots], pairs(bots, *entries), SEED), Field(even(5))
    for _ in range(300):
        [choice] = scheduler.next_batch(1, 1)
        result = field.result(choice.table)
        slow = 100 if choice.table.entry == "almonte-0" else 1
        thinking = {bot: slow * ms for bot, ms in result.thinking_ms.items()}
        scheduler.add(choice.table.entry, choice.table.lineup, SetResult(result.scores, thinking, 40))
    assert min(field.entries.values()) >= 0.45 * 300 / len(entries), field.entries
    assert max(field.entries.values()) <= 2.1 * 300 / len(entries), field.entries


def test_in_each_variant_the_upper_and_the_lower_bots_meet() -> None:
    strengths = {"a": 1000.0, "b": 1000.0, "y": 0.0, "z": 0.0}
    tables = pairs("abyz", "euchre-0", "buck-0")
    scheduler, field = Scheduler([PairingBot(name) for name in strengths], tables, SEED), Field(strengths)
    choices = played(scheduler, field, 200)
    for entry in ("euchre-0", "buck-0"):
        across = sum(len({"a", "b"} & set(choice.table.bots)) == 1 for choice in choices if choice.table.entry == entry)
        assert across >= 5, f"{across} sets of {entry} connect its upper and its lower bots"
    assert LINK in {choice.reason.kind for choice in choices}


def test_a_slow_bot_costs_itself_games_and_nobody_else() -> None:
    strengths = even(8)
    bots = [PairingBot(name, f"author of {name}") for name in strengths]
    scheduler, field = Scheduler(bots, pairs(names(8)), SEED), Field(strengths, {"b03": 100_000})
    played(scheduler, field, 900)
    others = [sets for bot, sets in field.sets.items() if bot != "b03"]
    assert field.sets["b03"] < min(others) / 10, field.sets
    share = field.used["b03"] / field.used.total()
    assert share <= MOST_OF_SHARE / len(bots) + 0.2, f"the slow bot has {share:.0%} of all time"
    assert min(others) > 0.4 * sum(others) / len(others), field.sets


def test_two_bots_of_an_author_share_one_share() -> None:
    strengths = even(8, 0.0)
    bots = [PairingBot(name, "twin" if name in ("b00", "b01") else name) for name in strengths]
    scheduler, field = Scheduler(bots, pairs(names(8)), SEED), Field(strengths)
    played(scheduler, field, 700)
    twins = field.sets["b00"] + field.sets["b01"]
    mean = sum(field.sets.values()) / 7
    assert twins <= (MOST_OF_SHARE + 0.15) * mean, f"{field.sets}: two bots of one author have more than its share"


def test_bots_of_no_author_share_with_nobody() -> None:
    strengths = even(6, 0.0)
    scheduler, field = Scheduler([PairingBot(name) for name in strengths], pairs(names(6)), SEED), Field(strengths)
    played(scheduler, field, 300)
    mean = field.sets.total() / 6
    assert min(field.sets.values()) > 0.4 * mean, field.sets
    assert max(field.sets.values()) < (MOST_OF_SHARE + 0.15) * mean, field.sets


def test_a_long_set_is_in_a_batch_with_as_much_other_work() -> None:
    """So nobody waits for a slow bot."""
    strengths = even(6)
    scheduler = Scheduler([PairingBot(name) for name in strengths], pairs(names(6)), SEED)
    field = Field(strengths, {"b05": 20_000})
    played(scheduler, field, 60)
    batches = []
    for _ in range(40):
        batch = scheduler.next_batch(8)
        field.play(scheduler, batch)
        batches.append(batch)
    with_slow = [batch for batch in batches if any("b05" in choice.table.bots for choice in batch)]
    without = [batch for batch in batches if batch not in with_slow]
    assert with_slow, "the slow bot plays in no batch"
    assert without, "the slow bot plays in all batches"
    for batch in with_slow:
        slow, *others = sorted((choice.expected_ms for choice in batch), reverse=True)
        assert sum(others) >= 4 * slow, f"{sum(others)} ms of other work beside {slow} ms"
    assert all(len(batch) == 8 for batch in without)


def settled_field(deviation: int = 350) -> tuple[Scheduler, dict[str, float]]:
    strengths = {**even(10), "new": 395.0}
    bots = [PairingBot(name, "", round(strength), 20) for name, strength in even(10).items()]
    return Scheduler([*bots, PairingBot("new", "", 180, deviation)], pairs([*names(10), "new"]), SEED), strengths


def test_a_newcomer_meets_well_known_bots_over_the_whole_scale_first() -> None:
    scheduler, strengths = settled_field()
    field = Field(strengths)
    met: list[str] = []
    for most in (FIRST_SETS, PLACE_SETS):
        batch = scheduler.next_batch(8)
        placing = [choice for choice in batch if choice.reason.kind == PLACE]
        assert len(placing) == most, f"{len(placing)} sets of a batch place the newcomer"
        others = [choice.reason.other for choice in placing]
        assert len(set(others)) == most, f"it meets {others} before any result"
        field.play(scheduler, batch)
        met += others
    assert len(set(met)) > 1, f"it is placed by {met} alone"


def test_a_newcomer_is_near_its_place_after_a_few_sets() -> None:
    scheduler, strengths = settled_field()
    field = Field(strengths)
    while field.sets["new"] < 16:
        field.play(scheduler, scheduler.next_batch(8))
    rank = scheduler.ranking().index("new")
    assert rank <= 2, f"the second best bot has rank {rank + 1} after {field.sets['new']} sets"


def test_a_bot_that_is_well_known_is_no_newcomer() -> None:
    scheduler, _ = settled_field(60)
    assert PLACE not in {choice.reason.kind for choice in scheduler.next_batch(8)}


@pytest.mark.parametrize("seats", [3, 4])
def test_tables_of_more_bots_are_chosen_among_those_given(seats: int) -> None:
    """50 bots free for all: the tables are a sample, and bots that are close in strength share them."""
    bots = names(50)
    sample = [tuple(bots[place] for place in table) for table in balanced_sample(50, seats)]
    tables = [PairingTable("buck-0", "+".join(table), tuple((bot,) for bot in table), seats) for table in sample]
    scheduler, field = Scheduler([PairingBot(name) for name in bots], tables, SEED), Field(even(50, 15.0))
    choices = played(scheduler, field, 192, batch=64)
    assert {choice.table for choice in choices} <= set(tables)
    assert len(field.sets) == 50, "a bot plays nothing"


def test_partners_are_rated_together() -> None:
    table = PairingTable("euchre-0", "a+b+c+d", (("a", "c"), ("b", "d")), 4)
    scheduler = Scheduler([PairingBot(name) for name in "abcd"], [table], SEED)
    [meeting] = meetings_of(table)
    assert (meeting.ones, meeting.others, meeting.weight) == (("a", "c"), ("b", "d"), 1.0)
    scheduler.add("euchre-0", "a+b+c+d", SetResult((1.0,), {}, 40))
    ratings = {bot.name: bot.rating for bot in scheduler.estimates()}
    assert ratings["a"] == ratings["c"] > 1500 > ratings["b"] == ratings["d"]


def test_a_set_without_a_result_teaches_nothing_and_counts() -> None:
    scheduler = Scheduler([PairingBot(name) for name in "abc"], pairs("abc"), SEED)
    before = scheduler.estimates()
    for _ in range(20):
        for choice in scheduler.next_batch(3, 3):
            scheduler.leave_out(choice.table.entry, choice.table.lineup)
    assert scheduler.estimates() == before


def test_a_field_of_two_authors_plays_on_though_one_is_slow() -> None:
    scheduler = Scheduler([PairingBot("a", "A"), PairingBot("b", "B")], pairs("ab"), SEED)
    choices = played(scheduler, Field({"a": 0.0, "b": 0.0}, {"a": 50_000}), 60)
    assert len(choices) == 60
    assert REMAINDER in {choice.reason.kind for choice in choices}


@pytest.mark.parametrize("kind", [LEARN, PLACE, FLOOR, VARIANT, LINK, REMAINDER])
def test_each_reason_is_one_sentence_with_its_bots_or_its_variant(kind: str) -> None:
    said = sentence(Reason(kind, "ada", "greedy", "euchre-0", -31, 12, 1))
    assert "euchre-0" in said or "ada" in said
    assert "\n" not in said
    assert len(said) < 110, said
