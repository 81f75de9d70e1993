"""From a built wheel, in an empty environment and another folder, everything works."""

from __future__ import annotations

import json
import shutil
import tarfile
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from bowerbird.harness.cli.commands.new_bot import LANGUAGES
from bowerbird.harness.resources import bundled_bots
from bowerbird.harness.tournament.config.bot_file import load_bot
from tests.support.bots.built_bots import programs_of, ready
from tests.support.installed_wheel import Installed, build, wheel_of
from tests.support.paths import ROOT

MADE = ("target", "node_modules", "__pycache__")
"""Folders that builds and tests leave in a checkout."""

LARGEST_WHEEL = 11_000_000
"""In bytes; eight tenths of that are the networks of `bowerbird.bots.champion`."""

STARTERS = ROOT / "bots" / "starters"
FINGERPRINTS = """
import json
from bowerbird.harness.resources import bundled_bots
from bowerbird.harness.tournament.config.bot_file import load_bot
print(json.dumps({name: load_bot(path).fingerprint for name, path in bundled_bots().items()}))
"""


@pytest.fixture
def file(venv: Path) -> Path:
    """Return the wheel of this checkout."""
    return wheel_of(venv)


def test_a_wheel_holds_one_package_and_what_it_needs(file: Path) -> None:
    names = zipfile.ZipFile(file).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"bowerbird"}
    assert {path.name for path in (ROOT / "proto" / "bowerbird" / "seat" / "v1").iterdir()} == {
        name.rpartition("/")[2] for name in names if name.startswith("bowerbird/proto/bowerbird/seat/v1/")
    }
    pages = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md") if "newsfragments" not in path.parts}
    assert pages <= {name.removeprefix("bowerbird/") for name in names}
    assert {f"bowerbird/bots/starters/{language}/bot.toml" for language in LANGUAGES} <= set(names)
    templates = {
        f"bowerbird/{path.relative_to(ROOT)}"
        for path in (ROOT / "harness").rglob("templates/*")
        if path.suffix != ".pyc"
    }
    assert {
        "bowerbird/harness/extras/play/templates/play.html",
        "bowerbird/harness/report/templates/page.css",
    } <= templates
    assert any(name.startswith("bowerbird/harness/extras/serve/templates/") for name in templates)
    assert templates <= set(names), "pages of report, serve and play"
    assert {f"bowerbird/{package}py.typed" for package in ("", "bots/", "engine/", "harness/")} <= set(names)
    assert not [
        name for name in names if set(MADE) & set(name.split("/")) or name.endswith((".bowerbird-build", ".db"))
    ]


def test_a_wheel_is_small(file: Path) -> None:
    largest = sorted(zipfile.ZipFile(file).infolist(), key=lambda info: -info.compress_size)[:5]
    assert file.stat().st_size <= LARGEST_WHEEL, f"largest: {[(info.filename, info.compress_size) for info in largest]}"


def test_the_sdist_builds_the_same_wheel_whatever_lies_about(file: Path, tmp_path: Path) -> None:
    with tarfile.open(build("sdist", ROOT, tmp_path)) as sdist:
        sdist.extractall(tmp_path, filter="data")
    [source] = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert not [path for path in source.rglob("*") if path.name in (*MADE, ".bowerbird-build")]
    for folder in (
        source / "bots" / "starters" / "go",
        source / "bots" / "greedy",
        source / "docs",
        source / "harness",
    ):
        (folder / ".bowerbird-build").write_text("x")
        for made in MADE:
            (folder / made).mkdir()
            (folder / made / "junk.py").write_text("x")
    again = build("wheel", source, tmp_path)
    assert again.read_bytes() == file.read_bytes()


def test_version_and_pages(wheel: Installed) -> None:
    assert wheel.done("--version") == f"bowerbird {version('bowerbird')}\n"
    pages = {page["name"]: Path(page["path"]) for page in wheel.json("docs")}
    assert {"rules", "notation", "protocol", "seat.proto"} <= set(pages)
    assert all(path.is_relative_to(wheel.venv) for path in pages.values())
    assert wheel.done("docs", "rules", "V12").startswith("## V12")


def test_a_bundled_bot_is_the_same_bot_as_in_a_checkout(wheel: Installed) -> None:
    said = wheel.run("python", "-c", FINGERPRINTS)
    assert json.loads(said.stdout) == {name: load_bot(path).fingerprint for name, path in bundled_bots().items()}


@pytest.mark.long
@pytest.mark.toolchain("node", "npm")
def test_demo_leaves_the_installation_as_it_was(wheel: Installed) -> None:
    packages = next(wheel.venv.glob("lib/python3*/site-packages/bowerbird/bots"))
    before = _files(packages)
    assert "All 138 games were played again from their records and agree." in wheel.done("demo")
    assert _files(packages) == before
    assert {path.name for path in wheel.home.iterdir()} <= {".cache"}


def _files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}


@pytest.mark.parametrize(
    "language",
    [
        pytest.param(
            language,
            marks=[
                pytest.mark.toolchain(*programs_of(STARTERS / language)),
                *([pytest.mark.long] if language in ("java", "cpp") else []),  # compiled for tests/bots as well
            ],
        )
        for language in LANGUAGES
    ],
)
def test_a_new_bot_is_built_and_plays(wheel: Installed, language: str) -> None:
    wheel.done("new-bot", "mine", "--lang", language)
    _lend_libraries(language, wheel.folder / "mine")
    options = ["--variant", "two-handed", "--deals", "--sets", "2", "--quiet"]
    standings = wheel.json("match", "./mine", "greedy", *options)["overall"]["standings"]
    assert {line["bot"] for line in standings} == {"mine", "greedy"}
    assert all(line["games"] and not any(line["faults"].values()) for line in standings)
    if language in ("python", "go"):
        said = wheel.json("check-bot", "./mine", "--isolation", "limits", "--quiet")
        others = [one for one in said["sentences"] if one["verdict"] != "pass"]
        assert said["passed"]
        assert all("pip install cryptography" in one["detail"] for one in others), others


def _lend_libraries(language: str, folder: Path) -> None:
    """Let a bot in Rust use the libraries that the starter's tests have compiled, which takes minutes."""
    if language == "rust":
        ready(STARTERS / language)
        shutil.copytree(STARTERS / language / "target" / "release", folder / "target" / "release", symlinks=True)


def test_a_program_that_speaks_json_plays_from_anywhere(wheel: Installed) -> None:
    """seat-a-program.md: `{python} -P -m bowerbird.bots.stdio` finds the bridge in the installation."""
    folder = wheel.folder / "engine"
    folder.mkdir()
    (folder / "bot.py").write_text((ROOT / "examples/bridges/stdio-python/bot.py").read_text())
    command = '["{python}", "-P", "-m", "bowerbird.bots.stdio", "{python}", "bot.py"]'
    (folder / "bot.toml").write_text(f'name = "engine"\ncommand = {command}\n')
    match = ("match", "./engine", "random", "--variant", "euchre", "--option", "max_hands=2", "--sets", "1", "--quiet")
    assert wheel.json(*match)["faults"] == []


def test_a_tournament_file_names_bundled_bots(wheel: Installed) -> None:
    text = '[tournament]\nsets = 1\nunit = "deals"\n[[variant]]\nname = "buck"\n'
    (wheel.folder / "cup.toml").write_text(text + '[[bot]]\npath = "greedy"\n[[bot]]\npath = "random"\n')
    standings = wheel.json("tournament", "cup.toml", "--quiet")["overall"]["standings"]
    assert {line["bot"] for line in standings} == {"greedy", "random"}


@pytest.mark.toolchain("node", "npm")
def test_an_ordinary_user_plays_from_an_installation_that_cannot_be_written(stranger: Installed) -> None:
    """In a sandbox: where bubblewrap is, it needs no root."""
    assert stranger.done("--version")
    assert stranger.done("docs", "protocol")
    options = ["--variant", "buck", "--deals", "--sets", "1", "--quiet"]
    tier = ["--isolation", "sandbox"] if shutil.which("bwrap") else []
    standings = stranger.json("match", "greedy", "node-random", *options, *tier)["overall"]["standings"]
    assert {line["bot"] for line in standings} == {"greedy", "node-random"}
    assert not [line for line in standings if any(line["faults"].values())]
    stranger.done("new-bot", "mine", "--lang", "python")
    standings = stranger.json("match", "./mine", "random", *options, *tier)["overall"]["standings"]
    assert not [line for line in standings if any(line["faults"].values())]
