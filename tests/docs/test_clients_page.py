"""The pages on clients and other tools are right: versions match the starters, and the evidence exists."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

from bowerbird.harness.referee.connection.messages import LONGEST_SENTENCE
from bowerbird.harness.referee.isolation import launch
from bowerbird.harness.tournament.config.bot_file import load_bot
from tests.support.paths import DOCS, ROOT

CLIENTS = (DOCS / "reference" / "clients.md").read_text(encoding="utf-8")
OTHERS = (DOCS / "explanation" / "other-tools.md").read_text(encoding="utf-8")
STARTERS = ROOT / "bots" / "starters"
FINDINGS = sorted((ROOT / "findings").glob("*.sh"))


def rows_below(heading: str) -> list[list[str]]:
    """Return the cells of all rows of the tables below a heading of the page on clients, without the header rows."""
    text = CLIENTS.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|") and "|---" not in line]
    return [cells for line in lines if (cells := [cell.strip() for cell in line.strip("|").split("|")])]


def test_versions_are_those_that_the_starters_are_built_with() -> None:
    shown = {language: (grpc, protobuf) for language, grpc, protobuf in rows_below("Versions")[1:]}
    packages = json.loads((STARTERS / "node" / "package-lock.json").read_text())["packages"]
    node = [packages[f"node_modules/{name}"]["version"] for name in ("@grpc/grpc-js", "protobufjs")]
    cargo = tomllib.loads((STARTERS / "rust" / "Cargo.toml").read_text())["dependencies"]
    rust = [cargo["tonic"]["version"].lstrip("="), cargo["prost"].lstrip("=")]
    go = [
        re.findall(rf"google.golang.org/{name} v(\S+)", (STARTERS / "go" / "go.mod").read_text())[0]
        for name in ("grpc", "protobuf")
    ]
    pom = (STARTERS / "java" / "pom.xml").read_text()
    java = [re.findall(rf"<{name}.version>([\d.]+)<", pom)[0] for name in ("grpc", "protobuf")]
    python = [version("grpcio"), version("protobuf")]
    found = {"Node": node, "Rust": rust, "Go": go, "Java": java, "Python": python}
    for language, versions in found.items():
        short = [".".join(one.split(".")[:2]) for one in versions]
        assert [cell.split()[-1] for cell in shown[language]] == short, language
    assert {language.lower().replace("++", "pp") for language in shown} == {
        path.parent.name for path in STARTERS.glob("*/bot.toml")
    }


def named(text: str) -> set[str]:
    """Return the tests and scripts that a page names."""
    return set(re.findall(r"`((?:tests|findings)/[\w/.-]+)`", text))


def test_every_row_names_what_shows_it_and_that_exists() -> None:
    for heading in ("Status codes", "Deadlines", "Messages", "Numbers", "Over a bridge"):
        for cells in rows_below(heading)[1:]:
            assert named(cells[-1]), cells
    scripts = {f"findings/{name}" for name in re.findall(r"`([\w-]+\.sh)`", OTHERS)}
    for path in named(CLIENTS) | named(OTHERS) | scripts:
        assert (ROOT / path).is_file(), path


def test_every_finding_has_its_form() -> None:
    """CONTRIBUTING.md, Findings."""
    assert len(FINDINGS) >= 20
    for path in FINDINGS:
        text = path.read_text(encoding="utf-8")
        assert text.startswith("#!/usr/bin/env bash\n# "), path
        header = " ".join(text.partition("\nset -euo pipefail\n")[0].replace("\n#", "\n").split())
        assert re.search(r"\d+\.\d+|\d\d", header), f"{path} names no version"
        assert "One would guess" in header, path
        assert "xits with 1 if that" in header, path
        assert "folder=$(mktemp -d)" in text, path
        assert "exit 2" in text, f"{path} cannot say that a package was not to be had"
        assert "://" not in text.replace('"http://127.0.0.1:', ""), f"{path} names a host"
        assert "bowerbird" not in text.lower(), f"{path} uses our code"
        assert path.stat().st_mode & 0o111, f"{path} is no program"


def test_every_finding_is_on_a_page_or_in_a_test() -> None:
    places = [*DOCS.rglob("*.md"), *(ROOT / "tests").rglob("*.py")]
    text = "\n".join(place.read_text(encoding="utf-8") for place in places if place != Path(__file__))
    for path in FINDINGS:
        library = path.name.partition("-")[0]
        assert path.name in text or f"findings/{library}-*" in text or "`findings/`" in text, path


def test_limits_are_those_of_a_launch() -> None:
    shown = {cells[0]: cells[1] for cells in rows_below("Limits") if len(cells) == 3}
    assert shown["processor time, soft and hard"] == f"{launch.CPU_LIMIT_S // 86400} days"
    assert shown["size of a file"] == f"{launch.FILE_SIZE_LIMIT >> 30} GiB"
    assert "--as" not in " ".join(launch.prlimit_command())
    assert f"{launch.OPEN_FILES_LIMIT:,} open files and" in " ".join(CLIENTS.split())
    assert f"{launch.PROCESS_LIMIT} processes and threads" in " ".join(CLIENTS.split())
    assert f"at most {LONGEST_SENTENCE} characters" in CLIENTS
    java = load_bot(STARTERS / "java")
    assert f"`-Xmx{java.memory_mb // 2}m`" in CLIENTS
