"""Paths of the checkout that tests use."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BOTS = ROOT / "bots"
DOCS = ROOT / "docs"
HOSTILE = ROOT / "tests" / "support" / "bots" / "hostile_bot.py"
WAYWARD = ROOT / "tests" / "support" / "bots" / "wayward_bot.py"
