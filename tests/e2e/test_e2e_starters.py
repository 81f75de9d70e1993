"""The starters of all languages at one another's tables, through real processes."""

from __future__ import annotations

import json

import pytest
from bowerbird_command import COMMAND, ROOT, Bowerbird

from engine import variant_names

STARTERS = ("python", "go", "rust", "java", "node", "cpp")
LONG_S = 1200
"""Five hundred deals in six languages, on a slow machine that has to build them first."""


@pytest.mark.slow
@pytest.mark.toolchain("go", "cargo", "mvn", "java", "node", "npm", "cmake", "g++", "protoc", "grpc_cpp_plugin")
def test_all_starters_play_all_variants_against_each_other_without_a_fault(bowerbird: Bowerbird) -> None:
    """PROTOCOL.md rule 1. Their builds have been made by tests/bots/test_starters.py, or are made here."""
    lines = ["[tournament]", 'name = "languages"', 'unit = "deals"', "sets = 1", 'packs = "own"', 'format = "gauntlet"']
    lines += ["[time]", 'per_decision = "5s"', 'startup = "60s"']
    lines += [f'[[variant]]\nname = "{variant}"' for variant in variant_names()]
    lines += [f'[[bot]]\npath = "{ROOT / "bots" / "starters" / language}"' for language in STARTERS]
    (bowerbird.folder / "languages.toml").write_text("\n".join(lines), encoding="utf-8")
    finished = bowerbird.run(COMMAND, "tournament", "languages.toml", "--quiet", "--json", timeout_s=LONG_S)
    assert finished.returncode == 0, finished.stderr
    document = json.loads(finished.stdout)
    standings = document["overall"]["standings"]
    assert {line["bot"] for line in standings} == set(STARTERS)
    assert all(line["games"] and not any(line["faults"].values()) for line in standings), standings
    assert set(document["variants"]) == set(variant_names())
