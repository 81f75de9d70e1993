"""Whether a value sent by another process is what its type says."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import pytest

from bowerbird.harness.extras.cluster.answer_types import LONGEST_TEXT, is_of_type
from bowerbird.harness.extras.cluster.on_worker.worker_facts import WorkerFacts, describe
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.verify.game_checks import Difference
from bowerbird.harness.referee.host.stall_log import Stall
from bowerbird.harness.tournament.executors.messages import LedgerUpdate, StallEnded


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    name: str = ""


class One(IntEnum):
    ONE = 1


RIGHT: list[tuple[object, object]] = [
    (1, int),
    (1, float),
    (True, bool),
    (None, None),
    ((1, 2), tuple[int, ...]),
    ((), tuple[int, ...]),
    ((1, "a"), tuple[int, str]),
    ([1], list[int]),
    ([1], Sequence[int]),
    ({"a": 1}, Mapping[str, int]),
    (Point(1), Point),
    (Point(1), Point | None),
    (StallEnded(Stall(0, 1, 1)), LedgerUpdate | StallEnded),
    (describe(calibrated=False), WorkerFacts),
]

WRONG: list[tuple[Any, object]] = [
    (True, int),
    (One.ONE, int),
    (1, bool),
    (1 << 63, int),
    (10**400, float),
    (float("nan"), float),
    (float("inf"), float),
    ("x" * (LONGEST_TEXT + 1), str),
    (b"x", str),
    ([1], tuple[int, ...]),
    ((1, "a"), tuple[int, ...]),
    ((1,), tuple[int, str]),
    ({"a": "b"}, Mapping[str, int]),
    ([("a", 1)], Mapping[str, int]),
    (7, Point),
    (Point("x"), Point),  # type: ignore[arg-type]
    (StallEnded(Stall(0, 1, None)), LedgerUpdate | StallEnded),  # type: ignore[arg-type]
    (LedgerUpdate(None), LedgerUpdate | StallEnded),  # type: ignore[arg-type]
    ([Difference("a", "b", None)], list[Difference]),  # type: ignore[arg-type]
    (replace(describe(calibrated=False), speed=float("nan")), WorkerFacts),
    (Point(1), GameRecord),
    (object.__new__(Point), Point),
]


@pytest.mark.parametrize(("value", "hint"), RIGHT)
def test_what_its_type_says_is_accepted_also_after_its_way(value: object, hint: object) -> None:
    assert is_of_type(value, hint)
    assert is_of_type(pickle.loads(pickle.dumps(value)), hint)


@pytest.mark.parametrize(("value", "hint"), WRONG)
def test_anything_else_is_not_and_raises_nothing(value: object, hint: object) -> None:
    assert not is_of_type(value, hint)


def test_a_type_that_cannot_be_checked_is_a_defect_of_the_caller() -> None:
    with pytest.raises(TypeError, match="must not contain"):
        is_of_type({1}, set[int])
