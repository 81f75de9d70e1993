"""bot.toml (bot-file.md) and the fingerprint of a bot's files."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from bowerbird.harness.tournament.config.bot_file import check_command, load_bot, plays
from bowerbird.harness.tournament.config.fingerprint import fingerprint
from bowerbird.harness.tournament.errors import ConfigError
from tests.support.tournament.bot_folders import Yard

FULL = """
name = "greedy"
version = "1.2"
author = "A. N. Author"
command = ["{python}", "-m", "bowerbird.bots.greedy"]
cwd = "../.."
build = ["make"]
variants = ["buck", "euchre"]
tables = 32
memory_mb = 256
[environment]
THREADS = "1"
[sandbox]
read = ["../data"]
"""


def refusal(path: Path) -> str:
    """Return the sentence that refuses a bot."""
    with pytest.raises(ConfigError) as caught:
        check_command(load_bot(path))
    return str(caught.value)


def test_every_key_is_read(yard: Yard) -> None:
    file = yard.write("bots/greedy/bot.toml", FULL)
    bot = load_bot(file.parent)
    assert (bot.name, bot.version, bot.author) == ("greedy", "1.2", "A. N. Author")
    assert bot.command == (sys.executable, "-m", "bowerbird.bots.greedy")
    assert bot.cwd == yard.folder
    assert bot.build == ("make",)
    assert bot.variants == ("buck", "euchre")
    assert (bot.tables, bot.memory_mb) == (32, 256)
    assert bot.environment == {"THREADS": "1"}
    assert bot.read == (file.parent / "../data",)
    assert load_bot(file) == bot, "a folder and its bot.toml are the same bot"


def test_what_is_left_out_has_its_default(yard: Yard) -> None:
    bot = load_bot(yard.bot("alpha"))
    assert (bot.variants, bot.tables, bot.memory_mb, bot.build) == (("*",), 1, 512, ())
    assert bot.cwd == yard.folder / "bots/alpha"
    assert plays(bot, "buck")
    assert not plays(load_bot(yard.bot("narrow", 'variants = ["euchre"]')), "buck")


def test_arguments_and_a_name_enter_a_bot_once_more(yard: Yard) -> None:
    path = yard.bot("alpha").parent
    twin = load_bot(path, "alpha-b", ["--level", "2"])
    assert twin.name == "alpha-b"
    assert twin.command[-2:] == ("--level", "2")
    assert twin.fingerprint != load_bot(path).fingerprint
    assert load_bot(path, "other").fingerprint == load_bot(path).fingerprint


def test_unknown_key_is_refused_with_the_nearest(yard: Yard) -> None:
    path = yard.bot("alpha", "tabels = 4")
    assert refusal(path) == f"{path}, line 3, key 'tabels': unknown key 'tabels' in bot.toml, did you mean 'tables'?"


def test_unknown_variant_is_refused_with_the_nearest(yard: Yard) -> None:
    assert "key 'variants': unknown variant 'bukc', did you mean 'buck'?" in refusal(
        yard.bot("alpha", 'variants = ["bukc"]')
    )


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('command = "python bot.py"', "key 'command': got \"python bot.py\"; must be a list of strings"),
        ("command = []", "key 'command': got an empty list; must be a list such as"),
        ('command = ["{node}"]', "key 'command': unknown placeholder '{node}'; use '{python}'"),
        ("tables = 0", "key 'tables': got 0; must be a whole number from 1 to 1024"),
        ("tables = true", "key 'tables': got true; must be a whole number from 1 to 1024"),
        ('memory_mb = "many"', "key 'memory_mb': got \"many\"; must be a whole number of at least 16"),
        ('cwd = "nowhere"', "key 'cwd': there is no folder"),
        ('name = "a/b"', "key 'name': 'a/b' is not allowed; a name has 1 to 40 letters"),
        ("variants = []", "key 'variants': got an empty list; must be"),
        ("[environment]\nX = 1", "key 'X': only strings are allowed in [environment]"),
        (
            '[environment]\nBOWERBIRD_TOKEN = "x"',
            "key 'BOWERBIRD_TOKEN': names that begin with BOWERBIRD_ belong to the referee",
        ),
        ('[environment]\n"" = "x"', "key '': a name in [environment] must not be empty or contain"),
        ('[environment]\n"A=B" = "x"', "key 'A=B': a name in [environment] must not be empty or contain"),
        ('[environment]\nX = "a\\u0000b"', "key 'X': a name in [environment] must not be empty or contain"),
        ('files = "../search"', "key 'files': got \"../search\"; must be a list of strings"),
        ('files = ["bot.toml", "../nowhere"]', "key 'files': there is no file or folder"),
        ("[sandbox]\nwrite = []", "key 'write': unknown key 'write' in [sandbox]"),
    ],
)
def test_bad_values_are_refused_with_the_line(yard: Yard, line: str, sentence: str) -> None:
    message = refusal(yard.bot("alpha", line))
    assert sentence in message
    assert "bot.toml, line " in message
    assert "\n" not in message


def test_a_bot_without_a_command_is_refused(yard: Yard) -> None:
    path = yard.write("bots/empty/bot.toml", 'name = "empty"\n')
    assert refusal(path) == f"{path}: bot.toml needs a key 'command'"


def test_a_bot_that_is_not_there_is_refused_with_the_nearest(yard: Yard) -> None:
    assert refusal(yard.folder / "bots/alhpa").endswith("did you mean 'alpha'?")
    assert "there is no bot.toml in this folder" in refusal(yard.folder / "bots")


def test_a_missing_command_is_said_before_any_game(yard: Yard) -> None:
    path = yard.bot("alpha", 'command = ["no-such-program-here"]')
    assert refusal(path) == (
        f"{path}, line 2, key 'command': bot 'alpha' cannot be started: "
        "there is no program 'no-such-program-here' on the PATH"
    )
    path = yard.bot("alpha", 'command = ["./bot.sh"]')
    program = path.parent / "bot.sh"
    assert f"bot 'alpha' cannot be started: there is no program {program}" in refusal(path)
    program.write_text("#!/bin/sh\n")
    assert f"bot 'alpha' cannot be started: {program} is not executable" in refusal(path)
    program.chmod(0o755)
    assert check_command(load_bot(path)).command == (str(program),)


def test_a_program_on_the_path_becomes_absolute(yard: Yard) -> None:
    bot = check_command(load_bot(yard.bot("alpha", 'command = ["sh", "-c", "exit"]')))
    assert os.path.isabs(bot.command[0])
    assert bot.command[1:] == ("-c", "exit")


def test_the_fingerprint_is_of_paths_and_contents(tmp_path: Path) -> None:
    def made(name: str, *files: tuple[str, str]) -> str:
        for path, text in files:
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return fingerprint(tmp_path / name)

    first = made("first", ("bot.py", "x"), ("deep/table.csv", "1"))
    assert first.startswith("sha256:")
    assert len(first) == len("sha256:") + 64
    assert made("second", ("deep/table.csv", "1"), ("bot.py", "x")) == first, "the folder's name or order counted"
    assert made("third", ("bot.py", "y"), ("deep/table.csv", "1")) != first
    assert made("fourth", ("bot.py", "x"), ("table.csv", "1")) != first
    assert made("fifth", ("bot.py", "x1"), ("deep/table.csv", "")) != first


def test_what_builds_and_runs_leave_behind_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("x")
    before = fingerprint(tmp_path)
    for name in ("__pycache__/bot.pyc", "node_modules/a/index.js", "target/bot", ".venv/pyvenv.cfg", ".stamp"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("made")
    os.utime(tmp_path / "bot.py", (0, 0))
    (tmp_path / "bot.py").chmod(0o700)
    assert fingerprint(tmp_path) == before


def test_a_known_fingerprint_never_changes(tmp_path: Path) -> None:
    """Stored runs compare with it: a change of the scheme would make all of them refuse."""
    (tmp_path / "bot.py").write_text("print()\n")
    assert fingerprint(tmp_path, ["-v"]) == ("sha256:6b906ca808c16d5f68481ccb9608809ac424cd6be0186592913c4c4138b03d16")


def test_a_bot_is_another_when_a_file_that_it_shares_changes(yard: Yard) -> None:
    """A record says which program played. Files outside the bot's folder are part of it if `files` names them."""
    shared = yard.write("bots/shared/deep/worlds.py", "WORLDS = 30\n")
    table = yard.write("bots/table.csv", "1\n")
    path = yard.bot("alpha", 'files = ["../shared", "../table.csv"]')
    found = [load_bot(path).fingerprint]
    assert load_bot(path).files == (yard.folder / "bots/shared", yard.folder / "bots/table.csv")
    shared.write_text("WORLDS = 31\n")
    found.append(load_bot(path).fingerprint)
    table.write_text("2\n")
    found.append(load_bot(path).fingerprint)
    assert len(set(found)) == 3, "a change of a shared file did not change the fingerprint"
    yard.write("bots/shared/__pycache__/worlds.pyc", "made")
    assert load_bot(path).fingerprint == found[-1]
    assert load_bot(yard.bot("alpha")).fingerprint not in found


def test_links_count_by_what_they_lead_to(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "data").write_text("1")
    (tmp_path / "one/copy").symlink_to("data")
    (tmp_path / "two/copy").write_text("1")
    assert fingerprint(tmp_path / "one") == fingerprint(tmp_path / "two")
    (tmp_path / "one/round").symlink_to(".")
    (tmp_path / "one/broken").symlink_to("nowhere")
    assert fingerprint(tmp_path / "one") != fingerprint(tmp_path / "two")


def test_a_file_that_cannot_be_read_to_its_end_is_refused_by_name(yard: Yard) -> None:
    path = yard.bot("alpha")
    os.mkfifo(path.parent / "pipe")
    reason = "the bot's files cannot be read"
    assert f"{reason} ({path.parent / 'pipe'}: a named pipe; only files, folders and links are" in refusal(path)
    (path.parent / "pipe").unlink()
    with socket.socket(socket.AF_UNIX) as bound, pytest.MonkeyPatch.context() as patch:
        patch.chdir(path.parent)
        bound.bind("ear")
        assert f"{reason} ({path.parent / 'ear'}: a socket; only" in refusal(path)
    (path.parent / "ear").unlink()
    yard.bot("alpha", 'files = ["/dev/zero"]')
    assert f"{reason} (/dev/zero: a device; only" in refusal(path)
    os.mkfifo(path.parent / ".ignored")
    (path.parent / "zero").symlink_to("/dev/zero")
    assert load_bot(yard.bot("alpha")).fingerprint
