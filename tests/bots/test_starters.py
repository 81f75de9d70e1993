"""The starters: small, pinned without addresses, and each a legal bot for every variant in its language."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from built_bots import ready
from random_bot_laws import RandomBotLaws
from seat_referee import ROOT

from harness.tournament.bot_file import load_bot

STARTERS = ROOT / "bots" / "starters"
LONGEST = 60
"""PROTOCOL.md rule 1: lines of code, without blank lines, comments and imports."""

CODE = {
    "python": ("bot.py",),
    "go": ("main.go",),
    "rust": ("src/main.rs",),
    "java": ("src/main/java/RandomBot.java",),
    "node": ("main.ts",),
    "cpp": ("main.cpp",),
}
NO_CODE = ("//", "#", "import ", "from ", "use ", "package ", '"""')


def _lines(text: str) -> int:
    """Lines of code; a block of imports in parentheses (Go) counts as one import."""
    count = 0
    in_imports = False
    for line in map(str.strip, text.splitlines()):
        in_imports = (in_imports or line == "import (") and line != ")"
        count += not in_imports and bool(line) and not line.startswith(NO_CODE)
    return count


@pytest.mark.parametrize("language", CODE)
def test_a_starter_fits_on_one_page(language: str) -> None:
    count = sum(_lines((STARTERS / language / name).read_text(encoding="utf-8")) for name in CODE[language])
    assert 3 < count <= LONGEST, f"{language}: {count} lines of code, {LONGEST} are allowed"


@pytest.mark.parametrize("language", CODE)
def test_a_starter_explains_itself_and_carries_the_protocol(language: str) -> None:
    folder = STARTERS / language
    assert "check-bot" in (folder / "README.md").read_text(encoding="utf-8")
    described = tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8"))
    assert described["name"] == language
    if language != "python":
        assert described["build"]
        assert (folder / "proto" / "harness" / "v1" / "seat.proto").is_file()


def test_no_starter_names_where_packages_come_from() -> None:
    made = {"target", "node_modules", "__pycache__"}
    files = [
        path for path in STARTERS.rglob("*") if path.is_file() and not made & set(path.relative_to(STARTERS).parts)
    ]
    assert len(files) > 25
    named = [str(path.relative_to(STARTERS)) for path in files if "://" in _without_schemes(path)]
    assert not named, f"addresses stand in {named}"


def _without_schemes(path: Path) -> str:
    """A file's text without what a bot dials, which is no address of a package."""
    return path.read_text(encoding="utf-8").replace("{scheme}://{address}", "")


@pytest.fixture(scope="class")
def built(request: pytest.FixtureRequest) -> None:
    """Build the starter as a run would, once for each state of its files, however many test processes there are."""
    ready(request.cls.folder)


class StarterLaws(RandomBotLaws):
    """Subclass it with a language."""

    def __init_subclass__(cls) -> None:
        cls.folder = cls.cwd = STARTERS / cls.__name__.removeprefix("Test").lower()
        cls.command = load_bot(cls.folder).command


@pytest.mark.usefixtures("built")
class TestPython(StarterLaws):
    pass


@pytest.mark.slow
@pytest.mark.toolchain("go", "protoc")
@pytest.mark.usefixtures("built")
class TestGo(StarterLaws):
    pass


@pytest.mark.slow
@pytest.mark.toolchain("cargo", "protoc")
@pytest.mark.usefixtures("built")
class TestRust(StarterLaws):
    pass


@pytest.mark.slow
@pytest.mark.toolchain("java", "javac", "mvn")
@pytest.mark.usefixtures("built")
class TestJava(StarterLaws):
    pass


@pytest.mark.slow
@pytest.mark.toolchain("node", "npm")
@pytest.mark.usefixtures("built")
class TestNode(StarterLaws):
    pass


@pytest.mark.slow
@pytest.mark.toolchain("cmake", "g++", "protoc", "grpc_cpp_plugin", "pkg-config")
@pytest.mark.usefixtures("built")
class TestCpp(StarterLaws):
    pass
