"""Spectators of a run that another process plays: what they see, and every byte that they must not get."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bowerbird.harness.records.replay.replay import replay
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.run import COMMON, OWN
from bowerbird.harness.watch.address import runtime_folder
from bowerbird.spectator import DealSet, GamesOpened, RunGoneError, RunOver, SetFinished, connect, running
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.hosted import PYTHON, hosted, remote
from tests.support.deadline import DEADLINE_S
from tests.support.docs.blocks import block
from tests.support.paths import DOCS, ROOT
from tests.support.tournament.spectators import Spectators, cards_in, running_address, spectators

ENDLESS = 2000
"""Deal sets of a run that lasts until the test ends it."""
INTERRUPTED = 130
CUP = """
[tournament]
seed = "watched"
sets = {sets}
packs = "{packs}"
tables = 4
[[variant]]
name = "euchre"
"""
REMOTE = """
[tournament]
seed = "hosted and watched"
sets = 12
unit = "deals"
[time]
per_decision = "60s"
[[variant]]
name = "euchre"
[[bot]]
remote = true
name = "ada"
"""
GATED = """
import os, time
from bowerbird.sdk import Bot, run
class Gated(Bot):
    def act(self, decision):
        while not os.path.exists(os.environ["GATE"]):
            time.sleep(0.01)
        return 0
run(Gated())
"""
"""A bot that answers once a file exists."""


@pytest.fixture(autouse=True)
def _runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a folder of sockets of its own, which the commands that it starts inherit."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def cup(bowerbird: Bowerbird, packs: str, sets: int = 16, *, third: bool = False) -> Path:
    """Write a tournament of two bundled bots, and a third bot if wanted."""
    bots = [bowerbird.bundled("greedy"), bowerbird.bundled("random")]
    if third:
        bots.append(bowerbird.bot("third", "honest"))
    return bowerbird.tournament(CUP.format(packs=packs, sets=sets), *bots)


def watched(
    bowerbird: Bowerbird, packs: str, enough: Callable[[Spectators], bool], *arguments: str, third: bool = False
) -> Spectators:
    """Play a tournament while spectators ask for everything, until they have seen enough; return them."""
    file = cup(bowerbird, packs, sets=ENDLESS, third=third)
    process = bowerbird.start("tournament", file, "--db", "x.db", *arguments)
    with spectators(running_address(process), bowerbird.folder / "x.db", packs) as watching:
        watching.until(enough)
        interrupt(process)
    return watching


def interrupt(process: subprocess.Popen[str]) -> None:
    """End a run as Ctrl-C does."""
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == INTERRUPTED, said


def records_of(bowerbird: Bowerbird) -> dict[str, GameRecord]:
    with Store.open(bowerbird.folder / "x.db") as store:
        return {game: store.record(game) for game in store.run(None).game_ids()}


def shown_until(record: GameRecord) -> dict[tuple[int, int, int], set[str]]:
    """Return, by hand, finished tricks and cards of the trick on the table, which cards everybody has seen by then."""
    seen: dict[tuple[int, int, int], set[str]] = {}
    for step in replay(record):
        view = step.before.view(0)
        now = seen.setdefault((step.hand, view.trick_number, len(view.trick)), set())
        before = {card for trick in view.tricks for _, card in trick.cards} | {card for _, card in view.trick}
        now |= before | ({view.upcard} - {""})
        if step.action.kind == "play":
            key = (step.hand, view.trick_number, len(view.trick) + 1)
            seen.setdefault(key, set()).update(now | {step.action.card})
    return seen


def assert_no_card_to_come(watching: Spectators, records: dict[str, GameRecord]) -> int:
    """Look through everything that spectators got. Return how many frames there were.

    Frames of games that were interrupted are left out: no record says what was seen in them.
    """
    frames = 0
    seen = {game: shown_until(record) for game, record in records.items()}
    for method, game, message, texts in watching.texts():
        if method != "WatchTable" or message.WhichOneof("update") != "frame":
            assert not cards_in(texts), f"{method} names cards: {texts}"
            continue
        frame = message.frame  # type: ignore[attr-defined]  # a WatchTableResponse
        if game not in seen:
            continue
        frames += 1
        place = (frame.hand, frame.trick_number, len(frame.trick))
        extra = cards_in(texts) - seen[game].get(place, set())
        assert not extra, f"{game}, {place}: {extra} are still to come, in {texts}"
    return frames


@pytest.mark.parametrize(
    ("packs", "jobs"),
    [
        (OWN, "1"),
        (COMMON, "2"),
        pytest.param(OWN, "2", marks=pytest.mark.long),
        pytest.param(COMMON, "1", marks=pytest.mark.long),
    ],
)
def test_no_byte_to_spectators_names_a_card_still_to_come(bowerbird: Bowerbird, packs: str, jobs: str) -> None:
    watching = watched(bowerbird, packs, _has_frames_and_records, "--jobs", jobs)
    records = records_of(bowerbird)
    assert assert_no_card_to_come(watching, records) > 60
    assert not watching.refusals
    assert not watching.early, "a record was given while its packs were still to be dealt"
    for game, text in watching.records.items():
        assert text == canonical(records[game])


def _has_frames_and_records(watching: Spectators) -> bool:
    """Whether enough frames have come, from games whose records were given during the run, for a judgement."""
    of_games = (
        message for method, game, message, _ in watching.texts() if method == "WatchTable" and game in watching.records
    )
    return len([1 for message in of_games if message.WhichOneof("update") == "frame"]) > 60


@pytest.mark.parametrize("packs", [OWN, COMMON])
def test_of_bots_without_a_sandbox_no_card_is_seen_before_its_packs_are_open(bowerbird: Bowerbird, packs: str) -> None:
    watching = watched(bowerbird, packs, _has_refusals, "--isolation", "none", third=True)
    assert not any(
        message.WhichOneof("update") == "frame" for method, _, message, _ in watching.texts() if method == "WatchTable"
    )
    assert assert_no_card_to_come(watching, {}) == 0
    assert all("not in a sandbox" in sentence for sentence in watching.refusals)
    assert not watching.early


def _has_refusals(watching: Spectators) -> bool:
    return len(watching.refusals) >= 10


def test_with_a_remote_bot_hands_appear_only_when_their_packs_are_open(bowerbird: Bowerbird) -> None:
    """The remote bot waits at its first decision until a spectator has asked for its table."""
    gate = bowerbird.folder / "gate"
    file = bowerbird.tournament(REMOTE, bowerbird.bundled("greedy"), bowerbird.bundled("random"))
    with hosted(bowerbird, file) as host:
        host.until_invited()
        with (
            spectators(running_address(host.process), bowerbird.folder / "x.db", OWN) as watching,
            remote(host, "ada", PYTHON, "-c", GATED, GATE=str(gate)) as ada,
        ):
            watching.until(lambda one: bool(one.refusals))
            gate.touch()
            host.ended()
            assert ada.ended()[0] == 0
    records = records_of(bowerbird)
    with Store.open(bowerbird.folder / "x.db") as store:
        assert "own" in store.run(None).row.config, "a hosted run has packs of its own unless the file says otherwise"
    for method, game, message, texts in watching.texts():
        at_table = {seat.bot for seat in records[game].seats} if game else set()
        assert "ada" not in at_table or method != "WatchTable" or message.WhichOneof("update") != "frame"
        if "ada" in at_table or not game:
            assert not cards_in(texts), f"{method} of {game} names cards: {texts}"
    assert any("'ada' is remote" in sentence for sentence in watching.refusals)
    assert not watching.early


def test_hands_of_packs_that_nobody_meets_again_appear_within_ten_sets(bowerbird: Bowerbird) -> None:
    process = bowerbird.start("tournament", cup(bowerbird, OWN, sets=30), "--db", "x.db")
    shown = 0
    with connect(running_address(process)) as client:
        for update in client.watch_run():
            if isinstance(update, SetFinished):
                for game in update.games:
                    assert read(client.record(game.game)).id == game.game, "nobody meets its packs again"
                    shown += 1
            if shown >= 20:
                break
    process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0
    assert shown >= 20


def test_with_common_packs_hands_appear_when_the_last_line_up_has_met_them(bowerbird: Bowerbird) -> None:
    file = cup(bowerbird, COMMON, sets=6, third=True)
    process = bowerbird.start("tournament", file, "--db", "x.db")
    finished: list[DealSet] = []
    opened: list[DealSet] = []
    with connect(running_address(process)) as client:
        for update in client.watch_run():
            if isinstance(update, SetFinished):
                finished.append(update.set)
            elif isinstance(update, GamesOpened):
                opened += update.sets
                for one in update.sets:
                    same = [other for other in finished if other.number == one.number]
                    assert len(same) == 3, "one of its three line-ups is still to play it"
    process.communicate(timeout=DEADLINE_S)
    assert sorted(opened) == sorted(finished)


def spectator_process() -> subprocess.Popen[str]:
    """Start a program that watches a run as any other program would."""
    program = (
        "from bowerbird.spectator import connect, running\n"
        "with connect(running()[0]) as client:\n"
        "    for update in client.watch_run():\n"
        "        print(type(update).__name__, flush=True)\n"
    )
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT)


def test_a_killed_spectator_leaves_no_trace_in_the_run(bowerbird: Bowerbird) -> None:
    process = bowerbird.start("tournament", cup(bowerbird, OWN), "--db", "x.db")
    running_address(process)
    watcher = spectator_process()
    assert watcher.stdout is not None
    assert watcher.stdout.readline() == "RunInfo\n"
    watcher.kill()
    watcher.communicate(timeout=DEADLINE_S)
    _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, said
    bowerbird.done("verify", "--db", "x.db")
    assert running() == []


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.long), "2"])
def test_spectators_of_a_killed_run_are_told_and_a_resumed_one_can_be_watched(bowerbird: Bowerbird, jobs: str) -> None:
    file = cup(bowerbird, OWN, sets=100)
    process = bowerbird.start("tournament", file, "--db", "x.db", "--jobs", jobs)
    with connect(running_address(process)) as client:
        updates = iter(client.watch_run())
        while not isinstance(next(updates), SetFinished):
            pass
        process.kill()
        process.communicate(timeout=DEADLINE_S)
        with pytest.raises(RunGoneError):
            list(updates)
    assert running() == [], "a socket without a process is no run"
    again = bowerbird.start("tournament", file, "--db", "x.db", "--resume")
    with connect(running_address(again)) as client:
        assert client.run().sets_stored >= 1
        again.send_signal(signal.SIGINT)
        *_, last = client.watch_run()
        assert isinstance(last, RunOver)
        assert not last.is_complete
    again.communicate(timeout=DEADLINE_S)
    assert not bowerbird.wait_until_gone()


def test_the_program_of_the_page_shows_a_table(bowerbird: Bowerbird) -> None:
    process = bowerbird.start("tournament", cup(bowerbird, OWN, sets=ENDLESS), "--db", "x.db")
    running_address(process)
    program = block(DOCS / "how-to" / "watch.md", "python", "watch_table")
    waiting = (
        "from bowerbird.spectator import *\nwith connect(running()[0]) as one:\n    while not one.tables(): pass\n"
    )
    done = bowerbird.run(sys.executable, "-c", waiting + program, PYTHONPATH=str(ROOT))
    interrupt(process)
    assert done.returncode == 0, done.stderr
    assert "cup plays" in done.stdout
    assert " plays " in done.stdout.partition("tables\n")[2], done.stdout


def test_no_watch_listens_nowhere(bowerbird: Bowerbird) -> None:
    process = bowerbird.start("tournament", cup(bowerbird, OWN, sets=4), "--db", "x.db", "--no-watch")
    process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0
    assert not runtime_folder().exists()


def test_a_run_that_nobody_can_watch_goes_on_and_says_why(bowerbird: Bowerbird) -> None:
    runtime_folder().mkdir()
    os.chmod(runtime_folder(), 0o755)
    done = bowerbird("tournament", cup(bowerbird, OWN, sets=4), "--db", "x.db")
    assert done.returncode == 0
    [line] = [line for line in done.stderr.splitlines() if "nobody can watch this run" in line]
    assert "open to other users" in line
