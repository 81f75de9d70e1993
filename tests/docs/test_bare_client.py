"""A client without any library, as docs/how-to/write-a-client.md describes one, plays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.docs.pages import GAME
from tests.support.paths import ROOT

BARE_CLIENT = ROOT / "tests" / "support" / "docs" / "bare_client.js"


def bare(bowerbird: Bowerbird) -> Path:
    """Write the bot.toml of the bare client; return its folder."""
    folder = bowerbird.bot("bare")
    manifest = folder / "bot.toml"
    lines = [
        f"command = {json.dumps(['node', str(BARE_CLIENT)])}" if line.startswith("command = ") else line
        for line in manifest.read_text(encoding="utf-8").splitlines()
    ]
    manifest.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.mark.toolchain("node")
def test_it_answers_the_recorded_game(bowerbird: Bowerbird) -> None:
    finished = bowerbird("play-transcript", GAME, bare(bowerbird), "--isolation", "limits", "--json")
    assert finished.returncode == 0, finished.stdout
    answers = json.loads(finished.stdout)["answers"]
    assert [answer["answer"] for answer in answers] == ["pass", "play Js", "play Js", "play Js"]


@pytest.mark.toolchain("node")
def test_it_plays_a_game(bowerbird: Bowerbird) -> None:
    said = bowerbird.json(
        "transcript", bare(bowerbird), "--variant", "buck", "--hands", "3", "--isolation", "limits", "-o", "t.jsonl"
    )
    assert said["failure"] == ""
    last = (bowerbird.folder / "t.jsonl").read_text(encoding="ascii").splitlines()[-1]
    assert json.loads(last)["note"] == "the process ended: exit status 0"
