"""A worker or a scheduler of a cluster that completes the handshake and then lies (faults.md rows 67 and 68)."""

from __future__ import annotations

import asyncio
import pickle
import re
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="the extra bowerbird[cluster] is not installed")
import dask
from distributed import Scheduler, Worker
from distributed.protocol.serialize import to_serialize

from bowerbird.harness.cli.main import run
from bowerbird.harness.extras.analysis.analysing import plan_of
from bowerbird.harness.extras.analysis.analysis_file import AnalysisFile, analysis_path
from bowerbird.harness.extras.analysis.game_analysis import GameAnalysis
from bowerbird.harness.extras.cluster import connection as connection_module
from bowerbird.harness.extras.cluster import executor as executor_module
from bowerbird.harness.extras.cluster.address import parse_address
from bowerbird.harness.extras.cluster.connection import ClusterConnection, WorkerAnswerError, WorkerGoneError
from bowerbird.harness.extras.cluster.examiner import do_at_site
from bowerbird.harness.extras.cluster.loop_thread import LoopThread
from bowerbird.harness.extras.cluster.on_worker import site as site_module
from bowerbird.harness.extras.cluster.on_worker.session import Reply
from bowerbird.harness.extras.cluster.on_worker.site import EXTENSION, Done, WorkerSite, at_site, enter_site, topic_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.faults import FORFEIT, Incident
from bowerbird.harness.records.values.game_record import Conditions, TimeControl
from bowerbird.harness.referee.spec import FaultLimits
from bowerbird.harness.tournament.errors import MachinesError
from bowerbird.harness.tournament.executors.contract import RefereeSetup
from bowerbird.harness.tournament.executors.messages import GameEnded, LedgerUpdate
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.referee.fault_matrix import Seen

FILE = """
[tournament]
seed = "lies"
sets = 6
tables = 2
isolation = "limits"
instances = "shared"
[[variant]]
name = "euchre"
options = { max_hands = 2 }
"""
SETS = 6
WORLDS = 4

LIAR, HONEST = "liar", "honest"


class Unreadable:
    """An object that raises as soon as it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return int, ("not a number",)


Answer = Callable[["Liar", Any], Awaitable[object]]
"""Makes a worker's answer to a block out of the true answer."""


class Liar(Worker):
    """A worker that plays like the others, but gives a different answer."""

    answer: Answer
    "What it answers to a block."
    to: Callable[..., object] = WorkerSite.play
    "The call to which it gives a false answer."

    async def run(self, comm: Any, function: Any, args: Any = (), wait: Any = True, kwargs: Any = None) -> Any:
        answer = await super().run(comm, function, args, wait, kwargs)  # type: ignore[no-untyped-call]
        called = pickle.loads(function)
        method = called if called is not at_site else pickle.loads(args)[1]
        if method is not self.to:
            return answer
        return {"status": "OK", "result": to_serialize(await self.answer(self, answer["result"].data))}

    def accuse(self, run: str, bot: str, number: int) -> None:
        """Tell the run at once of an incident that never happened."""
        incident = Incident(f"made-up-{number}", bot, 0, "CRASHED", "signal 9 (SIGKILL)")
        self.log_event(topic_of(run), pickle.dumps((self.address, Reply(number, LedgerUpdate(incident)))))


def _with_first_game(answer: Done[list[Reply]], change: Callable[[GameEnded], GameEnded]) -> Done[list[Reply]]:
    number, first = next((n, one.message) for n, one in enumerate(answer.value) if isinstance(one.message, GameEnded))
    replies = [*answer.value]
    replies[number] = Reply(0, change(first))
    return Done(replies)


async def _other_cards(_: Liar, answer: Any) -> object:
    return _with_first_game(
        answer, lambda game: replace(game, record=replace(game.record, hands=game.record.hands[::-1]))
    )


async def _a_game_it_does_not_hold(_: Liar, answer: Any) -> object:
    return _with_first_game(
        answer, lambda game: replace(game, record=replace(game.record, id=f"{game.record.id[:-1]}7"))
    )


async def _twice(_: Liar, answer: Any) -> object:
    return Done([*answer.value, *answer.value])


async def _a_huge_message(_: Liar, answer: Any) -> object:
    return Done([Reply(0, bytes(200 << 20))])


async def _garbage(_: Liar, answer: Any) -> object:
    return b"\xc1" * 1000


async def _what_cannot_be_read(_: Liar, answer: Any) -> object:
    return Unreadable()


async def _silence(_: Liar, answer: Any) -> object:
    await asyncio.Event().wait()
    return answer


async def _accusations(liar: Liar, answer: Any) -> object:
    site = liar.extensions[EXTENSION].site
    for number in range(1, 20):
        liar.accuse(site.run, "one", number)
    return await _other_cards(liar, answer)


async def _another_isolation(_: Liar, answer: Any) -> object:
    return Done(replace(answer.value, tier="heaven"))


async def _no_facts(_: Liar, answer: Any) -> object:
    return Done({"cores": 10**6})


LIES: dict[str, tuple[Callable[..., object], Answer, str]] = {
    "games that do not verify": (WorkerSite.play, _other_cards, "it delivered a wrong game"),
    "a game that it does not hold": (WorkerSite.play, _a_game_it_does_not_hold, "that it was not asked for"),
    "each game twice": (WorkerSite.play, _twice, "it did not deliver each game of its block once"),
    "200 MiB": (WorkerSite.play, _a_huge_message, "its answer to a block is not a list of games"),
    "garbage": (WorkerSite.play, _garbage, "it gave an answer that no worker gives"),
    "what cannot be read": (WorkerSite.play, _what_cannot_be_read, "its answer cannot be read (ValueError)"),
    "silence": (WorkerSite.play, _silence, "was faster with its games"),
    "accusations": (WorkerSite.play, _accusations, "it delivered a wrong game"),
    "an isolation that there is not": (
        WorkerSite.prepare,
        _another_isolation,
        "it chose an isolation that does not exist",
    ),
    "no facts": (enter_site, _no_facts, "its description of itself is not in the form that workers use"),
}


@contextmanager
def _cluster(folder: Path, scheduler: type[Scheduler], *workers: tuple[str, type[Worker]]) -> Iterator[str]:
    """Yield the address of a scheduler with workers, all of them in a thread of this process."""
    loop = LoopThread()
    loop.start()
    started: list[Any] = []

    async def start() -> str:
        dask.config.set(connection_module._SETTINGS)
        made = await scheduler(host="127.0.0.1", port=0, dashboard=False, dashboard_address="127.0.0.1:0")
        started.append(made)
        for name, kind in workers:
            options: dict[str, Any] = {
                "nthreads": 1,
                "name": name,
                "local_directory": str(folder / name),
                "memory_limit": 0,
            }
            started.append(await kind(made.address, dashboard_address="127.0.0.1:0", dashboard=False, **options))
        return str(made.address)

    async def stop() -> None:
        for one in reversed(started):
            await one.close()

    try:
        yield loop.wait_for(start(), DEADLINE_S)
    finally:
        loop.wait_for(stop(), DEADLINE_S)
        loop.stop()


@pytest.mark.row(67)
@pytest.mark.parametrize("lie", LIES)
def test_a_worker_that_lies_costs_no_bot_and_no_game(
    bowerbird: Bowerbird, tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    to, answer, said = LIES[lie]
    file = bowerbird.tournament(FILE, bowerbird.bot("one", "last"), bowerbird.bot("two", "honest"))
    liar = type("OneLiar", (Liar,), {"to": staticmethod(to), "answer": staticmethod(answer)})
    with _cluster(tmp_path / "workers", Scheduler, (LIAR, liar), (HONEST, Worker)) as address:
        played = bowerbird("tournament", file, "--db", "cluster.db", "--cluster", address)
        assert played.returncode == 0, played.stderr
        told = played.stderr
    with Store.open(bowerbird.folder / "cluster.db") as store:
        assert len(store.run().stored_sets()) == SETS
        assert not store.run().conduct().incidents, "a bot was blamed"
        assert not store.run().faults()
    words = " ".join(told.split())
    assert said in words, told
    assert "Traceback" not in told
    bowerbird.done("verify", "--db", "cluster.db")
    seen(f"{lie}: {re.sub('^.*?(?=' + LIAR + ')', '', next(line for line in told.splitlines() if LIAR in line))[:90]}")


async def _a_made_up_loss(_: Liar, answer: Any) -> object:
    first, *others = answer.value.decisions
    return Done(replace(answer.value, decisions=(replace(first, loss=first.loss + 1), *others)))


async def _a_decision_that_nobody_made(_: Liar, answer: Any) -> object:
    first, *others = answer.value.decisions
    return Done(replace(answer.value, decisions=(replace(first, token="fold"), *others)))


async def _a_damaged_record(_: Liar, answer: Any) -> object:
    return Done("line 7: it is damaged")


FIGURES: dict[str, tuple[Answer, str]] = {
    "another loss": (_a_made_up_loss, "is wrong: this machine finds something else"),
    "a decision that nobody made": (_a_decision_that_nobody_made, "is impossible: hand 0 has no decision"),
    "a record that is damaged": (_a_damaged_record, "is wrong: this machine finds something else"),
}


@pytest.mark.row(67)
@pytest.mark.parametrize("lie", FIGURES)
def test_a_worker_that_makes_up_what_it_finds_in_stored_games_is_lost_and_nothing_of_it_is_taken(
    bowerbird: Bowerbird, tmp_path: Path, seen: Seen, lie: str
) -> None:
    answer, said = FIGURES[lie]
    file = bowerbird.tournament(FILE, bowerbird.bot("one", "last"), bowerbird.bot("two", "honest"))
    bowerbird.done("tournament", file, "--db", "x.db")
    analyse = ("analyse", "--worlds", str(WORLDS), "--db", "x.db", "--json")
    bowerbird.done(*analyse)
    alone = _figures(bowerbird.folder / "x.db")
    analysis_path(bowerbird.folder / "x.db").unlink()
    liar = type("OneLiar", (Liar,), {"to": staticmethod(do_at_site), "answer": staticmethod(answer)})
    with _cluster(tmp_path / "workers", Scheduler, (LIAR, liar), (HONEST, Worker)) as address:
        done = bowerbird(*analyse, "--cluster", address)
    assert done.returncode == 0, done.stderr
    words = " ".join(done.stderr.split())
    assert f"worker {LIAR} on " in words, done.stderr
    assert said in words, done.stderr
    assert _figures(bowerbird.folder / "x.db") == alone
    seen(f"analyse: {lie}: {said}")


def _figures(path: Path) -> dict[str, GameAnalysis]:
    with Store.open(path) as store, AnalysisFile(path) as figures:
        return dict(figures.games(store.run().fingerprint, plan_of(store.run(), WORLDS).judges))


@pytest.mark.row(67)
def test_a_single_worker_that_falls_silent_ends_the_run_in_a_sentence_and_it_can_be_resumed(
    bowerbird: Bowerbird,
    tmp_path: Path,
    seen: Seen,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It plays, keeps its connection and renews its lease; nobody is there to be compared with it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(executor_module, "TELL_SILENT_S", executor_module.LOOK_S)
    monkeypatch.setattr(executor_module, "silence_limit_s", lambda setup: 3 * executor_module.LOOK_S)
    monkeypatch.setattr(executor_module, "NO_WORKER_S", 1.0)
    monkeypatch.chdir(bowerbird.folder)
    file = bowerbird.tournament(FILE, bowerbird.bot("one", "last"), bowerbird.bot("two", "honest"))
    liar = type("OneLiar", (Liar,), {"to": staticmethod(WorkerSite.play), "answer": staticmethod(_silence)})
    with _cluster(tmp_path / "workers", Scheduler, (LIAR, liar)) as address:
        code = run(("tournament", str(file), "--db", "cluster.db", "--cluster", address))
    said = " ".join(capsys.readouterr().err.split())
    assert code == 2, said
    assert f"worker {LIAR} on " in said
    assert " has been silent for " in said
    assert "are gone, and none came for 1 s; stored results are kept" in said
    assert "--resume" in said
    bowerbird.done("tournament", file, "--db", "cluster.db", "--resume")
    bowerbird.done("verify", "--db", "cluster.db")
    seen("a single silent worker: told, lost, the run ends in a sentence and is resumed")


async def _garbage_of_a_scheduler(*_: object, **__: object) -> object:
    return 7


async def _silence_of_a_scheduler(*_: object, **__: object) -> object:
    await asyncio.Event().wait()
    return None


async def _unreadable_of_a_scheduler(*_: object, **__: object) -> object:
    return to_serialize(Unreadable())


async def _answers_of_others(*_: object, **__: object) -> object:
    return {"tcp://127.0.0.1:1": {"status": "OK", "result": to_serialize(Done(7))}}


STRANGE = "gives answers that no Dask scheduler gives; stored results are kept"

SCHEDULERS: dict[str, tuple[str, Callable[..., Awaitable[object]], str]] = {
    "garbage for workers": ("identity", _garbage_of_a_scheduler, STRANGE),
    "workers that cannot be read": ("identity", _unreadable_of_a_scheduler, STRANGE),
    "silence about workers": ("identity", _silence_of_a_scheduler, "is gone (TimeoutError)"),
    "garbage for addresses": ("ncores", _garbage_of_a_scheduler, STRANGE),
    "silence about addresses": ("ncores", _silence_of_a_scheduler, "is gone (TimeoutError)"),
    "garbage for answers": ("broadcast", _garbage_of_a_scheduler, "its answer cannot be read"),
    "answers of others": ("broadcast", _answers_of_others, "its answer cannot be read (KeyError)"),
    "silence about answers": ("broadcast", _silence_of_a_scheduler, "it has not answered for 1 s"),
}


@pytest.mark.row(68)
@pytest.mark.parametrize("lie", SCHEDULERS)
def test_a_scheduler_that_lies_after_the_handshake_is_left_in_one_sentence(
    processes: None, tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    """A run asks it for its workers, asks again as it plays, and sends all calls of workers through it."""
    handler, answer, said = SCHEDULERS[lie]
    made: list[Scheduler] = []

    class Kept(Scheduler):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            made.append(self)

    with _cluster(tmp_path, Kept, (HONEST, Worker)) as address:
        connection = ClusterConnection(parse_address(address))
        connection.open()
        try:
            [worker] = connection.loop.wait_for(connection.workers(), DEADLINE_S)
            made[0].handlers[handler] = answer
            monkeypatch.setattr(connection_module, "SILENCE_S", 1.0 if "silence" in lie else DEADLINE_S)
            monkeypatch.setattr(connection_module, "ANSWER_S", 1.0 if "silence" in lie else DEADLINE_S)
            ask = {"identity": connection.workers, "ncores": connection.addresses}
            with pytest.raises((MachinesError, WorkerGoneError, WorkerAnswerError)) as refused:
                connection.loop.wait_for(ask[handler]() if handler in ask else connection.enter(worker), DEADLINE_S)
        finally:
            connection.close()
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    seen(f"{lie}: {str(refused.value)[:90]}")


@pytest.mark.row(68)
def test_garbage_among_the_updates_of_workers_is_dropped_and_the_others_are_heard(
    processes: None, tmp_path: Path, seen: Seen
) -> None:
    heard: list[tuple[str, object]] = []
    last = threading.Event()

    def hear(worker: str, reply: object) -> None:
        heard.append((worker, reply))
        last.set()

    made: list[Scheduler] = []

    class Kept(Scheduler):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            made.append(self)

    async def tell(run: str) -> None:
        garbage = (7, "text", b"\xff", pickle.dumps(7), pickle.dumps((7, 7)), pickle.dumps(Unreadable()))
        while not last.is_set():  # subscribers are not told when that is done
            for event in (*garbage, pickle.dumps(("tcp://somebody", "an update"))):
                made[0].log_event(topic_of(run), event)
            await asyncio.sleep(0.05)

    with _cluster(tmp_path, Kept) as address:
        connection = ClusterConnection(parse_address(address))
        connection.open()
        try:
            connection.on_reply(hear)
            made[0].loop.add_callback(tell, connection.run)
            assert last.wait(DEADLINE_S), "the update after the garbage did not come"
        finally:
            connection.close()
    assert {*heard} == {("tcp://somebody", "an update")}
    seen("six kinds of garbage among updates: dropped, the next update is heard")


@pytest.mark.row(68)
def test_a_worker_whose_scheduler_passes_nothing_on_ends_its_referee_and_its_site(
    processes: None, tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps its connection to the scheduler, but no call arrives any more, not even the one that ends the run."""
    monkeypatch.setattr(site_module, "LEASE_S", 2.0)
    made: list[Worker] = []

    class Kept(Worker):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            made.append(self)

    conditions = Conditions(FORFEIT, "none", "seat", TimeControl())
    setup = RefereeSetup((), conditions, tmp_path, hidden=(), slots=1, tables=1, limits=FaultLimits())
    with _cluster(tmp_path / "workers", Scheduler, (HONEST, Kept)) as address:
        connection = ClusterConnection(parse_address(address))
        connection.open()
        try:
            [worker] = connection.loop.wait_for(connection.workers(), DEADLINE_S)
            connection.loop.wait_for(connection.enter(worker), DEADLINE_S)
            connection.loop.wait_for(connection.call(worker, WorkerSite.open_referee, setup), DEADLINE_S)
            site = made[0].extensions[EXTENSION].site
            referee = site._session._process
            connection.forget(worker)
            deadline = time.monotonic() + DEADLINE_S
            while site.is_open or referee.returncode is None:
                assert time.monotonic() < deadline, "the site waits for a run that says nothing"
                time.sleep(0.05)  # nothing to wait on: it ends in another thread
            with pytest.raises(WorkerGoneError):
                connection.loop.wait_for(connection.call(worker, WorkerSite.renew), DEADLINE_S)
        finally:
            connection.close()
    seen("a scheduler that passes nothing on: the site and its referee have ended")
