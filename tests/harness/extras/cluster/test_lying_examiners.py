"""What workers say of stored games is checked by doing some of it again (`examiner`)."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bowerbird.harness.extras.cluster import examiner as examining
from bowerbird.harness.extras.cluster.examiner import ClusterExaminer, examiner_on
from bowerbird.harness.extras.cluster.executor import DRAWN
from bowerbird.harness.extras.cluster.on_worker import site
from bowerbird.harness.extras.cluster.on_worker.site import Done
from bowerbird.harness.extras.cluster.on_worker.worker_facts import WorkerFacts, describe
from bowerbird.harness.tournament.errors import MachinesError
from bowerbird.harness.tournament.events import TournamentEvent, WorkerLost
from bowerbird.harness.tournament.executors.other_machines import Work
from tests.support.deadline import DEADLINE_S
from tests.support.tournament.cluster_in_process import ClusterInProcess, WorkerInProcess, connected

ITEMS = range(40)


def square(number: int) -> int:
    return number * number


def refuse(number: int, found: int) -> None:
    if found < 0:
        raise ValueError(f"{found} is the square of nothing")


SQUARING = Work(square, int, refuse, lambda found: found == square(ITEMS[-1]))
"""The last square is grave: whoever says it is always checked."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = describe(calibrated=False)

    def described(*, calibrated: bool) -> WorkerFacts:
        return facts

    monkeypatch.setattr(examining, "LOOK_S", 0.02)
    monkeypatch.setattr(examining, "NO_WORKER_S", 0.1)
    monkeypatch.setattr(site, "describe", described)


@pytest.fixture
def worker(tmp_path: Path) -> Callable[[str], WorkerInProcess]:
    return lambda name: WorkerInProcess(f"tcp://{name}:1", name, tmp_path)


@contextmanager
def examiner_of(*workers: WorkerInProcess, events: list[TournamentEvent]) -> Iterator[ClusterExaminer]:
    with connected(ClusterInProcess(*workers)) as connection, examiner_on(connection, events.append, "square") as made:
        yield made


def squares(examiner: ClusterExaminer) -> list[int]:
    return list(examiner.mapped(SQUARING, ((f"number {number}", number) for number in ITEMS)))


def lost(events: list[TournamentEvent]) -> list[tuple[str, str]]:
    return [(event.worker.split(" ")[0], event.why) for event in events if isinstance(event, WorkerLost)]


LIES: dict[str, tuple[Callable[[int], object], str]] = {
    "another number": (lambda found: found + 1, "is wrong: this machine finds something else"),
    "one that cannot be": (lambda found: -found - 1, "is the square of nothing"),
    "another type": (str, "it answered what no worker answers"),
    "a number that no database holds": (lambda found: 1 << 80, "it answered what no worker answers"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_worker_that_lies_from_its_first_word_is_lost_and_nothing_of_it_is_taken(
    worker: Callable[[str], WorkerInProcess], lie: str
) -> None:
    make, why = LIES[lie]
    liar, honest, events = worker("liar"), worker("honest"), list[TournamentEvent]()
    liar.finds = lambda answer: Done(make(answer.value))
    with examiner_of(liar, honest, events=events) as examiner:
        assert squares(examiner) == [square(number) for number in ITEMS]
    [(name, said)] = lost(events)
    assert name == "liar"
    assert said.startswith("its result for number ") or said == why
    assert why in said


def test_a_worker_that_begins_to_lie_is_found_when_the_lot_falls_on_it(
    worker: Callable[[str], WorkerInProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is proven by its first answer. After that only those on which the lot falls are done again."""
    drawn = iter([False, False, False, True])
    monkeypatch.setattr(examining, "is_drawn", lambda: next(drawn))
    answers: list[int] = []

    def lies_later(answer: Done[int]) -> Done[int]:
        answers.append(answer.value)
        return answer if len(answers) == 1 else Done(answer.value + 1)

    liar, events = worker("liar"), list[TournamentEvent]()
    liar.finds = lies_later
    with (
        pytest.raises(MachinesError, match=r"^all workers of tcp://.* are gone"),
        examiner_of(liar, events=events) as examiner,
    ):
        squares(examiner)
    assert len(answers) == 1 + 4
    assert [name for name, _ in lost(events)] == ["liar"]


def test_a_grave_answer_is_always_checked(
    worker: Callable[[str], WorkerInProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "is_drawn", lambda: False)
    answers: list[int] = []

    def accuses(answer: Done[int]) -> Done[int]:
        answers.append(answer.value)
        return answer if len(answers) < 3 else Done(square(ITEMS[-1]))

    liar, events = worker("liar"), list[TournamentEvent]()
    liar.finds = accuses
    with pytest.raises(MachinesError), examiner_of(liar, events=events) as examiner:
        squares(examiner)
    assert len(answers) == 3
    assert [name for name, _ in lost(events)] == ["liar"]


def test_the_lot_falls_on_one_of_sixteen(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(range(DRAWN))
    monkeypatch.setattr(secrets, "randbelow", lambda below: next(drawn) % below)
    assert sum(examining.is_drawn() for _ in range(DRAWN)) == 1


def test_what_a_silent_worker_has_is_done_here(
    worker: Callable[[str], WorkerInProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps its connection and answers that it is there: nothing else would end the wait for a single worker."""
    monkeypatch.setattr(examining, "LEAST_LATE_S", 0.01)
    monkeypatch.setattr(examining, "NO_WORKER_S", DEADLINE_S)
    silent, events = worker("silent"), list[TournamentEvent]()

    async def wait_for_ever(_: object) -> None:
        await asyncio.Event().wait()

    silent.on_examine = wait_for_ever
    with examiner_of(silent, events=events) as examiner:
        assert list(examiner.mapped(SQUARING, [("number 7", 7)])) == [square(7)]
    [(name, why)] = lost(events)
    assert name == "silent"
    assert "and this machine was faster" in why


BEGUN = threading.Event()
"""Whether a square was begun: by this machine, if the worker waits for that."""


def noted_square(number: int) -> int:
    BEGUN.set()
    return square(number)


def test_a_worker_that_takes_longer_than_this_machine_is_given_several_times_as_long(
    worker: Callable[[str], WorkerInProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "LEAST_LATE_S", 0.0)
    monkeypatch.setattr(examining, "LATE", 10**9)
    BEGUN.clear()
    slow, events = worker("slow"), list[TournamentEvent]()

    async def wait_for_this_machine(_: object) -> None:
        await asyncio.to_thread(BEGUN.wait, DEADLINE_S)

    slow.on_examine = wait_for_this_machine
    work = Work(noted_square, int, refuse, lambda found: False)
    with examiner_of(slow, events=events) as examiner:
        assert list(examiner.mapped(work, [("number 7", 7)])) == [square(7)]
    assert not lost(events)
