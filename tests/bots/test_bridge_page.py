"""The programs of bridges.md and seat-a-program.md play as they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.docs.blocks import block, blocks
from tests.support.paths import DOCS, ROOT

pytestmark = pytest.mark.usefixtures("processes")

BRIDGES = DOCS / "reference" / "bridges.md"
GUIDE = DOCS / "how-to" / "seat-a-program.md"
EXAMPLES = ROOT / "examples" / "bridges"


def plays(bowerbird: Bowerbird, name: str, program: str, command: str) -> None:
    """Fail unless a bot of this program plays a match and commits no fault."""
    folder = bowerbird.folder / "mybot"
    folder.mkdir()
    (folder / name).write_text(program, encoding="utf-8")
    (folder / "bot.toml").write_text(f'name = "mybot"\ncommand = {command}\n', encoding="utf-8")
    match = ("match", "./mybot", "random", "--variant", "euchre", "--option", "max_hands=2", "--sets", "1")
    found = bowerbird.json(*match)
    assert found["faults"] == []


def test_the_bot_in_python_plays(bowerbird: Bowerbird) -> None:
    (program,) = (one.text for one in blocks(BRIDGES) if one.language == "python")
    plays(bowerbird, "bot.py", program, '["{python}", "-P", "-m", "bowerbird.bots.stdio", "{python}", "bot.py"]')


@pytest.mark.toolchain("node")
def test_the_bot_in_node_plays(bowerbird: Bowerbird) -> None:
    command = '["{python}", "-P", "-m", "bowerbird.bots.stdio", "node", "bot.js"]'
    assert f"`{command}`" in GUIDE.read_text(encoding="utf-8")
    plays(bowerbird, "bot.js", block(GUIDE, "js", "createInterface"), command)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("stdio-*/bot.[pj][ys]*")), ids=lambda path: path.name)
def test_the_examples_are_short_and_import_nothing_of_ours(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "bowerbird" not in text.lower().replace("bowerbird: it plays", "")
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) <= 22, f"{path.name} has {len(lines)} lines"
