"""A league of twelve bots that is killed at random: nothing is lost, and it does not grow.

LEAGUE_MINUTES says how long it plays (default 40), LEAGUE_KILLS how often it is killed meanwhile (default 20).
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.league import SUSPENDED, Season
from tests.support.command.flaky_network import EACH_KIND, flaky_network
from tests.support.command.hosted import PYTHON
from tests.support.command.league import COMMAND, League, child_of, complete, status
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

MINUTES = float(os.environ.get("LEAGUE_MINUTES", "40"))
KILLS = int(os.environ.get("LEAGUE_KILLS", "20"))

EPOCH_S = 20
"""How long an epoch plays; its start and end take a few seconds more."""

GROWN_KB = 30_000
"""How much more memory of its own the main process may take than at its start."""

FILE = f"""
[league]
epoch = "{EPOCH_S}s"

[tournament]
tables = 4

[time]
per_decision = "60s"

[[variant]]
name = "two-handed"

[[variant]]
name = "euchre"
options = {{ target = 5 }}

[[bot]]
path = "greedy"

[[bot]]
path = "random"

[[bot]]
path = "greedy"
name = "gina"

[[bot]]
path = "random"
name = "ron"
"""

BETTER = ("bowerbird.bots.random", "bowerbird.bots.greedy", "bowerbird.bots.pimc")
"""The three versions of one bot, each better than the previous one."""

REMOTE = ("eve", "zoe")


class Play:
    """What happens to a league while it plays."""

    def __init__(self, league: League) -> None:
        self.league = league
        self.sizes: list[tuple[int, int]] = []
        """Memory in kB and open files of each main process, at its end."""
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the league, or start it again."""
        log = (self.league.folder / "league.log").open("ab")
        command = [*COMMAND, "league", str(self.league.file), "--db", str(self.league.database), "--quiet"]
        command += ["--listen", "127.0.0.1:4799", "--public-name", "localhost", "--wait", "30"]
        with log:
            self.process = subprocess.Popen(command, cwd=self.league.folder, stdout=log, stderr=log)

    def kill(self, chance: random.Random) -> None:
        """Kill the main process, which is started again, or the process of the epoch."""
        assert self.process is not None
        if chance.random() < 0.5:
            self.measure()
            self.process.kill()
            self.process.wait(DEADLINE_S)
            self.start()
        else:
            os.kill(child_of(self.process.pid), signal.SIGKILL)

    def measure(self) -> None:
        """Note how large the main process is."""
        assert self.process is not None
        proc = Path(f"/proc/{self.process.pid}")
        [memory] = [line for line in (proc / "status").read_text().splitlines() if line.startswith("RssAnon")]
        self.sizes.append((int(memory.split()[1]), len(list((proc / "fd").iterdir()))))

    def end(self) -> None:
        """End the league, unless it has ended: before its remote bots go, whose absence would be faults."""
        if self.process is None:
            return
        self.measure()
        self.process.terminate()  # not Ctrl-C, which the league ignores where the test does
        assert self.process.wait(DEADLINE_S) == 0, self.league.said[-3000:]
        self.process = None


@contextmanager
def called(league: League, name: str, seed: int) -> Iterator[None]:
    """Invite a remote bot and let it call in a loop, over a network that breaks again and again."""
    environment = league.invite(name)
    with flaky_network(environment["BOWERBIRD_ADDRESS"], 5, 30, cycle(EACH_KIND), seed) as network:
        environment["BOWERBIRD_ADDRESS"] = network.address
        with (league.folder / f"{name}.log").open("wb") as log:
            loop = subprocess.Popen(
                ["/bin/sh", "-c", f"while true; do {PYTHON} -m bowerbird.bots.greedy; sleep 1; done"],
                cwd=ROOT,
                env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            yield
        finally:
            os.killpg(loop.pid, signal.SIGKILL)
            loop.wait(DEADLINE_S)


def starter(league: League, language: str) -> None:
    """Let the starter of a language take part."""
    made = subprocess.run(
        [*COMMAND, "new-bot", f"bots/{language}", "--lang", language],
        cwd=league.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    enter(league, language)


def enter(league: League, name: str) -> None:
    with league.file.open("a", encoding="utf-8") as file:
        file.write(f'\n[[bot]]\npath = "bots/{name}"\nname = "{name}"\n')


def version(league: League, number: int) -> None:
    """Release version `number` of the bot that gets better."""
    folder = league.folder / "bots/better"
    folder.mkdir(parents=True, exist_ok=True)
    command = f'["{{python}}", "-m", "{BETTER[number - 1]}"]'
    (folder / "bot.toml").write_text(
        f'name = "better"\nversion = "{number}"\ncommand = {command}\ntables = 4\n', encoding="utf-8"
    )


@pytest.mark.long
def test_a_league_that_is_killed_at_random_loses_nothing_and_does_not_grow(tmp_path: Path) -> None:
    league = League(tmp_path, FILE)
    for language in ("python", "node", "go"):
        starter(league, language)
    league.write_bot("bad", act="sys.exit(3) if len(decision.legal) > 3 else None")
    league.write_bot("slow", act="__import__('time').sleep(0.1)")
    version(league, 1)
    for name in ("bad", "slow", "better"):
        enter(league, name)
    play = Play(league)
    chance = random.Random(4)
    play.start()
    with ExitStack() as remote:
        remote.callback(play.end)
        league.until(lambda season: len(season.bots) >= 10, "the bots")
        began = time.monotonic()
        kills = sorted(chance.uniform(30, MINUTES * 60 - 30) for _ in range(KILLS))
        releases = [(MINUTES * 60 * share, number) for share, number in ((0.25, 2), (0.5, 3))]
        for seed, name in enumerate(REMOTE):
            remote.enter_context(called(league, name, seed))
        remote.callback(play.end)
        while (elapsed := time.monotonic() - began) < MINUTES * 60:
            if kills and elapsed >= kills[0]:
                kills.pop(0)
                play.kill(chance)
            if releases and elapsed >= releases[0][0]:
                version(league, releases.pop(0)[1])
            time.sleep(1)
        season = league.until(lambda one: one.open_epoch is not None, "an epoch")
    with league.running("--listen", "127.0.0.1:4799", "--public-name", "localhost", "--wait", "30"):
        season = league.until_epochs(complete(season) + 1)
    check(league, season)
    first, *later = play.sizes
    assert all(memory < first[0] + GROWN_KB and files <= first[1] + 8 for memory, files in later), play.sizes


def check(league: League, season: Season) -> None:
    """Check what is stored: whole epochs, archives, the versions, who was suspended, the shares of time."""
    assert [epoch.number for epoch in season.epochs] == list(range(1, len(season.epochs) + 1))
    verified = subprocess.run(
        [*COMMAND, "verify", "--db", str(league.database), "--quiet", "--jobs", "2"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stdout
    seconds: Counter[str] = Counter()
    with Store.open(league.database) as store:
        for epoch in season.epochs:
            run = store.run(epoch.run)
            if epoch.ended:
                assert run.row.seed is not None, f"epoch {epoch.number} is complete and its seed is not published"
                assert (league.folder / epoch.archive).is_file()
            for result in store[epoch.run].seat_results():
                seconds[result.bot] += result.time_ms
        remote_faults = [fault for epoch in season.epochs for fault in store[epoch.run].faults() if fault.bot in REMOTE]
    assert status(season, "bad") == SUSPENDED
    assert status(season, "better") != "playing", "the first version plays at random, the third searches"
    assert not remote_faults, "a network that breaks costs nobody a game"
    print({"epochs": len(season.epochs), "seconds": dict(seconds), "bots": [(b.name, b.status) for b in season.bots]})
