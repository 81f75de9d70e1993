"""The tables of languages name every starter."""

from __future__ import annotations

import pytest

from bowerbird.harness.cli.commands.new_bot import LANGUAGES
from tests.support.paths import ROOT


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_line(language: str) -> None:
    assert f"\n| `starters/{language}` |" in (ROOT / "bots" / "README.md").read_text(encoding="utf-8")
    assert f"\n| `{language}` |" in (ROOT / "docs" / "tutorials" / "first-bot.md").read_text(encoding="utf-8")
