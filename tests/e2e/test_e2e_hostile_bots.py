"""Misbehaving bots: the fault is theirs, and no other bot is harmed (protocol.md, Faults at a table)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.command.bowerbird_command import Bowerbird

HOSTILE = {
    "illegal": "ILLEGAL",
    "silent": "TIMEOUT",
    "killed": "CRASHED",
    "hangs-up": "DISCONNECTED",
    "once": "NEVER_STARTED",
}
"""The name of each misbehaviour of the hostile bot."""

ISOLATION = {"once": ("--isolation", "limits")}
"""No sandbox: the bot must write a file."""

QUICK = """
[tournament]
seed = "hostile"
sets = 1
tables = 16
packs = "own"
{policy}
[time]
per_decision = "{limit}"
bank = "0s"
[[variant]]
name = "{variant}"
options = {{ {options} }}
"""

GAMES = {
    "euchre": ('on_fault = "forfeit"', ""),
    "buck": ('on_fault = "substitute"', "start = 15"),
}


def _run(bowerbird: Bowerbird, variant: str, behaviour: str) -> Any:  # JSON
    """Play a tournament of two honest bots and one that misbehaves after two decisions; return its standings."""
    policy, options = GAMES[variant]
    limit = "300ms" if HOSTILE[behaviour] == "TIMEOUT" else "20s"  # on a busy machine an honest bot may take a second
    file = bowerbird.tournament(
        QUICK.format(policy=policy, limit=limit, variant=variant, options=options),
        bowerbird.bot("one", "honest"),
        bowerbird.bot("two", "honest"),
        bowerbird.bot("hostile", behaviour, "2", "--every", ONCE=str(bowerbird.folder / "once")),
    )
    bowerbird.done("tournament", file, "--db", "x.db", "--quiet", *ISOLATION.get(behaviour, ()))
    assert not bowerbird.wait_until_gone(), "the command has ended, and so must all of its processes"
    return bowerbird.json("standings", "--db", "x.db")


@pytest.mark.parametrize(
    ("variant", "behaviour"),
    [
        ("euchre", "killed"),
        *(pytest.param("euchre", behaviour, marks=pytest.mark.long) for behaviour in HOSTILE if behaviour != "killed"),
        *(pytest.param("buck", behaviour, marks=pytest.mark.long) for behaviour in HOSTILE),
    ],
)
def test_fault_has_its_kind_and_harms_nobody_else(bowerbird: Bowerbird, variant: str, behaviour: str) -> None:
    standings = _run(bowerbird, variant, behaviour)
    faults = {line["bot"]: line["faults"] for line in standings["overall"]["standings"]}
    assert faults["hostile"][HOSTILE[behaviour]] > 0
    assert sum(faults["hostile"].values()) == faults["hostile"][HOSTILE[behaviour]], "no other kind is blamed"
    assert not any(faults["one"].values()), "a stranger's fault is never theirs"
    assert not any(faults["two"].values())
    games = bowerbird.json("matches", "--db", "x.db")
    for game in games:
        if "hostile" not in game["bots"]:
            assert game["ended"] not in ("forfeit", "withdrawn"), f"{game['id']} was not that bot's game to end"
            assert not game["faults"]
        elif variant == "buck":
            assert game["ended"] != "forfeit", f"a stranger's fault must not end {game['id']}"
    assert standings["overall"]["standings"][-1]["bot"] == "hostile"
    bowerbird.done("verify", "--db", "x.db")


def test_fault_is_reported_with_its_reason_and_the_last_words_of_the_bot(bowerbird: Bowerbird) -> None:
    bots = bowerbird.bot("one", "honest"), bowerbird.bot("hostile", "once", ONCE=str(bowerbird.folder / "once"))
    done = bowerbird(
        "match", *bots, "--variant", "euchre", "--deals", "--sets", "1", "--isolation", "limits", "--db", "x.db"
    )
    assert done.returncode == 0, done.stderr
    assert "bot hostile: NEVER_STARTED in 2 games" in done.stderr
    assert "exit status 7" in done.stderr
    assert "no model found, giving up" in done.stderr, "what it wrote to standard error is shown"
    details = {fault["detail"] for fault in bowerbird.json("standings", "--db", "x.db")["faults"]}
    assert any("exit status 7" in detail for detail in details)
