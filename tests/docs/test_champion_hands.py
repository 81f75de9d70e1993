"""The hands of champion.md: champion does what the page says it does."""

from __future__ import annotations

import re

import pytest

from tests.support.docs.champion import PAGE
from tests.support.docs.champion_hands import SHOWN, told

NUMBER = re.compile(r"\b[01]\.\d+\b")
CLOSE = 0.03
"""Processors differ in the last bits of a product, and a search may then look at different actions."""


def shown() -> list[str]:
    """Return the tables of the page, each as one line."""
    blocks = re.findall(r"^```text\n(seat .*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [" ".join(block.split()) for block in blocks]


@pytest.mark.parametrize("number", range(len(SHOWN)))
def test_a_hand_is_played_as_the_page_shows(number: int) -> None:
    page, found = shown()[number], " ".join(told(*SHOWN[number]).split())
    assert NUMBER.sub("N", page) == NUMBER.sub("N", found)
    says, finds = ([float(value) for value in NUMBER.findall(text)] for text in (page, found))
    assert says == pytest.approx(finds, abs=CLOSE)


def test_all_hands_are_shown() -> None:
    assert len(shown()) == len(SHOWN)
