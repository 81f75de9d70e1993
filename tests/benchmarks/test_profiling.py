"""`make bench ARGS=profile` (one command takes a profile)."""

from __future__ import annotations

import cProfile
import pstats
import threading
from pathlib import Path

from benchmarks.profiling import Profiler, Threads, function_lines, named, thread_lines
from bowerbird.harness.tournament.events import Building
from tests.support.paths import ROOT


def test_threads_are_shown_by_what_they_took_a_decision() -> None:
    before, after = Threads({"MainThread": 1.0, "seat": 0.5}), Threads({"MainThread": 1.2, "seat": 0.6, "idle": 0.001})
    head, first, second = thread_lines(after.since(before), decisions=1000)
    assert head.split() == ["thread", "of", "the", "referee", "share", "µs", "a", "decision"]
    assert first.split() == ["MainThread", "66%", "200"]
    assert second.split() == ["seat", "33%", "100"]


def test_this_thread_has_a_name_and_a_time() -> None:
    assert "MainThread" in Threads.now().cpu


def test_functions_of_the_project_are_named_by_their_path() -> None:
    assert named((str(ROOT / "engine" / "game.py"), 89, "apply")) == "engine/game.py:89 apply"
    assert named(("/somewhere/site-packages/grpc/_server.py", 708, "_send")) == "grpc/_server.py:708 _send"
    assert named(("~", 0, "<built-in method len>")) == "<built-in method len>"


def test_functions_are_sorted_by_their_own_time_or_with_callees() -> None:
    clock = [0]

    def inner() -> None:
        clock[0] += 10

    def outer() -> None:
        clock[0] += 1
        inner()

    profile = cProfile.Profile(lambda: clock[0])
    profile.runcall(outer)
    stats = pstats.Stats(profile)
    own, callees = (function_lines(stats, sort, 1)[1] for sort in ("own", "callees"))
    assert own.endswith(" inner"), own
    assert callees.endswith(" outer"), callees


def test_every_thread_is_profiled() -> None:
    original = threading.Thread.run
    profiler = Profiler()
    profiler.watch_threads()
    try:
        thread = threading.Thread(target=_spin)
        thread.start()
        thread.join()
        profiler.note(Building("somebody", 900.0))
        Path("nowhere").is_absolute()
        table = profiler.stats().stats  # type: ignore[attr-defined]  # not in the stubs
    finally:
        setattr(threading.Thread, "run", original)  # noqa: B010  # what the profiler put there
    names = {name for _, _, name in table}
    assert "_spin" in names, names
    assert "is_absolute" in names, names


def _spin() -> int:
    return sum(range(1000))
