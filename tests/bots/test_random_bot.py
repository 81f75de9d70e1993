"""The random bot in Python."""

from __future__ import annotations

import sys

import pytest

from tests.support.bots.random_bot_laws import RandomBotLaws
from tests.support.paths import ROOT

pytestmark = pytest.mark.usefixtures("processes")


class TestRandomBot(RandomBotLaws):
    folder = ROOT / "bots" / "random"
    command = (sys.executable, "-m", "bowerbird.bots.random")
    cwd = ROOT
