"""The executor of a cluster, with workers that need no processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing

from bowerbird.harness.extras.cluster.connection import WorkerDefectError, WorkerGoneError
from bowerbird.harness.extras.cluster.executor import (
    LEAST_SILENT_S,
    MAX_LOSSES,
    TELL_SILENT_S,
    ClusterExecutor,
    silence_limit_s,
)
from bowerbird.harness.extras.cluster.on_worker.session import Reply
from bowerbird.harness.extras.cluster.retries import BUSY_S, MOST_LOSSES
from bowerbird.harness.records.quoting import LONGEST_SENTENCE
from bowerbird.harness.records.values.annotations import Annotations, Note
from bowerbird.harness.records.values.faults import FORFEIT, Incident
from bowerbird.harness.records.values.game_record import Conditions, TimeControl
from bowerbird.harness.referee.game.fault_ledger import BotStarted, CpuUsed, FaultLedger, LedgerEntry
from bowerbird.harness.referee.host.stall_log import Stall
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import FaultLimits, VoidedGame
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.errors import MachinesError
from bowerbird.harness.tournament.events import (
    TournamentEvent,
    WorkerJoined,
    WorkerLeftOut,
    WorkerLost,
    WorkerSilent,
)
from bowerbird.harness.tournament.executors.contract import RefereeSetup
from bowerbird.harness.tournament.executors.messages import (
    ChunkPlayed,
    GameEnded,
    GameVoided,
    LedgerUpdate,
    PlayChunk,
    StallEnded,
    WorkerFailed,
)
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing.backlog import MOST_WAITING, Backlog
from bowerbird.harness.tournament.playing.machines import MachineLog
from bowerbird.harness.tournament.playing.runner import unwrapped_errors
from tests.support.deadline import DEADLINE_S
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.fake_cluster import FakeCluster, FakeWorker
from tests.support.tournament.plans import jobs_of


class Played:
    """A cluster of fake workers, and what a run hears of it."""

    def __init__(self, plan: Plan, *workers: FakeWorker) -> None:
        self.plan = plan
        self.cluster = FakeCluster(plan.file.bots, *workers)
        self.games: Counter[str] = Counter()
        self.events: list[TournamentEvent] = []
        self.entries: list[LedgerEntry] = []
        self.ledger = FaultLedger(FaultLimits())
        self.ledger.subscribe(self.entries.append)
        self.absent: tuple[BotStory, ...] = ()
        self.backlog = Backlog()

    def executor(self) -> ClusterExecutor:
        conditions = Conditions(FORFEIT, "none", "seat", TimeControl())
        setup = RefereeSetup(
            self.plan.file.bots, conditions, Path("logs"), hidden=(), slots=2, tables=2, limits=FaultLimits()
        )
        return ClusterExecutor(
            setup,
            self.cluster.opened(),
            self.ledger,
            on_stall=lambda stall: None,
            machines=MachineLog(),
            backlog=self.backlog,
            progress=self.events.append,
        )

    async def play(self) -> None:
        with trio.fail_after(DEADLINE_S):
            async with self.executor() as executor:
                self.absent = await executor.roll_call()
                await executor.play_jobs(jobs_of(self.plan), lambda table, *_: self.count(table.game_id), _no_void)

    def count(self, game: str) -> None:
        self.games[game] += 1

    def run(self) -> Played:
        with unwrapped_errors():
            trio.run(self.play, clock=trio.testing.MockClock(autojump_threshold=0))
        return self

    def assert_complete(self) -> None:
        due = Counter(table.game_id for job in jobs_of(self.plan) for table in job.tables())
        assert self.games == due, "a game is missing, or was delivered twice"


def _no_void(*_: object) -> None:
    pytest.fail("a game was voided")


@pytest.fixture
def plan(yard: Yard) -> Plan:
    """Return a plan of two bots and 40 sets of short games of two variants."""
    variants = "".join(f'[[variant]]\nname = "{name}"\noptions = {{ max_hands = 2 }}\n' for name in ("euchre", "buck"))
    return make_plan(load_tournament(yard.tournament('seed = "leaves"', "sets = 40", variants=variants)))


@pytest.fixture
def few(yard: Yard) -> Plan:
    """Return a plan of two bots and six sets of short games."""
    variants = '[[variant]]\nname = "euchre"\noptions = { max_hands = 3 }\n'
    return make_plan(load_tournament(yard.tournament('seed = "leaves"', "sets = 6", variants=variants)))


def story(bot: str) -> BotStory:
    return BotStory(bot, 1, "", "NEVER_STARTED: no such library", "exit status 127", "", "", "")


def test_every_game_is_delivered_once_by_several_workers(plan: Plan) -> None:
    workers = [FakeWorker(name) for name in ("one", "two", "three")]
    played = Played(plan, *workers).run()
    played.assert_complete()
    assert all(worker.played for worker in workers), "a worker had nothing to do"
    assert all(worker.is_closed for worker in workers), "a referee was left"


def test_the_block_of_a_lost_worker_is_played_by_another_and_delivered_once(plan: Plan) -> None:
    """faults.md, Durability: nothing of a lost block was delivered."""
    played = Played(plan, FakeWorker("one", blocks=1), FakeWorker("two")).run()
    played.assert_complete()
    assert [event for event in played.events if isinstance(event, WorkerLost)] == [
        WorkerLost("one on host", "SIGKILL", 1)
    ]


def _one_twice(messages: list[object]) -> object:
    return [*messages, messages[0]]


def _one_missing(messages: list[object]) -> object:
    return messages[1:]


def _a_stranger(messages: list[object]) -> object:
    first = messages[0]
    assert isinstance(first, GameEnded)
    return [replace(first, record=replace(first.record, id="4f1c9a0b7d/euchre-0/a+b/0/0")), *messages[1:]]


def _out_of_range(messages: list[object]) -> object:
    first = messages[0]
    assert isinstance(first, GameEnded)
    return [replace(first, index=10**6), *messages[1:]]


def _forged(**changes: object) -> Callable[[list[object]], object]:
    """Return a lie that changes the record of the first game."""

    def lie(messages: list[object]) -> object:
        first = messages[0]
        assert isinstance(first, GameEnded)
        return [replace(first, record=replace(first.record, **changes)), *messages[1:]]  # type: ignore[arg-type]

    return lie


def _other_cards(messages: list[object]) -> object:
    first = messages[0]
    assert isinstance(first, GameEnded)
    return [replace(first, record=replace(first.record, hands=first.record.hands[::-1])), *messages[1:]]


def _other_winners(messages: list[object]) -> object:
    first = messages[0]
    assert isinstance(first, GameEnded)
    assert first.record.result.winners != (1, 3)
    return _with_result(messages, winners=(1, 3), ranks=(2, 1, 2, 1))


def _first_hand(**changes: object) -> Callable[[list[object]], object]:
    """Return a lie that changes the first hand of the first game."""

    def lie(messages: list[object]) -> object:
        first = messages[0]
        assert isinstance(first, GameEnded)
        hand = replace(first.record.hands[0], **changes)  # type: ignore[arg-type]
        return [replace(first, record=replace(first.record, hands=(hand, *first.record.hands[1:]))), *messages[1:]]

    return lie


def _with_result(messages: list[object], **changes: object) -> object:
    first = messages[0]
    assert isinstance(first, GameEnded)
    result = replace(first.record.result, **changes)  # type: ignore[arg-type]
    return [replace(first, record=replace(first.record, result=result)), *messages[1:]]


def _a_note_of_nobody(messages: list[object]) -> object:
    first = messages[0]
    assert isinstance(first, GameEnded)
    return [replace(first, annotations=Annotations((), (Note(first.record.id, 9, 0, 0, "I"),))), *messages[1:]]


def _a_void_of_strangers(messages: list[object]) -> object:
    return [GameVoided(1, 0, VoidedGame(("nobody",), "the host stood still")), *messages[1:]]


LIES = {
    "one game twice": (_one_twice, "did not deliver each game of its block once"),
    "one game missing": (_one_missing, "did not deliver each game of its block once"),
    "a game of another run": (_a_stranger, "a game that it was not asked for"),
    "an index out of range": (_out_of_range, "a game that it was not asked for"),
    "nonsense": (lambda messages: "nonsense", "its answer to a block is not a list of games"),
    "a message of ours to workers": (lambda messages: [PlayChunk(()), *messages], "is not a list of games"),
    "the play of another game": (_other_cards, "it delivered a wrong game"),
    "other winners": (_other_winners, "it delivered a wrong game"),
    "no hands": (_forged(hands=()), "it delivered a wrong game"),
    "hands of nothing": (_forged(hands=(None,)), "is not a list of games"),
    "a number of 400 digits": (_first_hand(ms=(10**400,)), "is not a list of games"),
    "times of nothing": (_first_hand(ms=()), "which is not a game"),
    "actions of nobody": (_first_hand(actions=("x pass",), ms=(0,), forced=()), "which is not a game"),
    "marks of nothing": (_first_hand(forced=(-1, 999)), "which is not a game"),
    "ranks of nothing": (lambda messages: _with_result(messages, ranks=()), "which is not a game"),
    "another variant": (_forged(variant="bid-102"), "another variant"),
    "other options": (_forged(options={}), "other options"),
    "seats of nobody": (_forged(seats=()), "other bots"),
    "a note of nobody": (_a_note_of_nobody, "contradicts the game"),
    "a void of strangers": (_a_void_of_strangers, "for bots that do not play it"),
    "an incident of nobody": (
        lambda messages: [LedgerUpdate(Incident("x", "nobody", 0, "CRASHED", "")), *messages],
        "bot nobody, which is not in the run",
    ),
    "a fault of no kind": (
        lambda messages: [LedgerUpdate(Incident("x", "alpha", 0, "LAZY", "")), *messages],
        "a fault of an unknown kind",
    ),
    "time below nothing": (lambda messages: [LedgerUpdate(CpuUsed("alpha", -1, 1)), *messages], "processor time"),
    "a failure of Bowerbird": (
        lambda messages: [WorkerFailed("Traceback\nValueError: made up")],
        "Bowerbird failed there: ValueError: made up",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_worker_that_lies_is_lost_for_good_and_nothing_of_its_block_is_taken(few: Plan, lie: str) -> None:
    """faults.md row 67. What a worker that has the secret seed makes up with care looks like a real game."""
    lies, said = LIES[lie]
    liar = FakeWorker("liar")
    liar.lies = lies
    played = Played(few, liar, FakeWorker("two"))
    played.cluster.forget = lambda address: None  # type: ignore[method-assign]  # it stays in the cluster
    played.run()
    played.assert_complete()
    [lost] = [event for event in played.events if isinstance(event, WorkerLost)]
    assert lost.worker == "liar on host"
    assert said in lost.why
    assert len(lost.why) <= LONGEST_SENTENCE
    assert not [entry for entry in played.entries if isinstance(entry, Incident)], "a liar accused a bot"


@pytest.mark.parametrize(
    "update",
    [
        "nonsense",
        Reply(0, LedgerUpdate(BotStarted("alpha"))),
        Reply(1, LedgerUpdate(BotStarted("nobody"))),
        Reply(1, ChunkPlayed(1)),
        Reply("one", StallEnded(Stall(0, 1, 1))),  # type: ignore[arg-type]
    ],
)
def test_an_update_that_no_referee_sends_costs_its_worker_alone(few: Plan, update: object) -> None:
    played = Played(few, FakeWorker("liar"), FakeWorker("two"))

    async def play() -> None:
        async with played.executor() as executor:
            played.cluster.publish("liar", update)  # type: ignore[arg-type]
            played.cluster.publish("nobody", update)  # type: ignore[arg-type]
            await executor.play_jobs(jobs_of(few), lambda table, *_: played.count(table.game_id), _no_void)

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    played.assert_complete()
    assert [event.worker for event in played.events if isinstance(event, WorkerLost)] == ["liar on host"]
    assert not played.entries


def test_a_worker_that_keeps_its_connection_and_plays_nothing_holds_nothing_up(few: Plan) -> None:
    silent = FakeWorker("silent")
    silent.is_silent = True
    played = Played(few, silent, FakeWorker("two")).run()
    played.assert_complete()
    assert [event for event in played.events if isinstance(event, WorkerLost)] == [
        WorkerLost("silent on host", "two on host was faster with its games", 1)
    ]


def test_a_single_worker_that_says_nothing_is_told_of_and_lost_and_the_run_ends_with_a_sentence(few: Plan) -> None:
    """Nobody is there to be compared with it. It must not come back: it answers all that a roll call asks."""
    silent = FakeWorker("silent")
    silent.is_silent = True
    played = Played(few, silent)
    keep, come_back = played.cluster.forget, partial(_come_back, played.cluster, silent)

    def forget(address: str) -> None:
        keep(address)
        come_back()  # its connection stays

    played.cluster.forget = forget  # type: ignore[method-assign]
    with pytest.raises(MachinesError, match=r"local:1 are gone, and none came for 60 s; stored results are kept"):
        played.run()
    told, lost = (event for event in played.events if isinstance(event, WorkerSilent | WorkerLost))
    assert isinstance(told, WorkerSilent)
    assert (told.worker, told.seconds, told.limit_s) == ("silent on host", TELL_SILENT_S, LEAST_SILENT_S)
    assert told.games == sum(map(len, silent.played)) > 0
    why = f"it sent nothing for {LEAST_SILENT_S:.0f} s, though it answers calls"
    assert lost == WorkerLost("silent on host", why, 0)


def test_a_worker_that_comes_later_plays_what_a_silent_one_had(few: Plan) -> None:
    silent = FakeWorker("silent")
    silent.is_silent = True
    played = Played(few, silent)
    original = played.cluster.forget

    def replace_worker(address: str) -> None:
        original(address)
        _come_back(played.cluster, FakeWorker("two"))

    played.cluster.forget = replace_worker  # type: ignore[method-assign]
    played.run().assert_complete()
    assert [event.worker for event in played.events if isinstance(event, WorkerLost)] == ["silent on host"]


def test_a_single_worker_whose_bots_think_for_long_is_waited_for(few: Plan) -> None:
    """What its bots use of its processors shows that it plays."""
    slow = FakeWorker("slow")
    slow.is_silent = True
    played = Played(few, slow)

    async def play() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(played.play)
            for _ in range(2):
                await trio.sleep(0.9 * LEAST_SILENT_S)
                played.cluster.publish("slow", slow.reply(LedgerUpdate(CpuUsed("alpha", 1, 0))))
            slow.may_answer.set()

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    played.assert_complete()
    assert not [event for event in played.events if isinstance(event, WorkerLost)]


@pytest.mark.parametrize(
    ("time", "seconds"),
    [
        (TimeControl(), LEAST_SILENT_S),
        (TimeControl(per_decision_ms=600_000, bank_ms=0), 4 * 600),
        (TimeControl(startup_ms=200_000), 4 * 200),
        (TimeControl(per_decision_ms=1000, bank_ms=99_000, increment_ms=1000), 4 * 200),
    ],
)
def test_nobody_is_silent_too_long_who_lets_a_bot_use_its_whole_clock(time: TimeControl, seconds: float) -> None:
    setup = RefereeSetup(
        (), Conditions(FORFEIT, "none", "seat", time), Path("logs"), hidden=(), slots=1, tables=1, limits=FaultLimits()
    )
    assert silence_limit_s(setup) == seconds


def test_a_worker_accuses_no_bot_before_a_block_of_it_was_found_right(few: Plan) -> None:
    """One that lies from its beginning must not withdraw a bot; one that does not is believed from then on."""
    incident = Incident("x", "alpha", 0, "CRASHED", "signal 9")
    honest, liar = FakeWorker("honest"), FakeWorker("liar")
    honest.at_roll_call = [LedgerUpdate(incident).entry]
    liar.at_roll_call = [replace(incident, name=str(number)) for number in range(10)]
    liar.lies = _other_winners
    played = Played(few, honest, liar).run()
    played.assert_complete()
    assert played.entries == [incident]
    assert played.ledger.withdrawn("alpha") is None


def test_a_defect_on_every_worker_ends_the_run_with_its_traceback(few: Plan) -> None:
    workers = [FakeWorker("one"), FakeWorker("two")]
    for worker in workers:
        worker.lies = lambda messages: [WorkerFailed("Traceback\nValueError: ours")]
    with pytest.raises(WorkerDefectError, match="ValueError: ours"):
        Played(few, *workers).run()


def test_no_worker_gets_a_block_while_too_many_deal_sets_wait_for_the_disk(plan: Plan) -> None:
    """What waits for the disk is in memory: many fast workers must not fill it."""
    played = Played(plan, FakeWorker("one"), FakeWorker("two"))
    played.backlog.add(MOST_WAITING)

    async def disk() -> None:
        await trio.sleep(30)
        assert not played.games, "a block was played although nothing was stored"
        played.backlog.remove(1)

    async def play() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(disk)
            await played.play()

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    played.assert_complete()


def test_a_block_that_loses_worker_after_worker_ends_the_run_with_its_games(plan: Plan) -> None:
    """It may be what ends them."""
    played = Played(plan, FakeWorker("one", blocks=0))
    played.cluster.forget = lambda address: _come_back(played.cluster, FakeWorker(address, blocks=0))  # type: ignore[method-assign]
    with pytest.raises(MachinesError, match=rf"the games from \S+ to \S+ lost {MAX_LOSSES} workers .*SIGKILL"):
        played.run()


def test_a_worker_whose_lease_ended_is_not_held_against_its_block(plan: Plan) -> None:
    """The run was suspended, for example by Ctrl-Z: no worker is to blame, and all may come back."""
    workers = [FakeWorker(str(number), blocks=0) for number in range(MAX_LOSSES + 1)]
    for worker in workers:
        worker.is_lost = False
    played = Played(plan, *workers)
    played.cluster.forget = lambda address: _come_back(played.cluster, FakeWorker(address))  # type: ignore[method-assign]
    played.run().assert_complete()


def _come_back(cluster: FakeCluster, worker: FakeWorker) -> None:
    """Put a worker in the place of one that was lost."""
    cluster.workers_by_address[worker.name] = worker


def test_a_run_without_any_worker_waits_and_then_ends_with_a_sentence(plan: Plan) -> None:
    with pytest.raises(MachinesError, match="all workers of local:1 are gone, and none came for 60 s"):
        Played(plan, FakeWorker("one", blocks=1)).run()


def test_a_worker_that_joins_is_looked_over_and_plays(plan: Plan) -> None:
    played = Played(plan, FakeWorker("one", blocks=1))
    original = played.cluster.forget

    def replace_worker(address: str) -> None:
        original(address)
        played.cluster.workers_by_address["two"] = FakeWorker("two")
        played.cluster.workers_by_address["bad"] = FakeWorker("bad")

    played.cluster.refused["bad"] = "it has no Bowerbird"
    played.cluster.forget = replace_worker  # type: ignore[method-assign]
    played.run().assert_complete()
    assert [event for event in played.events if isinstance(event, WorkerJoined | WorkerLeftOut)] == [
        WorkerLeftOut("worker bad on host: it has no Bowerbird"),
        WorkerJoined("two on host", 1),
    ]


def test_a_worker_on_which_a_bot_does_not_start_that_starts_elsewhere_is_left_out(plan: Plan) -> None:
    """faults.md: no fault but a bot's own costs a bot a game."""
    bad = FakeWorker("bad", absent=[story("alpha")])
    played = Played(plan, FakeWorker("good"), bad).run()
    played.assert_complete()
    assert played.absent == ()
    assert not bad.played
    assert played.events[0] == WorkerLeftOut(
        "worker bad on host: bot 'alpha' starts elsewhere, but not there: no such library"
    )


def test_a_bot_that_starts_nowhere_is_named_by_the_roll_call(plan: Plan) -> None:
    workers = [FakeWorker(name, absent=[story("alpha")]) for name in ("one", "two")]
    played = Played(plan, *workers).run()
    assert [story.bot for story in played.absent] == ["alpha"]
    played.assert_complete()


def test_every_worker_learns_what_one_enters_and_the_run_counts_it_once(plan: Plan) -> None:
    one, two = FakeWorker("one"), FakeWorker("two")
    one.entries = [BotStarted("alpha"), CpuUsed("alpha", 100, 1)]
    played = Played(plan, one, two).run()
    assert played.entries == [BotStarted("alpha"), CpuUsed("alpha", 100, 1)]
    assert two.learnt == [BotStarted("alpha")], "processor time is for the run alone"


def test_what_a_worker_that_is_left_out_says_of_a_bot_counts_for_nothing(plan: Plan) -> None:
    """It lacks what the bot needs. The bot plays elsewhere, and must not be withdrawn there."""
    one, two = FakeWorker("one"), FakeWorker("two", absent=[story("alpha")])
    one.at_roll_call = [CpuUsed("alpha", 1, 1)]
    two.at_roll_call = [CpuUsed("alpha", 100, 1)]
    played = Played(plan, one, two).run()
    played.assert_complete()
    assert not two.played
    assert played.entries == [CpuUsed("alpha", 1, 1)]


def test_a_worker_that_hangs_keeps_nothing_from_the_others(plan: Plan) -> None:
    """An entry may withdraw a bot: nobody may go on playing it just because one worker is silent."""
    one, hung = FakeWorker("one"), FakeWorker("hung")
    hung.hangs = True
    played = Played(plan, one, hung)

    async def play() -> None:
        async with played.executor():
            for entry in (BotStarted("alpha"), BotStarted("beta")):
                played.ledger.enter(entry)
                await trio.testing.wait_all_tasks_blocked()

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    assert one.learnt == [BotStarted("alpha"), BotStarted("beta")]


def test_a_worker_that_serves_another_run_joins_when_that_has_ended(plan: Plan) -> None:
    """The message that it is busy comes once, however often the run checks."""
    busy = FakeWorker("busy")
    busy.busy = 3
    played = Played(plan, FakeWorker("one"))

    async def play() -> None:
        async with played.executor():
            played.cluster.workers_by_address["busy"] = busy
            await trio.sleep(5 * BUSY_S)

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    assert busy.looks == 4
    assert played.events == [
        WorkerLeftOut("worker busy on host: another run plays on it"),
        WorkerJoined("busy on host", 2),
    ]


def test_a_worker_whose_referee_ends_at_once_stays_away_after_some_tries(plan: Plan) -> None:
    bad = FakeWorker("bad")
    bad.cannot_open = WorkerGoneError("exit status 1", is_lost=True)
    played = Played(plan, FakeWorker("one"))
    played.cluster.forget = lambda address: None  # type: ignore[method-assign]  # it stays in the cluster

    async def play() -> None:
        async with played.executor():
            played.cluster.workers_by_address["bad"] = bad
            await trio.sleep(3600)

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    assert played.events == [WorkerLost("bad on host", "exit status 1", 1)] * MOST_LOSSES


def test_a_defect_of_one_worker_leaves_it_out(plan: Plan) -> None:
    """Its installation may be broken. The others play on."""
    bad = FakeWorker("bad")
    bad.cannot_open = WorkerDefectError("Traceback\nImportError: libgomp.so.1: no such file\n")
    played = Played(plan, FakeWorker("one"), bad).run()
    played.assert_complete()
    assert played.events[0] == WorkerLeftOut(
        "worker bad on host: Bowerbird failed there: ImportError: libgomp.so.1: no such file"
    )


def test_workers_that_each_lack_another_bot_end_the_run_before_the_first_game(plan: Plan) -> None:
    workers = [FakeWorker("one", absent=[story("alpha")]), FakeWorker("two", absent=[story("beta")])]
    with pytest.raises(MachinesError, match="can start every bot"):
        Played(plan, *workers).run()
    assert not any(worker.played for worker in workers)


@pytest.mark.parametrize("late", [False, True])
def test_an_update_that_comes_before_or_after_its_block_counts_once(plan: Plan, late: bool) -> None:
    """Updates come twice, at once and with the block, over two connections that know nothing of each other."""
    one = FakeWorker("one")
    one.entries = [CpuUsed("alpha", 100, 1)]
    played = Played(plan, one)
    early = Reply(1, LedgerUpdate(CpuUsed("alpha", 100, 1)))
    counted = played.count

    async def play() -> None:
        async with played.executor() as executor:
            if not late:
                played.cluster.publish("one", early)
                await trio.testing.wait_all_tasks_blocked()
            else:
                played.count = lambda game: (played.cluster.publish("one", early), counted(game))[1]  # type: ignore[func-returns-value,method-assign]
            await executor.play_jobs(jobs_of(plan), lambda table, *_: played.count(table.game_id), _no_void)
            await trio.testing.wait_all_tasks_blocked()

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    played.assert_complete()
    assert played.entries == [CpuUsed("alpha", 100, 1)]


def test_workers_of_one_machine_share_its_slots_and_begin_with_the_ledger(plan: Plan) -> None:
    one, two = FakeWorker("one"), FakeWorker("two")
    Played(plan, one, two).run()
    assert one.setup is not None
    assert two.setup is not None
    assert {(one.setup.index, one.setup.count), (two.setup.index, two.setup.count)} == {(0, 2), (1, 2)}
