"""The choice of a run's isolation tier (faults.md, Isolation: never given up in silence)."""

from __future__ import annotations

import dataclasses
import stat
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import bowerbird.harness.tournament.preparation.isolation as subject
from bowerbird.harness.records.values.game_record import LIMITS, OWN_USER
from bowerbird.harness.referee.isolation.launch import Tier
from bowerbird.harness.referee.process.cgroups import CgroupFactory, CgroupParent
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.errors import IsolationError
from bowerbird.harness.tournament.preparation.isolation import (
    TierChoice,
    choose_tier,
    close_to_others,
    refuse_unlike,
    unshared_processors,
)
from tests.support.deadline import DEADLINE_S
from tests.support.referee.tables import bot, conditions

pytestmark = pytest.mark.usefixtures("processes")

HERE = Path(__file__).parent
BOTS = tuple(
    dataclasses.replace(made, source=HERE, cwd=HERE) for made in (bot("one"), bot("two", command=("python3", "two.py")))
)
"""Their folder is small enough to be copied for each process."""


def broken(monkeypatch: pytest.MonkeyPatch, reasons: Mapping[str, str]) -> None:
    """Let these tiers fail for the second bot."""

    def probe(tier: Tier, spec: BotSpec) -> str:
        return reasons.get(tier.name, "") if spec.name == "two" else ""

    monkeypatch.setattr(subject, "probe", probe)


def test_the_sandbox_is_taken_where_it_works_for_every_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, {})
    chosen = choose_tier("", BOTS, (), None)
    assert (chosen.tier, chosen.remark) == ("sandbox", "")


def test_bots_that_are_started_alike_are_asked_once_and_the_others_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A match of four starts one sandbox for each different bot, all at once, not two for each seat in sequence."""
    asked: list[str] = []
    together = threading.Barrier(2, timeout=DEADLINE_S)

    def probe(tier: Tier, spec: BotSpec) -> str:
        asked.append(spec.name)
        together.wait()  # fails if the second is asked only after the first
        return ""

    monkeypatch.setattr(subject, "probe", probe)
    copies = (dataclasses.replace(BOTS[0], name="one-2"), dataclasses.replace(BOTS[1], name="two-2"))
    assert choose_tier("", (*BOTS, *copies), (), None).tier == "sandbox"
    assert sorted(asked) == ["one", "two"]


def test_limits_are_taken_in_its_place_with_three_short_lines_that_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, {"sandbox": "no namespaces"})
    chosen = choose_tier("", BOTS, (), None)
    assert chosen.tier == "limits"
    assert len(chosen.remark.splitlines()) <= 3
    assert "a sandbox does not work here: for bot 'two': no namespaces" in chosen.remark
    assert "apt-get install bubblewrap" in chosen.remark


def test_a_tier_that_was_asked_for_is_never_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, {"sandbox": "no namespaces"})
    with pytest.raises(IsolationError, match=r"isolation 'sandbox' does not work here: for bot 'two': no namespaces"):
        choose_tier("sandbox", BOTS, (), None)


def test_no_isolation_is_taken_only_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, {"sandbox": "no namespaces", "limits": "no prlimit"})
    with pytest.raises(IsolationError, match=r"run neither in a sandbox .* nor under limits"):
        choose_tier("", BOTS, (), None)
    assert "can do everything that you can" in choose_tier("none", BOTS, (), None).remark


def test_a_run_goes_on_under_the_tier_that_it_began_under(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, {})
    assert choose_tier("", BOTS, (), conditions(isolation="limits")).tier == "limits"
    with pytest.raises(IsolationError, match="played under isolation 'limits'; it cannot continue under 'sandbox'"):
        choose_tier("sandbox", BOTS, (), conditions(isolation="limits"))
    broken(monkeypatch, {"sandbox": "no namespaces"})
    with pytest.raises(IsolationError, match=r"the run's games so far were played under it: .*no namespaces"):
        choose_tier("", BOTS, (), conditions(isolation="sandbox"))


def test_a_file_that_another_run_removes_meanwhile_needs_no_closing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, logs = tmp_path / "x.db", tmp_path / "logs" / "mine"
    gone, kept = tmp_path / "x.db-other.lock", tmp_path / "x.db-wal"
    for path in (database, gone, kept):
        path.touch()
        path.chmod(0o666)
    find = Path.glob

    def glob(folder: Path, pattern: str) -> Iterator[Path]:
        found = sorted(find(folder, pattern))
        gone.unlink()
        return iter(found)

    monkeypatch.setattr(Path, "glob", glob)
    close_to_others(database, logs)
    assert not gone.exists()
    for path in (database, kept, logs, logs.parent):
        assert not path.stat().st_mode & stat.S_IRWXO, path


def test_a_run_on_two_kinds_of_machines_has_one_isolation() -> None:
    with_users = TierChoice(LIMITS, "", (OWN_USER,))
    refuse_unlike(with_users, TierChoice(LIMITS, "another remark", (OWN_USER,)))
    with pytest.raises(IsolationError, match="'limits' with own-user on the workers of the cluster and by 'limits' on"):
        refuse_unlike(TierChoice(LIMITS, ""), with_users)


@pytest.mark.parametrize(
    ("has_groups", "tells", "words"),
    [
        (True, True, ""),
        (False, True, "the clock of a bot that waits for a processor does not run"),
        (False, False, "a bot is charged for waiting"),
    ],
)
def test_where_nothing_shares_the_processors_one_sentence_says_what_follows(
    monkeypatch: pytest.MonkeyPatch, has_groups: bool, tells: bool, words: str
) -> None:
    groups = CgroupFactory([CgroupParent(Path("/"), True, frozenset({"cpu"}))]) if has_groups else None
    monkeypatch.setattr(CgroupFactory, "detect", classmethod(lambda cls: groups))
    monkeypatch.setattr(subject, "tells_waits", lambda: tells)
    assert words in unshared_processors()
    assert bool(unshared_processors()) is not has_groups
