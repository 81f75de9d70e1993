"""The check of a page's console sessions: which differences between two runs it ignores."""

from __future__ import annotations

import re

import pytest

from tests.support.docs.sessions import Step, missing_lines

NOTHING = re.compile("(?!)")
SHOWN = "trusted: 7e1b-90c2-4d5a-1f3e-88a0-c6d1 (anna); compare this fingerprint"
"""A line of vouch-for-results.md."""


@pytest.mark.parametrize("printed", ["11f4-dc0a-46f8-4542-e9dc-cacb", "dead-90c2-beef-1f3e-face-c6d1"])
def test_the_letters_of_a_fingerprint_are_no_words(printed: str) -> None:
    said = f"trusted: {printed} (anna); compare this fingerprint"
    assert missing_lines(Step("bowerbird keys trust anna.key", (SHOWN,)), said, NOTHING) == []


def test_a_line_whose_words_are_not_printed_is_missing() -> None:
    said = "trusted: 7e1b-90c2-4d5a-1f3e-88a0-c6d1 (bob); compare this fingerprint"
    assert missing_lines(Step("bowerbird keys trust anna.key", (SHOWN,)), said, NOTHING) == [SHOWN]
