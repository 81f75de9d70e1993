"""A failed build says which program it lacks and how to get it (harness.tournament.preparation.build_tools)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.errors import BuildError
from bowerbird.harness.tournament.preparation.build import missing_program, missing_tool, prepare
from tests.support.paths import ROOT
from tests.support.tournament.bot_folders import Yard

SAID = {
    "go": "build.sh: 5: go: not found",
    "cargo": "build.sh: line 6: cargo: command not found",
    "npm": "sh: 1: npm: not found",
    "node": "/usr/bin/env: ‘node’: No such file or directory",
    "javac": "[ERROR] No compiler is provided in this environment. Perhaps you are running on a JRE rather than a JDK?",
    "cmake": "build.sh: 4: cmake: not found",
    "g++": "No CMAKE_CXX_COMPILER could be found.",
    "cc": "error: linker `cc` not found",
    "pkg-config": "Could NOT find PkgConfig (missing: PKG_CONFIG_EXECUTABLE)",
    "protoc": "Could not find PROTOC using the following names: protoc",
    "grpc_cpp_plugin": "Could not find PLUGIN using the following names: grpc_cpp_plugin",
}
"""What shells, npm, Maven, Cargo and CMake say when a program is missing: from memory, not recorded from builds."""


@pytest.fixture
def no_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no program on the PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("no_programs")
@pytest.mark.parametrize("name", SAID)
def test_a_program_is_named_by_what_the_build_says(name: str) -> None:
    assert missing_tool(f"configuring\n{SAID[name]}\nfailed").startswith(f"needs {name!r}, which is not on the PATH: ")


@pytest.mark.usefixtures("no_programs")
def test_the_advice_names_the_packages() -> None:
    assert missing_tool("build.sh: 6: protoc: not found") == (
        "needs 'protoc', which is not on the PATH: install the protocol compiler "
        "(on Debian and Ubuntu: apt-get install protobuf-compiler)"
    )
    assert missing_tool("No package 'protobuf' found") == (
        "needs the C++ library 'protobuf': install it (on Debian and Ubuntu: apt-get install libprotobuf-dev)"
    )
    assert missing_tool("x: 1: no-such: not found").endswith("needs 'no-such', which is not on the PATH: install it")
    assert missing_program("mvn").startswith("needs 'mvn'")


@pytest.mark.usefixtures("no_programs")
def test_everything_that_a_cpp_bot_lacks_is_named_at_once() -> None:
    said = (
        "-- Checking for modules 'grpc++;protobuf'\n"
        "--   Package 'grpc++', required by 'virtual:world', not found\n"
        "Package 'protobuf', required by 'virtual:world', not found\n"
    )
    assert missing_tool(said) == (
        "needs the C++ libraries 'grpc++' and 'protobuf', and 'protoc' and 'grpc_cpp_plugin' on the PATH: install them "
        "(on Debian and Ubuntu: apt-get install libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc)"
    )


@pytest.mark.usefixtures("no_programs")
@pytest.mark.parametrize("said", ["", "protoc: no such type: Crad", "com.google.protobuf:protoc:exe not resolved"])
def test_a_failure_of_another_kind_names_no_program(said: str) -> None:
    assert missing_tool(said) == ""


def test_a_program_that_is_there_is_not_missing() -> None:
    assert missing_tool("build.sh: 5: sh: not found") == ""
    assert missing_program("target/bot") == ""


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("language", "missing"), [("go", "go"), ("rust", "cargo"), ("java", "mvn"), ("node", "npm"), ("cpp", "cmake")]
)
def test_a_starter_without_its_tool_is_refused_in_one_sentence(
    yard: Yard, monkeypatch: pytest.MonkeyPatch, language: str, missing: str
) -> None:
    folder = yard.folder / "tools"
    folder.mkdir()
    for tool in ("sh", "mkdir", "cp"):
        found = shutil.which(tool)
        assert found is not None
        (folder / tool).symlink_to(found)
    starter = yard.folder / language
    shutil.copytree(ROOT / "bots" / "starters" / language, starter, ignore=shutil.ignore_patterns("target", ".*"))
    monkeypatch.setenv("PATH", os.fspath(folder))
    with pytest.raises(BuildError) as caught:
        prepare(load_bot(starter), lambda name: None)
    assert f"needs {missing!r}, which is not on the PATH: install " in str(caught.value)
    assert "\n" not in str(caught.value)
