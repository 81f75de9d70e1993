"""`bowerbird check-bot` as its user sees it (commands.md, `bowerbird check-bot`)."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest

from bowerbird.engine import variant_names
from bowerbird.harness.extras.compliance.requirements import REQUIREMENTS
from tests.support.command.bowerbird_command import MARK, Bowerbird
from tests.support.deadline import DEADLINE_S

LAST = len(REQUIREMENTS) + len(variant_names())
"""The number of the last sentence for a bot that plays every variant."""

TRIED = ("--only", "7", "--isolation", "limits")


def test_a_good_bot_is_listed_sentence_by_sentence(bowerbird: Bowerbird) -> None:
    shown = bowerbird.done("check-bot", bowerbird.bundled("random"), *TRIED).splitlines()
    assert [line.split()[:2] for line in shown[:6]] == [[str(number), "pass"] for number in (1, 2, 3, 4, 6, 7)]
    form = r"random 1\.0, isolation limits, seed [0-9a-f]{16}\n6 passed, 0 failed, 0 not reached"
    assert re.fullmatch(form, "\n".join(shown[-2:])), shown[-2:]


def test_a_failure_ends_with_1_and_shows_why(bowerbird: Bowerbird) -> None:
    finished = bowerbird(
        "check-bot", bowerbird.bot("wrong", "illegal", "0", "--every"), "--only", "8", "--isolation", "limits"
    )
    assert finished.returncode == 1
    assert finished.stderr == ""
    shown = finished.stdout
    assert " 7  fail  It chooses a legal action, by its index or its token." in shown
    assert "8: not reached, because requirement 7 failed" in shown
    assert "failed: it answered action_index 99 of 3 legal actions to decision 0 of" in shown
    log_of(shown.splitlines()).unlink()
    for part in ("-> decision_requests {", "<- decisions {", "stdout: nothing", "process: still running"):
        assert part in shown
    last = "\n".join(shown.splitlines()[-2:])
    form = r"wrong 1\.0, isolation limits, seed [0-9a-f]{16}\n5 passed, 1 failed, 1 not reached"
    assert re.fullmatch(form, last), last


def test_json_is_all_that_stdout_holds(bowerbird: Bowerbird) -> None:
    bot = bowerbird.bot("unborn", "exits-at-once")
    finished = bowerbird("check-bot", bot, "--json", "--isolation", "limits")
    assert finished.returncode == 1
    said = json.loads(finished.stdout)
    assert (said["bot"], said["passed"]) == ("unborn", False)
    first, second, *_ = said["sentences"]
    assert (first["number"], first["verdict"], second["verdict"]) == (1, "fail", "not reached")
    assert first["detail"].startswith("its process ended with exit status 1")
    assert first["evidence"]["stderr"] == "no such model: queen of spades\n"
    assert " 1  fail " in finished.stderr, "progress goes to stderr"
    assert f"2 to {LAST}: not reached, because requirement 1 failed" in finished.stderr


def test_a_wrong_file_or_number_is_refused(bowerbird: Bowerbird) -> None:
    assert "there is no such bot" in bowerbird.refused("check-bot", "nowhere/bot.toml")
    refused = bowerbird.refused("check-bot", bowerbird.bundled("random"), "--only", "99")
    assert refused == f"bowerbird: --only 99: must be one of this bot's requirements, 1 to {LAST}"


def test_a_crash_is_told_once_on_two_screens(bowerbird: Bowerbird) -> None:
    """The bot crashes in three variants, with a long traceback."""
    bot = crashing(bowerbird, 'variant in ("british", "railroad", "lap-slam")')
    finished = bowerbird("check-bot", bot, "--isolation", "limits")
    assert (finished.returncode, finished.stderr) == (1, "")
    lines = finished.stdout.splitlines()
    assert len(lines) <= 80
    assert [line for line in lines if len(line) > 80] == []
    assert finished.stdout.count("\n      ValueError: no trump") == 1
    assert "36  fail  It plays british at every seat." in lines
    assert "37 and 38: fail for the same cause as 36" in lines
    log = log_of(lines)
    try:
        full = log.read_text()
    finally:
        log.unlink()
    assert full.count("\n      ValueError: no trump") == 3, "the log has all of them"
    assert "in deeper" in full


def test_what_is_not_reached_is_told_in_one_line(bowerbird: Bowerbird) -> None:
    finished = bowerbird("check-bot", crashing(bowerbird, "True"), "--isolation", "limits")
    lines = finished.stdout.splitlines()
    log_of(lines).unlink()
    assert f"7 to 16, 19, 21, 22 and 24 to {LAST}: not reached, because requirement 6 failed" in lines
    form = rf"crashing 1\.0, isolation limits, seed [0-9a-f]{{16}}\n9 passed, 1 failed, {LAST - 10} not reached"
    assert re.fullmatch(form, "\n".join(lines[-2:])), lines[-2:]
    assert len(lines) <= 40, "one screen"


def test_verbose_shows_all(bowerbird: Bowerbird) -> None:
    bot = crashing(bowerbird, 'variant in ("british", "railroad")')
    finished = bowerbird("check-bot", bot, "--isolation", "limits", "--verbose", "--only", "36", "--only", "37")
    assert finished.stdout.count("\n      ValueError: no trump") == 2
    assert "in deeper" in finished.stdout
    assert "all of it" not in finished.stdout


@pytest.mark.parametrize("more", [(), ("--verbose",), ("--json",)])
def test_nothing_of_a_bot_controls_the_terminal(bowerbird: Bowerbird, more: tuple[str, ...]) -> None:
    bot = crashing(bowerbird, "True", said="\x1b]0;title\x07\x9b31m\u202e")
    finished = bowerbird("check-bot", bot, "--isolation", "limits", "--only", "6", *more)
    shown = finished.stdout + finished.stderr
    for line in shown.splitlines():
        if line.startswith("all details: "):
            log = Path(line.removeprefix("all details: "))
            shown += log.read_text()
            log.unlink()
    assert "0;title" in shown
    assert [sign for sign in shown if not (sign.isprintable() or sign == "\n")] == []


CRASHING = """
import sys
from bowerbird.harness.sdk import Bot, run

def deeper(levels):
    if levels:
        deeper(levels - 1) if levels % 2 else deeper(levels - 1)
    else:
        raise ValueError("no trump" + {said!r})

class Crashing(Bot):
    def act(self, decision):
        variant = decision.table.variant
        if {when}:
            print({said!r}, flush=True)
            deeper(40)
        return 0

run(Crashing())
"""


def crashing(bowerbird: Bowerbird, when: str, said: str = "") -> Path:
    """Write a Python bot that raises at a decision if `when` holds; return its folder."""
    folder = bowerbird.folder / "bots" / "crashing"
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text(CRASHING.format(when=when, said=said))
    (folder / "bot.toml").write_text(
        'name = "crashing"\nversion = "1.0"\ncommand = ["{python}", "bot.py"]\nvariants = ["*"]\ntables = 16\n'
        f'[environment]\n{MARK} = "{bowerbird.mark}"\n'
    )
    return folder


def log_of(lines: list[str]) -> Path:
    """Return the path of the log that the output names."""
    [path] = [line.removeprefix("all details: ") for line in lines if line.startswith("all details: ")]
    return Path(path)


def test_interrupted_it_leaves_no_process(bowerbird: Bowerbird) -> None:
    """commands.md, Exit codes. The fixture checks that no process is left."""
    with bowerbird.start(
        "check-bot", bowerbird.bot("mute", "silent", "0", "--every"), "--isolation", "limits"
    ) as check:
        assert check.stdout is not None
        while not check.stdout.readline().startswith(" 5"):
            assert check.poll() is None, "it ended before it could be interrupted"
        check.send_signal(signal.SIGINT)
        _, said = check.communicate(timeout=DEADLINE_S)
    assert check.returncode == 130
    assert "Traceback" not in said
