"""The bot in Ruby, written from the .proto files alone, is short and passes the whole check."""

from __future__ import annotations

import pytest

from tests.support.bots.built_bots import ready
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT

FOLDER = ROOT / "examples" / "ruby"
LONGEST = 60
"""Lines of code, without blank lines, comments and imports, as for the starters."""


def test_it_fits_on_one_page() -> None:
    lines = map(str.strip, (FOLDER / "bot.rb").read_text(encoding="utf-8").splitlines())
    count = sum(bool(line) and not line.startswith(("#", "require ")) for line in lines)
    assert 20 < count <= LONGEST, f"{count} lines of code, {LONGEST} are allowed"


@pytest.mark.usefixtures("processes")
@pytest.mark.toolchain("ruby", "protoc", "grpc_ruby_plugin")
def test_it_passes_the_whole_check(bowerbird: Bowerbird) -> None:
    ready(FOLDER)  # once, also if several test processes ask for it
    said = bowerbird.json("check-bot", FOLDER / "bot.toml", "--isolation", "limits")
    assert [one for one in said["sentences"] if one["verdict"] != "pass"] == []
    assert (said["bot"], said["passed"]) == ("ruby", True)
    assert len(said["sentences"]) > 40
