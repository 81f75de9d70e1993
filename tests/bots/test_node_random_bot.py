"""The random bot in Node. Its packages are pinned without addresses."""

from __future__ import annotations

import json

import pytest

from tests.support.bots.built_bots import ready
from tests.support.bots.random_bot_laws import RandomBotLaws
from tests.support.paths import ROOT

FOLDER = ROOT / "bots" / "node-random"
LOCK = FOLDER / "package-lock.json"


@pytest.fixture(scope="module")
def packages(processes: None) -> None:
    """Fetch the packages of the lock file once, even if several test processes ask for them."""
    ready(FOLDER)


@pytest.mark.toolchain("node", "npm")
@pytest.mark.usefixtures("packages")
class TestNodeRandomBot(RandomBotLaws):
    folder = FOLDER
    command = ("node", "main.js")
    cwd = FOLDER


def test_the_lock_holds_no_address() -> None:
    packages = json.loads(LOCK.read_text(encoding="utf-8"))["packages"]
    assert "://" not in LOCK.read_text(encoding="utf-8")
    assert all("integrity" in package for name, package in packages.items() if name)


def test_a_starter_fits_on_one_page() -> None:
    """protocol.md, Decisions."""
    assert len((FOLDER / "main.js").read_text(encoding="utf-8").splitlines()) <= 60
