"""`check` on real processes: conforming bots pass, and every other bot fails the sentence that it breaks.

Each sentence that is not about a variant has a bot that breaks it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import trio
import trio.testing

from bowerbird.harness.extras.compliance.check import check
from bowerbird.harness.extras.compliance.config import CheckConfig, Timeouts
from bowerbird.harness.extras.compliance.driver.process_host import open_process_host
from bowerbird.harness.extras.compliance.requirements import REQUIREMENTS, requirements_for, with_needs
from bowerbird.harness.extras.compliance.results import RequirementResult, Verdict
from bowerbird.harness.extras.compliance.scenarios import scenarios_of
from bowerbird.harness.records.values.game_record import NO_ISOLATION, SANDBOX
from bowerbird.harness.referee.isolation.tiers import probe, tier_named
from bowerbird.harness.referee.spec import BotSpec
from tests.support.bots.built_bots import all_folders, programs_of, ready
from tests.support.paths import BOTS, HOSTILE, ROOT, WAYWARD

pytestmark = pytest.mark.usefixtures("processes")

PIPE_BYTES = 65536
VARIANTS = ("euchre", "railroad")
RAILROAD = len(REQUIREMENTS) + 3
RESUMING = range(26, 35)
FATAL_ERROR = 32
TLS = 33
PATIENCE = Timeouts(startup=30, answer=20, exit=10, variant=120)
"""For bots that answer: they finish in time, even on a busy machine."""

SHORT = Timeouts(startup=12, answer=5, exit=4, variant=120)
"""For bots that never answer."""


def scripted(script: Path, *arguments: str) -> BotSpec:
    return BotSpec(
        name=script.stem,
        version="1",
        author="",
        command=(sys.executable, str(script), *arguments),
        cwd=ROOT,
        build=(),
        environment={},
        variants=VARIANTS,
        tables=64,
        memory_mb=512,
        read=(),
        source=script,
        fingerprint=f"sha256:{'0' * 64}",
    )


def verdicts_on(
    bot: BotSpec,
    patience: Timeouts,
    only: Sequence[int] = (),
    isolation: str = NO_ISOLATION,
    seed: str = "",
) -> dict[int, RequirementResult]:
    told: list[RequirementResult] = []
    sentences = requirements_for(bot)
    config = CheckConfig(bot, isolation, patience)
    found = check(
        with_needs(sentences, only) if only else sentences,
        replace(config, seed=seed) if seed else config,
        told.append,
    )
    assert tuple(told) == found, "every verdict is told as soon as it is known"
    return {verdict.number: verdict for verdict in found}


def failed(verdicts: dict[int, RequirementResult]) -> list[int]:
    return [number for number, verdict in verdicts.items() if verdict.verdict is Verdict.FAIL]


def shown(verdicts: dict[int, RequirementResult]) -> str:
    return "\n".join(
        f"{each.number} {each.verdict} {each.detail} {each.evidence}"
        for each in verdicts.values()
        if each.verdict is not Verdict.PASS
    )


WAYS = {
    "mute": (5, SHORT),
    "dawdles": (9, PATIENCE),
    "one-table": (10, SHORT),
    "one-answer": (11, SHORT),
    "chokes": (12, PATIENCE),
    "dies-when-broken-off": (13, PATIENCE),
    "dies-at-an-error": (14, PATIENCE),
    "dies-at-an-unknown-message": (15, PATIENCE),
    "dies-of-its-output": (16, PATIENCE),
    "stays-after-goodbye": (17, SHORT),
    "leaves-a-child": (18, PATIENCE),
    "unix-only": (19, PATIENCE),
    "exact-version": (20, PATIENCE),
    "stays-at-the-end": (21, SHORT),
    "stays-when-cut": (22, SHORT),
    "any-version": (23, SHORT),
    "dies-at-an-unknown-field": (24, PATIENCE),
    "fails-after-goodbye": (17, PATIENCE),
    "dies-at-an-unknown-value": (25, PATIENCE),
    "dies-at-an-unknown-ending": (25, PATIENCE),
    "pretends-to-resume": (26, SHORT),
    "keeps-its-token": (26, PATIENCE),
    "keeps-its-first-secret": (27, PATIENCE),
    "ready-once": (28, SHORT),
    "ready-always": (29, PATIENCE),
    "gives-up-soon": (30, PATIENCE),
    "hurries": (31, PATIENCE),
    "shrugs": (32, PATIENCE),
    "shrugs-after-a-break": (32, PATIENCE),
    "dials-on": (32, PATIENCE),
    "plain-text": (33, PATIENCE),
    "one-chance": (34, PATIENCE),
    "dies-in-railroad": (RAILROAD, PATIENCE),
}
"""Modes of the wayward bot, the one sentence that each breaks, and the patience needed to detect it."""

ACTS = {
    ("exits-at-once",): (1, PATIENCE),
    ("never-hello",): (1, SHORT),
    ("ready-first",): (1, PATIENCE),
    ("wrong-token",): (2, PATIENCE),
    ("speaks-2",): (3, PATIENCE),
    ("never-ready",): (4, SHORT),
    ("silent", "0", "--every"): (6, SHORT),
    ("unasked", "0", "--every"): (6, PATIENCE),
    ("malformed", "0", "--every"): (6, PATIENCE),
    ("killed", "0", "--every"): (6, PATIENCE),
    ("gives-up", "0", "--every"): (6, PATIENCE),
    ("illegal", "0", "--every"): (7, PATIENCE),
    ("nonsense", "0", "--every"): (7, PATIENCE),
    ("nothing", "0", "--every"): (7, PATIENCE),
    ("repeats",): (8, PATIENCE),
}
"""The same for the hostile bot: later checks that it makes impossible are not reached, and no other check fails."""

QUICK = {"mute", "dies-at-an-unknown-field", "leaves-a-child", "keeps-its-first-secret", "plain-text"}
ALL_SENTENCES = {
    *("one-table", "chokes", "dies-at-an-error", "stays-after-goodbye", "stays-when-cut", "pretends-to-resume"),
    *("shrugs-after-a-break", "one-chance", "dies-in-railroad"),
}
"""Modes that are tried with all sentences on every change; `make test-long` tries all modes that way."""


@pytest.mark.parametrize("mode", sorted(QUICK))
def test_a_sentence_can_be_tried_alone(mode: str) -> None:
    """Only the checks that it depends on run as well."""
    number, patience = WAYS[mode]
    verdicts = verdicts_on(scripted(WAYWARD, mode), patience, [number])
    assert failed(verdicts) == [number], shown(verdicts)
    assert set(verdicts) == {each.number for each in with_needs(REQUIREMENTS, [number])}


@pytest.mark.parametrize(
    ("mode", "number", "patience"),
    [
        pytest.param(mode, *way, id=mode, marks=[] if mode in ALL_SENTENCES else pytest.mark.long)
        for mode, way in WAYS.items()
    ],
)
def test_a_bot_fails_the_one_sentence_that_it_breaks(mode: str, number: int, patience: Timeouts) -> None:
    verdicts = verdicts_on(scripted(WAYWARD, mode), patience)
    assert failed(verdicts) == [number], shown(verdicts)
    blocked = {each for each, verdict in verdicts.items() if verdict.verdict is Verdict.NOT_REACHED}
    for each in blocked:
        assert number in {one.number for one in with_needs(requirements_for(scripted(WAYWARD)), [each])}, (
            f"sentence {each} does not need {number} and could have been tried"
        )


@pytest.mark.parametrize(
    ("arguments", "number", "patience"),
    [pytest.param(act, *way, id=act[0]) for act, way in ACTS.items()],
)
def test_what_cannot_be_tried_after_a_failure_is_not_reached(
    arguments: tuple[str, ...], number: int, patience: Timeouts
) -> None:
    """A bot that does not start, or answers no decision properly, is not tried with games."""
    verdicts = verdicts_on(scripted(HOSTILE, *arguments), patience)
    assert failed(verdicts) == [number], shown(verdicts)
    assert all(verdicts[each].verdict is Verdict.NOT_REACHED for each in (10, RAILROAD))
    evidence = verdicts[number].evidence
    assert evidence is not None
    assert evidence.messages, "what happened is shown"


ASKS_NOTHING = f"{0x3C:016x}"
"""A seed whose first game of euchre ends without a decision of seat 0: its partner goes alone before its turn."""


def test_a_failure_shows_what_was_said_and_written() -> None:
    """The cards cannot hide it: the game of sentence 14 asks the bot something after the Error, whatever the seed."""
    verdicts = verdicts_on(scripted(WAYWARD, "dies-at-an-error"), PATIENCE, [14], seed=ASKS_NOTHING)
    evidence = verdicts[14].evidence
    assert evidence is not None, shown(verdicts) or "the bot passed although it died"
    assert evidence.ended == "exit status 3"
    assert evidence.stderr == "cannot bear this: error\n"
    assert any("-> error {" in line for line in evidence.messages), evidence.messages
    assert verdicts[14].detail.startswith("its process ended with exit status 3")


def test_a_bot_that_resumes_passes_all_that_is_asked_of_it() -> None:
    verdicts = verdicts_on(scripted(WAYWARD, "resumes"), PATIENCE, RESUMING)
    assert {each.verdict for each in verdicts.values()} == {Verdict.PASS}, shown(verdicts)
    assert [number for number in RESUMING if verdicts[number].detail == "not claimed"] == []


def test_a_bot_that_does_not_resume_is_not_asked_to() -> None:
    """A fatal Error is for every bot."""
    verdicts = verdicts_on(scripted(WAYWARD), PATIENCE, RESUMING)
    assert {each.verdict for each in verdicts.values()} == {Verdict.PASS}, shown(verdicts)
    assert [number for number in RESUMING if verdicts[number].detail != "not claimed"] == [FATAL_ERROR]


def test_a_feature_is_granted_to_a_bot_that_asks_for_it() -> None:
    """The bot exits at a public view that it should not get, or misses one that it should."""
    verdicts = verdicts_on(scripted(WAYWARD, "events-only"), PATIENCE, [11, RAILROAD])
    assert {each.verdict for each in verdicts.values()} == {Verdict.PASS}, shown(verdicts)


def test_without_cryptography_tls_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    verdicts = verdicts_on(scripted(WAYWARD, "resumes"), PATIENCE, [TLS])
    assert verdicts[TLS].verdict is Verdict.NOT_REACHED
    assert verdicts[TLS].detail.endswith("the library 'cryptography' (pip install cryptography)")
    assert not failed(verdicts)


def test_noise_does_no_harm() -> None:
    """seat.proto, rule 9: at every decision more output than a pipe holds."""
    verdicts = verdicts_on(scripted(WAYWARD, "noisy"), PATIENCE, [16])
    assert not failed(verdicts), shown(verdicts)
    assert int(verdicts[16].detail.split()[2]) > 4 * PIPE_BYTES


def test_a_command_that_does_not_exist_is_said() -> None:
    bot = replace(scripted(WAYWARD), command=("/no/such/program",))
    verdicts = verdicts_on(bot, PATIENCE)
    assert failed(verdicts) == [1]
    assert verdicts[1].detail == "it cannot be started: No such file or directory"


def test_a_slow_bot_is_not_failed_for_it() -> None:
    """Games for which the time is too short are not reached."""
    verdicts = verdicts_on(scripted(WAYWARD), replace(PATIENCE, variant=0), [RAILROAD])
    assert verdicts[RAILROAD].verdict is Verdict.NOT_REACHED
    assert verdicts[RAILROAD].detail.startswith(f"0 of {len(scenarios_of('railroad'))} games passed within 0 s")


def test_the_python_bot_passes_what_is_not_about_variants() -> None:
    verdicts = verdicts_on(ready(ROOT / "bots/random"), PATIENCE, range(1, len(REQUIREMENTS) + 1))
    assert {verdict.verdict for verdict in verdicts.values()} == {Verdict.PASS}, shown(verdicts)


def test_what_a_sandbox_rules_out_is_not_reached() -> None:
    """faults.md, Isolation: no network, and no process that outlives the bot."""
    bot = ready(ROOT / "bots/random")
    why_not = probe(tier_named(SANDBOX), bot)
    if why_not:
        pytest.skip(f"no sandbox works here: {why_not}")
    verdicts = verdicts_on(bot, PATIENCE, [18, 19, 26, 27, 33, 34], SANDBOX)
    not_reached = [number for number, verdict in verdicts.items() if verdict.verdict is Verdict.NOT_REACHED]
    assert not_reached == [18, 19, 33, 34], shown(verdicts)
    assert not failed(verdicts), shown(verdicts)


SPECIAL = ("human", "openspiel", "http-service", "llm")
"""Bots that cannot pass alone, each with a test of its own: one needs a person, one plays some options only, one needs
a service (test_http_bridge.py), one a model (test_e2e_network.py).
"""


ONE_OF_EACH = ("stdio-python", "python", "go", "node", "rust")


def _pace(folder: Path) -> list[pytest.MarkDecorator]:
    """Return `long` without all bots but one of each way to write them; the others differ in their decisions only."""
    return [] if folder.name in ONE_OF_EACH else [pytest.mark.long]


@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(folder, id=folder.name, marks=[*_pace(folder), pytest.mark.toolchain(*programs_of(folder))])
        for folder in all_folders()
        if folder.name not in SPECIAL
    ],
)
def test_bundled_bots_pass(folder: Path) -> None:
    verdicts = verdicts_on(ready(folder), PATIENCE)
    assert {verdict.verdict for verdict in verdicts.values()} == {Verdict.PASS}, shown(verdicts)


def test_the_bot_of_openspiel_refuses_the_options_that_its_game_lacks_and_fails_nothing_else() -> None:
    pytest.importorskip("pyspiel")
    verdicts = verdicts_on(ready(BOTS / "openspiel"), PATIENCE)
    assert failed(verdicts) == [len(REQUIREMENTS) + 1], shown(verdicts)
    assert "OpenSpiel's euchre has no deck = 28, only 24" in verdicts[len(REQUIREMENTS) + 1].detail


def test_the_bot_of_a_person_says_that_it_needs_one() -> None:
    verdicts = verdicts_on(ready(BOTS / "human"), PATIENCE)
    assert failed(verdicts) == [1], shown(verdicts)
    evidence = verdicts[1].evidence
    assert evidence is not None
    assert "bowerbird play" in evidence.stderr


async def test_a_machine_that_stands_still_uses_up_no_time_of_the_bot() -> None:
    """As after Ctrl-Z: a bot that had no time to end has not failed to end in time."""
    config = CheckConfig(scripted(HOSTILE, "silent", "0", "--every"), NO_ISOLATION, replace(SHORT, exit=3))
    async with open_process_host(config) as host:
        connection = await host.start()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(connection.wait_exit, config.timeouts.exit)
            await trio.testing.wait_all_tasks_blocked()
            time.sleep(config.timeouts.exit + 0.5)  # this process and its clock stand still
            assert connection.process is not None
            os.kill(connection.process.pid, signal.SIGKILL)
