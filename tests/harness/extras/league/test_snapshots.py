"""Each version of a bot is kept, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bowerbird.harness.extras.league.errors import LeagueError
from bowerbird.harness.extras.league.league_file import ListedBot
from bowerbird.harness.extras.league.snapshots import folder_of, keep_version
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.tournament.config.bot_entries import BotEntry
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.fingerprint import fingerprint


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """Return the folder of a bot."""
    folder = tmp_path / "bots/ada"
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text("print('one')\n", encoding="utf-8")
    (folder / "bot.toml").write_text('name = "ada"\ncommand = ["{python}", "bot.py"]\n', encoding="utf-8")
    return folder


def listed(folder: Path, arguments: tuple[str, ...] = ()) -> ListedBot:
    return ListedBot(load_bot(folder), BotEntry("./bots/ada", "ada", arguments))


def test_a_version_keeps_its_files_when_the_folder_changes(bot: Path, tmp_path: Path) -> None:
    database = tmp_path / "x.db"
    entry = load_toml(keep_version(listed(bot, ("--fast",)), "ada-2", database, "autumn"))
    (bot / "bot.py").write_text("print('two')\n", encoding="utf-8")
    assert entry == {"path": "./leagues/autumn/bots/ada-2", "name": "ada-2", "arguments": ["--fast"]}
    kept = folder_of(database, "autumn") / "bots/ada-2"
    assert (kept / "bot.py").read_text(encoding="utf-8") == "print('one')\n"
    assert load_bot(kept).fingerprint != load_bot(bot).fingerprint


def test_a_bundled_bot_is_not_copied(tmp_path: Path) -> None:
    from bowerbird.harness.resources import bundled_bots

    bundled = ListedBot(load_bot(bundled_bots()["greedy"]), BotEntry("greedy", "greedy", ()))
    assert load_toml(keep_version(bundled, "greedy", tmp_path / "x.db", "autumn"))["path"] == "greedy"
    assert not (tmp_path / "leagues").exists()


def test_what_an_earlier_copy_left_is_replaced(bot: Path, tmp_path: Path) -> None:
    database = tmp_path / "x.db"
    half = folder_of(database, "autumn") / "bots/ada.new"
    half.mkdir(parents=True)
    (half / "old.py").touch()
    keep_version(listed(bot), "ada", database, "autumn")
    assert sorted(path.name for path in half.parent.iterdir()) == ["ada"]
    assert not (half.parent / "ada/old.py").exists()


def test_a_bot_whose_parts_lie_elsewhere_is_refused_and_nothing_is_kept(bot: Path, tmp_path: Path) -> None:
    (tmp_path / "bots/table.bin").touch()
    (bot / "bot.toml").write_text(
        'name = "ada"\ncommand = ["{python}", "bot.py"]\nfiles = ["../table.bin"]\n', encoding="utf-8"
    )
    with pytest.raises(LeagueError, match=r"bot 'ada' cannot be kept by the league: .*table.bin is outside"):
        keep_version(listed(bot), "ada", tmp_path / "x.db", "autumn")
    assert not (folder_of(tmp_path / "x.db", "autumn") / "bots/ada").exists()


def test_a_link_that_leads_outside_is_refused(bot: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").touch()
    (bot / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(LeagueError, match="leads out of the bot's folder"):
        keep_version(listed(bot), "ada", tmp_path / "x.db", "autumn")


def test_a_bot_with_a_file_name_that_is_not_utf8_enters_whole(bot: Path, tmp_path: Path) -> None:
    """Under another name the file makes another version."""
    odd = os.fsencode(bot) + b"/\xff.txt"
    with open(odd, "wb") as file:
        file.write(b"odd")
    keep_version(listed(bot), "ada", tmp_path / "x.db", "autumn")
    kept = folder_of(tmp_path / "x.db", "autumn") / "bots/ada"
    assert (kept / os.fsdecode(b"\xff.txt")).read_bytes() == b"odd"
    before = fingerprint(bot)
    assert fingerprint(kept) == before
    os.rename(odd, os.fsencode(bot) + b"/\xfe.txt")
    assert fingerprint(bot) != before
    os.unlink(os.fsencode(bot) + b"/\xfe.txt")
    os.symlink(b"\xff", os.fsencode(bot) + b"/link")
    assert fingerprint(bot) != before
