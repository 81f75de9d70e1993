"""Jobs, their order, and the processes that play them (protocol.md, Instances; ratings.md, Deal sets)."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.run import BLOCK_SETS, GameId, pack_entry, schedule_order
from bowerbird.harness.referee.job_queue import JobQueue, TimeShares
from bowerbird.harness.referee.spec import InstanceKey, OnGame, OnVoid, TableSpec
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.schema import MOST_SETS
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.jobs.job import Job
from bowerbird.harness.tournament.jobs.schedule import TURN_SETS, Schedule, Turns, interleaved
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing.run import Run
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.plans import first_round, jobs_of, keys_of
from tests.support.tournament.set_writers import ForgetfulWriter
from tests.support.tournament.table_players import LocalTables

VARIANTS = '[[variant]]\nname = "euchre"\n[[variant]]\nname = "buck"\n[[variant]]\nname = "buck"\n'
BOTS = '[[bot]]\npath = "bots/alpha"\n[[bot]]\npath = "bots/beta"\n[[bot]]\npath = "bots/alpha"\nname = "gamma"\n'


def planned(yard: Yard, *lines: str, bots: str = BOTS) -> Plan:
    return make_plan(load_tournament(yard.tournament('seed = "leaves"', *lines, variants=VARIANTS, bots=bots)))


def tables_of(plan: Plan) -> list[TableSpec]:
    return [table for job in jobs_of(plan) for table in job.tables()]


def many_bots(yard: Yard, count: int) -> str:
    return "".join(f'[[bot]]\npath = "bots/alpha"\nname = "bot{index}"\n' for index in range(count))


@pytest.mark.parametrize("instances", ["seat", "shared"])
def test_a_job_names_the_processes_of_its_tables(yard: Yard, instances: str) -> None:
    """By these names a referee decides which processes to keep, before the tables are made."""
    for job in jobs_of(planned(yard, f'instances = "{instances}"', "sets = 2", bots=many_bots(yard, 3))):
        seated = {seat.instance for table in job.tables() for seat in table.seats}
        assert set(job.processes) == seated
        assert len(job.processes) == len(seated), "one is named twice"


@pytest.mark.parametrize("packs", ["common", "own"])
@pytest.mark.parametrize("bots", [2, 3, 5])
def test_no_process_sits_at_two_seats_of_a_table_or_meets_a_pack_twice(yard: Yard, packs: str, bots: int) -> None:
    """protocol.md, Instances, by brute force over a whole schedule."""
    plan = planned(yard, f'packs = "{packs}"', "sets = 3", bots=many_bots(yard, bots))
    met: set[tuple[InstanceKey, str, int]] = set()
    for table in tables_of(plan):
        keys = [seat.instance for seat in table.seats]
        assert len(set(keys)) == len(keys), f"{table.game_id} seats one process twice"
        for seat in table.seats:
            assert seat.instance.bot == seat.bot
            pack = (seat.instance, table.entry, table.set_number)
            assert pack not in met, f"{seat.instance} meets the packs of {table.entry} set {table.set_number} twice"
            met.add(pack)


def test_processes_are_kept_for_other_sets_and_entries(yard: Yard) -> None:
    """Otherwise a large tournament would pay for starting thousands of processes."""
    few, many = planned(yard, "sets = 1"), planned(yard, "sets = 9")
    assert _instances(few) == _instances(many)
    assert len(_instances(few)) == 3 * 4 * 4, "as many as the largest entry needs: line-ups x positions x rotations"
    own = planned(yard, "sets = 9", 'packs = "own"')
    assert max(key.number for key in _instances(own)) == 7, "a doubled bot needs 2 positions x 4 rotations, no more"


def _instances(plan: Plan) -> set[InstanceKey]:
    return {seat.instance for table in tables_of(plan) for seat in table.seats}


def test_shared_is_one_process_for_a_bot(yard: Yard) -> None:
    plan = planned(yard, "sets = 2", 'instances = "shared"')
    assert _instances(plan) == {InstanceKey(name, 0) for name in ("alpha", "beta", "gamma")}


def test_the_same_file_and_seed_make_the_same_plan(yard: Yard) -> None:
    first, second = planned(yard, "sets = 2"), planned(yard, "sets = 2")
    assert first == second
    assert tables_of(first) == tables_of(second)


def test_every_set_is_played_in_every_rotation(yard: Yard) -> None:
    plan = planned(yard, "sets = 3")
    tables = tables_of(plan)
    assert len({table.game_id for table in tables}) == len(tables) == plan.extent.games
    assert plan.extent.games == 3 * (3 * 2 + 3 * 4 + 3 * 4)
    assert plan.extent.sets == len(set(keys_of(plan))) == 3 * 9


def test_a_games_id_says_what_it_is(yard: Yard) -> None:
    plan = planned(yard, "sets = 2")
    for table in tables_of(plan):
        game = GameId.parse(table.game_id)
        assert game.run == plan.header.fingerprint
        assert (game.set_number, game.rotation) == (table.set_number, table.rotation)
        assert game.entry.rpartition("-")[0] == table.variant
        assert table.commitment == plan.header.commitment
    assert f"{plan.header.fingerprint}/buck-1/alpha+alpha+beta+gamma/1/3" in {
        table.game_id for table in tables_of(plan)
    }


def test_who_sits_where_follows_the_rotation(yard: Yard) -> None:
    """ratings.md, Line-ups: position p sits at seat p + r; in teams the sides change."""
    seats = {table.game_id: [seat.bot for seat in table.seats] for table in tables_of(planned(yard, "sets = 1"))}
    run = planned(yard).header.fingerprint
    assert seats[f"{run}/buck-0/alpha+alpha+beta+gamma/0/0"] == ["alpha", "alpha", "beta", "gamma"]
    assert seats[f"{run}/buck-0/alpha+alpha+beta+gamma/0/1"] == ["gamma", "alpha", "alpha", "beta"]
    assert seats[f"{run}/euchre-0/beta+gamma/0/1"] == ["gamma", "beta", "gamma", "beta"]


@pytest.mark.parametrize("packs", ["common", "own"])
def test_packs_are_common_to_the_line_ups_or_their_own(yard: Yard, packs: str) -> None:
    for table in tables_of(planned(yard, "sets = 1", f'packs = "{packs}"')):
        game = GameId.parse(table.game_id)
        assert table.entry == pack_entry(game.entry, game.lineup, packs)


def test_each_table_carries_its_fault_policy(yard: Yard) -> None:
    policies = {table.variant: table.on_fault for table in tables_of(planned(yard, "sets = 1"))}
    assert policies == {"euchre": "forfeit", "buck": "substitute"}
    policies = {table.variant: table.on_fault for table in tables_of(planned(yard, "sets = 1", 'on_fault = "forfeit"'))}
    assert policies == {"euchre": "forfeit", "buck": "forfeit"}


@pytest.mark.parametrize(
    ("bots", "processes", "turn"),
    [(2, 16, 1), (3, 16, TURN_SETS), (3, 48, 1), (5, 16, TURN_SETS), (6, 16, TURN_SETS)],
)
def test_after_any_part_of_a_run_every_line_up_and_variant_has_its_share(
    yard: Yard, bots: int, processes: int, turn: int
) -> None:
    """tournament-file.md, Order of play: in deal sets, line-ups are at most one turn apart, variants less than one from
    their shares."""
    plan = planned(yard, "sets = 21", f"processes = {processes}", bots=many_bots(yard, bots))
    lineups = {(entry.id, lineup.text): 0 for entry in plan.file.variants for lineup in entry.lineups}
    share = Counter(entry for entry, _ in lineups)
    played: Counter[str] = Counter()
    for done, key in enumerate(keys_of(plan), 1):
        lineups[key.entry, key.lineup] += 1
        played[key.entry] += 1
        assert max(lineups.values()) - min(lineups.values()) <= turn, f"after {done} deal sets"
        for entry, number in share.items():
            assert abs(played[entry] - Fraction(number * done, len(lineups))) < turn, f"{entry} after {done}"
    assert set(lineups.values()) == {21}


@pytest.mark.parametrize("bots", [2, 3, 4, 5, 6, 7, 12])
def test_bots_take_turns(yard: Yard, bots: int) -> None:
    plan = make_plan(
        load_tournament(
            yard.tournament(
                'seed = "leaves"',
                "sets = 3",
                "processes = 1024",
                variants='[[variant]]\nname = "euchre"\n',
                bots=many_bots(yard, bots),
            )
        )
    )
    played = {bot.name: 0 for bot in plan.file.bots}
    for key in keys_of(plan):
        for bot in key.lineup.split("+"):
            played[bot] += 1
        assert max(played.values()) - min(played.values()) <= 2


def test_the_first_deal_set_of_every_line_up_comes_before_the_second_of_any(yard: Yard) -> None:
    """This way a bot that crashes, or a rule that is wrong, is noticed early."""
    keys = keys_of(planned(yard, "sets = 20", bots=many_bots(yard, 5)))
    first = keys[: sum(key.number == 0 for key in keys)]
    assert {key.number for key in first} == {0}


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6))
def test_what_is_interleaved_is_never_a_whole_turn_from_its_share(numbers: list[int]) -> None:
    come = [0] * len(numbers)
    for done, at in enumerate(interleaved(numbers), 1):
        come[at] += 1
        for mine, number in zip(come, numbers, strict=True):
            assert abs(mine - Fraction(number * done, sum(numbers))) < 1
    assert come == numbers


@given(st.integers(0, 200), st.integers(0, 100), st.sampled_from([1, TURN_SETS, BLOCK_SETS]), st.booleans())
def test_turns_are_all_deal_sets_in_order_and_none_is_too_long(first: int, sets: int, size: int, alone: bool) -> None:
    turns = Turns(range(first, first + sets), size, alone)
    assert [number for turn in turns for number in turn] == list(range(first, first + sets))
    assert all(1 <= len(turn) <= size for turn in turns)
    assert list(turns[:]) == [turns[at] for at in range(len(turns))]
    assert not alone or first or not sets or turns[0] == range(1)


def test_a_run_keeps_the_order_that_it_began_with(yard: Yard) -> None:
    """A stored file without a version is of the first one: blocks of one line-up, entry after entry."""
    for version in (1, 2):
        plan = planned(yard, f"sets = {2 * BLOCK_SETS + 1}", f"schedule = {version}")
        keys = keys_of(plan)
        assert list(keys) == sorted(keys, key=schedule_order)
        assert ("schedule" in resolved_text(plan.file)) == (version > 1), "an old copy stays as it was"
    assert "schedule = 3\n" in resolved_text(planned(yard).file)


@pytest.mark.parametrize("version", [1, 3])
def test_a_schedule_has_what_it_yields(yard: Yard, version: int) -> None:
    round_ = first_round(planned(yard, "sets = 70", f"schedule = {version}"))
    keys = list(round_.keys)
    assert (len(keys), len(set(keys))) == (round_.sets, round_.sets)
    assert round_.games == sum(job.games for job in round_.jobs)
    assert all(round_.has(key) for key in keys)
    assert not round_.has(replace(keys[0], number=70))
    assert not round_.has(replace(keys[0], lineup="nobody"))
    assert [round_.jobs[at] for at in range(len(round_.jobs))] == list(round_.jobs)
    assert list(round_.jobs[-2:]) == list(round_.jobs)[-2:]
    with pytest.raises(IndexError):
        round_.jobs[len(round_.jobs)]


@pytest.mark.parametrize("version", [1, 3])
def test_a_long_plan_makes_its_first_deal_set_and_no_other(
    yard: Yard, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of 100,000 deal sets a line-up plays its first card at once, also when it is resumed."""
    plan = planned(yard, f"sets = {MOST_SETS}", f"schedule = {version}")
    made: list[Job] = []
    make_next = Schedule.__getitem__

    def counted(self: Schedule, index: int) -> Job:
        made.append(job := make_next(self, index))
        return job

    monkeypatch.setattr(Schedule, "__getitem__", counted)
    taken: list[Job] = []

    class FirstJob(LocalTables):
        async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
            taken.append(JobQueue(jobs, TimeShares(0.5)).pop())
            raise KeyboardInterrupt  # as Ctrl-C does

    with Store.create(yard.folder / "one.db") as store:
        run = Run(plan, store[plan.header.fingerprint], ForgetfulWriter(), lambda _: None)
        assert made == []
        with pytest.raises(BaseExceptionGroup):
            trio.run(run.play, FirstJob(plan.file.bots))
    assert taken[0].sets[0] == 0
    assert made == taken


def test_more_sets_only_add_to_a_schedule(yard: Yard) -> None:
    few, many = planned(yard, "sets = 5"), planned(yard, "sets = 70")
    assert set(keys_of(few)) <= set(keys_of(many))
    by_id = {table.game_id: table for table in tables_of(many)}
    assert all(by_id[table.game_id] == table for table in tables_of(few))


def test_a_job_is_a_pure_value_that_can_be_sent_away(yard: Yard) -> None:
    for job in jobs_of(planned(yard, "sets = 2")):
        copy: Job = pickle.loads(pickle.dumps(job))
        assert copy == job
        assert copy.tables() == job.tables()


def test_a_job_leaves_out_what_is_stored(yard: Yard) -> None:
    job = replace(jobs_of(planned(yard, "sets = 4"))[0], sets=(0, 1, 2, 3))
    left = job.without(frozenset([job.keys[0], job.keys[2]]))
    assert left.sets == (1, 3)
    assert left.tables() == tuple(table for table in job.tables() if table.set_number in (1, 3))


def test_the_seed_is_not_shown(yard: Yard) -> None:
    plan = planned(yard, "sets = 1")
    _assert_hidden(plan.seed, [plan, plan.header, *jobs_of(plan)])


def _assert_hidden(seed: bytes, values: Sequence[object]) -> None:
    for value in values:
        assert repr(seed) not in repr(value)
        assert seed.hex() not in repr(value)
