"""Isolation from the command line: what is requested, reported and recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import GOOD, Bowerbird
from tests.support.records.every_game import every_game
from tests.support.referee.isolated import require


def _tiers(bowerbird: Bowerbird) -> set[str]:
    with Store.open(bowerbird.folder / "x.db") as store:
        return {store.record(game.id).conditions.isolation for game in every_game(store)}


@pytest.fixture
def cup(bowerbird: Bowerbird) -> Path:
    return bowerbird.tournament(GOOD, bowerbird.bot("one", "honest"), bowerbird.bot("two", "honest"))


def test_bots_run_in_a_sandbox_where_one_works(bowerbird: Bowerbird, cup: Path) -> None:
    require("sandbox")
    done = bowerbird("tournament", cup, "--db", "x.db", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert _tiers(bowerbird) == {"sandbox"}


def test_a_sandbox_that_does_not_work_is_said_and_never_claimed(
    bowerbird: Bowerbird, cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = bowerbird.folder / "broken" / "bwrap"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'bwrap: no namespaces here' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken.parent}:/usr/bin:/bin")
    sentence = bowerbird.refused("tournament", cup, "--db", "x.db", "--isolation", "sandbox")
    assert "isolation 'sandbox' does not work here: for bot 'one': bwrap: no namespaces here" in sentence
    assert "apt-get install bubblewrap" in sentence
    done = bowerbird("tournament", cup, "--db", "x.db", "--quiet")
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 3, "three clear lines, even where no progress is wanted"
    assert "the bots run under isolation 'limits'" in done.stderr
    assert _tiers(bowerbird) == {"limits"}


def test_a_run_is_not_gone_on_with_under_another_tier(bowerbird: Bowerbird, cup: Path) -> None:
    bowerbird.done("tournament", cup, "--db", "x.db", "--quiet", "--isolation", "none")
    more = cup.with_name("more.toml")
    more.write_text(cup.read_text().replace("sets = 1", 'name = "cup"\nsets = 2'))
    sentence = bowerbird.refused("tournament", more, "--db", "x.db", "--quiet", "--isolation", "limits")
    assert "played under isolation 'none'; it cannot continue under 'limits'" in sentence
    bowerbird.done("tournament", more, "--db", "x.db", "--quiet")
    assert _tiers(bowerbird) == {"none"}
