"""`bowerbird check-bot` as its user sees it (CLI.md, Commands)."""

from __future__ import annotations

import json
import signal

import pytest

from tests.support.command.bowerbird_command import DEADLINE_S, Bowerbird

TRIED = ("--only", "7", "--isolation", "limits")


def test_a_good_bot_is_listed_sentence_by_sentence(bowerbird: Bowerbird) -> None:
    shown = bowerbird.done("check-bot", bowerbird.bundled("random"), *TRIED).splitlines()
    assert [line.split()[:2] for line in shown[:6]] == [[str(number), "pass"] for number in (1, 2, 3, 4, 6, 7)]
    assert shown[-1] == "random 1.0, isolation limits: 6 passed, 0 failed, 0 not reached"


def test_a_failure_ends_with_1_and_shows_why(bowerbird: Bowerbird) -> None:
    finished = bowerbird(
        "check-bot", bowerbird.bot("wrong", "illegal", "0", "--every"), "--only", "8", "--isolation", "limits"
    )
    assert finished.returncode == 1
    assert finished.stderr == ""
    shown = finished.stdout
    assert " 7  fail         It chooses a legal action." in shown
    assert " 8  not reached  It answers each decision once.  (sentence 7 comes first)" in shown
    assert "failed: it answered action_index 99 of 3 legal actions to decision 0 of table 'table-0' (euchre, " in shown
    for part in ("-> decision_requests {", "<- decisions {", "stdout: nothing", "process: still running"):
        assert part in shown
    assert shown.splitlines()[-1] == "wrong 1.0, isolation limits: 5 passed, 1 failed, 1 not reached"


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


def test_a_wrong_file_or_number_is_refused(bowerbird: Bowerbird) -> None:
    assert "there is no such bot" in bowerbird.refused("check-bot", "nowhere/bot.toml")
    refused = bowerbird.refused("check-bot", bowerbird.bundled("random"), "--only", "99")
    assert refused == "bowerbird: --only 99: there is no such sentence for this bot, there are 1 to 47"


@pytest.mark.slow
def test_interrupted_it_leaves_no_process(bowerbird: Bowerbird) -> None:
    """CLI.md, exit codes. The fixture checks that no process is left."""
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
