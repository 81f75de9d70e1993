"""Foreign text, archives that expand, pages, and the signs of a check (faults.md rows 40, 41, 48, 50)."""

from __future__ import annotations

import json
import re
import secrets
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from bowerbird.harness.extras.compliance.config import CheckConfig, Timeouts
from bowerbird.harness.extras.compliance.driver.game import SeatGame, SeatSettings
from bowerbird.harness.extras.compliance.scenarios import Scenario
from bowerbird.harness.referee.table_driver import TABLE_ID_BYTES, table_id
from bowerbird.harness.report.replay_page import replay_page
from tests.support.chromium import Browser
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.command.terminal import on_terminal
from tests.support.deadline import DEADLINE_S
from tests.support.records.bombs import MIB, Bombs
from tests.support.records.played_games import game
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.tables import bot, table

MOST_MEMORY = 200 * MIB
MOST_CPU_S = 5.0
LONGEST_SENTENCE = 600


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: exit code, stderr, highest resident memory in bytes and CPU time in seconds."""

    code: int
    stderr: str
    memory: int
    cpu_s: float


_MEASURE = """
import json, resource, subprocess, sys
ended = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
json.dump([ended.returncode, ended.stderr, used.ru_maxrss * 1024, used.ru_utime + used.ru_stime], sys.stdout)
"""
"""A small process of its own: a child begins with the highest memory of its parent, which pytest's would hide."""


def measured(folder: Path, *arguments: str | Path) -> Ended:
    """Run the command with a deadline, and return how it ended."""
    ended = subprocess.run(
        [sys.executable, "-Ic", _MEASURE, str(COMMAND), *map(str, arguments)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=True,
    )
    code, stderr, memory, cpu_s = json.loads(ended.stdout)
    return Ended(code, stderr, memory, cpu_s)


def is_refused(what: str, ended: Ended) -> None:
    """Assert that a file was refused in one short sentence, with bounded memory and CPU time."""
    said = ended.stderr.splitlines()
    assert ended.code in (1, 2), f"{what}: exit code {ended.code}: {ended.stderr[:500]}"
    assert ended.code == 1 or (len(said) == 1 and len(said[0]) < LONGEST_SENTENCE), (
        f"{what}: no short sentence: {ended.stderr[:900]}"
    )
    assert "defect" not in ended.stderr, f"{what}: {ended.stderr[:500]}"
    assert ended.memory < MOST_MEMORY, f"{what}: {ended.memory // MIB} MiB"
    assert ended.cpu_s < MOST_CPU_S, f"{what}: {ended.cpu_s:.1f} s of CPU time"


MOST_TELLING = (
    "GNU long name",
    "long rotations",
    "rotations of long lists",
    "dotted keys",
    "the name of a file",
    "empty parts",
)


@pytest.fixture(scope="module")
def bombs(tmp_path_factory: pytest.TempPathFactory) -> Bombs:
    return Bombs(tmp_path_factory.mktemp("bombs"))


def tried(bombs: Bombs, folder: Path, names: tuple[str, ...], seen: Seen) -> None:
    made = bombs.archives()
    highest = Ended(0, "", 0, 0.0)
    for what in names:
        file = made[what]()
        for command in (("import", file, "--db", "x.db"), ("verify", file)):
            ended = measured(folder, *command)
            print(f"{what}, {command[0]}: {ended}")
            is_refused(what, ended)
            highest = max(highest, ended, key=lambda one: one.memory)
        file.unlink()
    seen(f"{len(names)} archives refused, at most {highest.memory // MIB} MiB", ms=round(highest.cpu_s * 1000))


@pytest.mark.row(41)
def test_archives_that_expand_are_refused_in_a_sentence(bombs: Bombs, tmp_path: Path, seen: Seen) -> None:
    tried(bombs, tmp_path, MOST_TELLING, seen)


@pytest.mark.long
@pytest.mark.row(41)
def test_every_other_archive_that_expands_is_refused(bombs: Bombs, tmp_path: Path, seen: Seen) -> None:
    tried(bombs, tmp_path, tuple(name for name in bombs.archives() if name not in MOST_TELLING), seen)


@pytest.mark.row(41)
def test_records_that_expand_are_refused_in_a_sentence(bombs: Bombs, tmp_path: Path, seen: Seen) -> None:
    for what, make in bombs.records().items():
        file = make()
        for command in (("import", file, "--db", "x.db"), ("verify", file), ("replay", file)):
            ended = measured(tmp_path, *command)
            print(f"{what}, {command[0]}: {ended}")
            is_refused(what, ended)
    seen("each refused by import, verify and replay")


NASTY = "\x1b]0;owned\x07\x1b[2J\u202e\u009b31m\nbowerbird: all is well <script>x</script>"
"""An escape sequence that sets the title, one that clears the screen, a change of writing direction, and a forged
line."""

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")

OWN_SEQUENCES = re.compile(r"\x1b\[(?:\?25[hl]|2K|1A|[0-9;]*m)")
"""What the progress bar writes to a terminal: it hides the cursor, erases its lines, and colours them."""

TALKER = """\
import os, sys
import grpc
from bowerbird.seat.v1 import seat_pb2, seat_pb2_grpc
print({nasty!r}, file=sys.stderr, flush=True)
print({nasty!r}, flush=True)
channel = grpc.insecure_channel(os.environ["BOWERBIRD_ADDRESS"])
def said():
    hello = seat_pb2.Hello(protocol_versions=[1], token=os.environ["BOWERBIRD_TOKEN"])
    hello.bot_name = hello.bot_version = {nasty!r}
    yield seat_pb2.PlayRequest(hello=hello)
    yield seat_pb2.PlayRequest(bot_fault=seat_pb2.BotFault(message={nasty!r}))
for _ in seat_pb2_grpc.SeatServiceStub(channel).Play(said()):
    pass
"""


PLAYER = """\
import sys
from bowerbird.sdk import Bot, run
print({nasty!r}, file=sys.stderr, flush=True)
class Player(Bot):
    def act(self, decision):
        print({nasty!r}, flush=True)
        decision.note = {nasty!r}
        raise ValueError({nasty!r})
run(Player())
"""


def talker(folder: Path, program: str = TALKER) -> Path:
    """Write a bot that says the nasty text wherever it can: before its first game, or in it."""
    folder.mkdir()
    source = program.replace("{nasty!r}", repr(NASTY))
    (folder / "talker.py").write_text(source, encoding="utf-8")
    (folder / "bot.toml").write_text(
        f"name = 'talker'\nversion = '1'\ncommand = [{sys.executable!r}, 'talker.py']\nvariants = ['euchre']\n",
        encoding="utf-8",
    )
    return folder


def is_harmless(what: str, text: str) -> None:
    """Assert that no control character is in the text, and that no line of it was forged."""
    assert not (found := RAW.search(text)), f"{what}: {text[max(0, found.start() - 80) : found.end() + 80]!r}"
    assert not any(line.startswith("bowerbird: all is well") for line in text.splitlines()), f"{what}: a forged line"


@pytest.mark.row(40)
def test_escape_sequences_in_all_that_a_bot_says_reach_no_terminal(
    tmp_path: Path, bowerbird: Bowerbird, seen: Seen
) -> None:
    bot = talker(tmp_path / "talker")
    commands: list[tuple[str | Path, ...]] = [
        ("match", bot, "random", "--variant", "euchre", "--sets", "1", "--isolation", "limits", "--db", "a.db"),
        ("check-bot", bot, "--isolation", "limits", "--only", "4", "--startup", "10"),
        ("check-bot", bot, "--isolation", "limits", "--only", "4", "--startup", "10", "--verbose"),
        ("check-bot", bot, "--isolation", "limits", "--only", "4", "--startup", "10", "--json"),
        ("transcript", bot, "-o", "t.jsonl", "--isolation", "limits"),
        ("replay", NASTY),
        ("import", NASTY),
        ("verify", NASTY),
        ("standings", NASTY, "--db", "a.db"),
        ("match", f"./{NASTY}", "random"),
        ("tournament", NASTY),
        ("new-bot", NASTY),
        ("variants", NASTY),
        ("docs", NASTY),
    ]
    said = ""
    for command in commands:
        ended = bowerbird(*command)
        said = f"{said}{ended.stdout}{ended.stderr}"
        is_harmless(f"{command[0]}, stdout", ended.stdout)
        is_harmless(f"{command[0]}, stderr", ended.stderr)
        assert "defect" not in ended.stderr, f"{command[0]}: {ended.stderr}"
    with on_terminal(bowerbird, *map(str, commands[0])) as terminal:
        shown = terminal.rest()
    assert "talker" in shown
    assert "reported a failure of its own" in said, "what the bot said over its connection was never shown"
    drawn = OWN_SEQUENCES.sub("", shown.replace("\r\n", "\n"))
    is_harmless("match on a terminal", drawn.replace("\r", ""))
    seen(f"{len(commands)} commands, one on a terminal: no control character")


@pytest.mark.row(40)
def test_what_a_bot_says_in_a_game_is_harmless_wherever_the_run_is_shown_later(
    tmp_path: Path, bowerbird: Bowerbird, seen: Seen
) -> None:
    bot = talker(tmp_path / "talker", PLAYER)
    bowerbird(
        *("match", bot, "random", "--variant", "euchre", "--sets", "1", "--deals", "--isolation", "limits"),
        *("--db", "a.db"),
    )
    run = bowerbird.json("runs", "--db", "a.db")[0]["fingerprint"]
    faults = bowerbird.json("standings", "--db", "a.db")["faults"]
    assert any("all is well" in fault["detail"] for fault in faults), f"the bot's words are in no fault: {faults}"
    game = faults[0]["game"]
    commands: list[tuple[str | Path, ...]] = [
        ("runs", "--db", "a.db"),
        ("matches", "--db", "a.db"),
        ("matches", "--faults", "--db", "a.db"),
        ("matches", "--faults", "--json", "--db", "a.db"),
        ("standings", "--db", "a.db"),
        ("standings", "--json", "--db", "a.db"),
        ("standings", "--all", "--db", "a.db"),
        ("replay", game, "--db", "a.db"),
        ("replay", game, "--json", "--db", "a.db"),
        ("replay", game, "-o", "game.html", "--db", "a.db"),
        ("report", "-o", "report.html", "--db", "a.db"),
        ("export", game, "--db", "a.db"),
        ("export", run, "-o", "run.tar.gz", "--db", "a.db"),
        ("verify", "--db", "a.db"),
        ("verify", "run.tar.gz"),
        ("import", "run.tar.gz", "--db", "b.db"),
        ("matches", "--faults", "--db", "b.db"),
    ]
    for command in commands:
        ended = bowerbird(*command)
        assert ended.returncode == 0, f"{command}: {ended.stderr}"
        is_harmless(f"{command}, stdout", ended.stdout)
        is_harmless(f"{command}, stderr", ended.stderr)
    pages = [*bowerbird.folder.glob("*.html"), *bowerbird.folder.glob("report-games/*.html")]
    for page in pages:
        is_harmless(page.name, page.read_text(encoding="utf-8"))
    assert len(pages) > 3
    seen(f"{len(commands)} commands and {len(pages)} pages of a stored run: no control character")


@pytest.mark.toolchain("chromium")
@pytest.mark.row(48)
def test_policy_of_a_page_stops_a_planted_script(tmp_path: Path, seen: Seen, browser: Browser) -> None:
    page_text = replay_page(game("buck", 5, options={"max_hands": 1}))
    planted = tmp_path / "x.html"
    planted.write_text(page_text.replace("</body>", "<script>window.ran = 1</script></body>"), encoding="utf-8")
    page = browser.page(1280, 900)
    page.open(planted)
    assert page.ask("document.querySelectorAll('#table .seat').length") == 4, "the page's own script did not run"
    assert page.ask("window.ran") is None, "the planted script ran"
    assert any("Content Security Policy" in one for one in page.complaints), page.complaints
    seen("the page works, the planted script does not run, the browser says so")


@pytest.mark.row(50)
def test_check_looks_like_a_run_to_a_bot(seen: Seen) -> None:
    first, second = CheckConfig(bot("a"), "limits", Timeouts()), CheckConfig(bot("a"), "limits", Timeouts())
    assert first.seed != second.seed, "each check has games of its own"
    scenario = Scenario("euchre", 0)
    opened = [SeatGame("x", scenario, SeatSettings(), seed=one.seed).table_opened() for one in (first, second)]
    assert opened[0] != opened[1], "a bot could know a check by the seed that it gets"
    here = table_id(table(("a", "b", "a", "a")), 0)
    there = secrets.token_hex(TABLE_ID_BYTES)
    assert len(here) == len(there)
    assert re.fullmatch("[0-9a-f]+", here)
    seen(f"table ids of {len(here)} hex digits, seeds drawn for each check")
