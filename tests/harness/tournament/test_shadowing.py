"""A bot whose folder hides a package of ours is refused before it starts (bot-file.md)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.tournament.config.bot_file import load_bot
from harness.tournament.errors import ConfigError
from harness.tournament.preparation.build import prepare
from tests.support.paths import ROOT
from tests.support.tournament.bot_folders import Yard

SDK = "from bowerbird.sdk import Bot, Decision, run\n"
SCRIPT = 'command = ["{python}", "bot.py"]'


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


def bot_with(yard: Yard, *files: str, program: str = SDK, lines: tuple[str, ...] = (SCRIPT,)) -> Path:
    """Write a bot with these files beside its program; return its folder."""
    manifest = yard.bot("mine", *lines)
    yard.write("bots/mine/bot.py", program)
    for file in files:
        yard.write(f"bots/mine/{file}", "")
    return manifest.parent


def refusal(folder: Path) -> str:
    with pytest.raises(ConfigError) as refused:
        prepare(load_bot(folder), lambda name: None)
    return str(refused.value)


def is_ready(folder: Path) -> bool:
    return prepare(load_bot(folder), lambda name: None).name == "mine"


@pytest.mark.parametrize("package", ["bowerbird", "engine", "harness"])
@pytest.mark.parametrize("file", ["{}.py", "{}/__init__.py"])
def test_a_shadow_is_refused_with_file_and_remedy(yard: Yard, package: str, file: str) -> None:
    folder = bot_with(yard, file.format(package))
    what = f"the file {package}.py" if file == "{}.py" else f"the folder {package}"
    assert refusal(folder) == (
        f"{folder}/bot.toml: bot 'mine' cannot be started, {folder}/{file.format(package)} hides Bowerbird's own "
        f"package '{package}', because Python finds it first: rename {what}"
    )


@pytest.mark.parametrize(
    "program",
    [
        "import bowerbird.sdk\n",
        "from bowerbird import sdk\n",
        "def later():\n    from bowerbird.engine import new_game\n",
        "from harness.sdk import Bot, run\n",
        "import harness.sdk.local as local\n",
    ],
)
def test_every_way_to_import_the_sdk_counts(yard: Yard, program: str) -> None:
    assert "rename the file engine.py" in refusal(bot_with(yard, "engine.py", program=program))


@pytest.mark.parametrize(
    "program",
    [
        "from bowerbird.seat.v1 import seat_pb2\n",
        "import grpc\nimport engine\n",
        '"""Like bots that write\n\nfrom bowerbird.sdk import Bot\n"""\n',
        "import harness\n",
        "this is no Python\n",
    ],
)
def test_a_bot_without_the_sdk_may_have_any_files(yard: Yard, program: str) -> None:
    assert is_ready(bot_with(yard, "engine.py", "harness.py", "bowerbird/__init__.py", program=program))


@pytest.mark.parametrize("program", ["go-bot", "sh"])
def test_a_bot_in_another_language_may_have_any_files(yard: Yard, program: str) -> None:
    folder = bot_with(yard, "engine/__init__.py", "engine.py", lines=(f'command = ["./{program}"]',))
    (folder / program).touch(mode=0o755)
    assert is_ready(folder)


def test_a_folder_without_a_package_hides_nothing(yard: Yard) -> None:
    assert is_ready(bot_with(yard, "engine/main.go", "harness/notes.md"))


@pytest.mark.parametrize(
    "command",
    [
        '["python3", "-u", "bot.py", "--engine", "x"]',
        '["{python}", "-um", "bot"]',
        '["{python}", "-X", "dev", "-W", "error", "bot.py"]',
        '["{python}", "-Xdev", "--check-hash-based-pycs", "always", "bot.py"]',
        '["{python}", "-c", "import bot"]',
        f'["{sys.executable}", "../mine/bot.py"]',
    ],
)
def test_every_form_of_a_command_is_seen(yard: Yard, command: str) -> None:
    assert "rename the file engine.py" in refusal(bot_with(yard, "engine.py", lines=(f"command = {command}",)))


@pytest.mark.parametrize(
    "first",
    ["#!/usr/bin/env python3", "#!/usr/bin/env -S python3 -u", "#!/usr/bin/python3.11", "#! ../venv/bin/python"],
)
def test_a_script_that_names_python_itself_is_seen(yard: Yard, first: str) -> None:
    folder = bot_with(yard, "engine.py", program=f"{first}\n{SDK}", lines=('command = ["./bot.py"]',))
    (folder / "bot.py").chmod(0o755)
    assert "rename the file engine.py" in refusal(folder)


@pytest.mark.parametrize("first", ["#!/bin/sh", "#!/usr/bin/env node", "#!", "\x7fELF"])
def test_a_script_for_another_program_is_not_refused(yard: Yard, first: str) -> None:
    folder = bot_with(yard, "engine.py", "helper.py", lines=('command = ["./bot"]',))
    (folder / "bot").write_text(f"{first}\n")
    (folder / "bot").chmod(0o755)
    assert is_ready(folder)


@pytest.mark.parametrize("command", ['["{python}", "-I", "bot.py"]', '["{python}", "-uP", "bot.py"]'])
def test_a_python_that_ignores_the_folder_of_its_script_is_not_refused(yard: Yard, command: str) -> None:
    assert is_ready(bot_with(yard, "engine.py", lines=(f"command = {command}",)))


def test_a_variable_that_ignores_the_folder_of_its_script_counts(yard: Yard) -> None:
    assert is_ready(bot_with(yard, "engine.py", lines=(SCRIPT, "[environment]", 'PYTHONSAFEPATH = "1"')))


def test_the_folder_of_the_script_counts_and_not_the_working_folder(yard: Yard) -> None:
    folder = bot_with(yard, "engine.py", "source/bot.py", lines=('command = ["{python}", "source/bot.py"]',))
    assert is_ready(folder)
    yard.write("bots/mine/source/harness.py", "")
    assert f"{folder}/source/harness.py hides" in refusal(folder)


def test_with_m_the_working_folder_counts(yard: Yard) -> None:
    lines = ('command = ["{python}", "-m", "bot"]', 'cwd = "source"')
    folder = bot_with(yard, "source/engine.py", lines=lines)
    assert f"{folder}/source/engine.py hides" in refusal(folder)


def test_the_folders_of_pythonpath_count(yard: Yard) -> None:
    lines = (SCRIPT, "[environment]", 'PYTHONPATH = "lib:other"')
    folder = bot_with(yard, "other/engine.py", lines=lines)
    assert f"{folder}/other/engine.py hides" in refusal(folder)


def test_a_whole_copy_of_this_project_hides_nothing(yard: Yard) -> None:
    files = [f"{package}/__init__.py" for package in ("bowerbird", "engine", "harness", "bots")]
    assert is_ready(bot_with(yard, *files))
    assert is_ready(bot_with(yard, lines=(SCRIPT, "[environment]", f'PYTHONPATH = "{ROOT}"')))


@pytest.mark.parametrize("folder", ["tests", "tools"])
def test_tests_and_tools_of_the_author_are_no_part_of_the_bot(yard: Yard, folder: str) -> None:
    """A bot without our SDK has its own engine.py; its author studies records with our package."""
    bot = bot_with(yard, "engine.py", program="import engine\n")
    yard.write(f"bots/mine/{folder}/study.py", "from bowerbird.records import open_database\n")
    assert is_ready(bot)


@pytest.mark.parametrize("program", [f"x = {'-' * 100_000}1\n", f"x = 1{' + 1' * 100_000}\n"], ids=["unary", "sum"])
def test_a_program_that_is_nested_too_deeply_is_the_bots_affair(yard: Yard, program: str) -> None:
    assert is_ready(bot_with(yard, "engine.py", program=program))
