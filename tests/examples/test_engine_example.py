"""The example of the engine alone prints the same counts everywhere, near what they must be."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.bots.loaded import loaded
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

PROGRAM = ROOT / "examples" / "engine" / "deals.py"
PRINTED = """\
right bower in the upcard   16.9%  expected  16.7%
right bower in the hand     71.9%  expected  72.5%
right bower in the stock    11.3%  expected  10.9%
partner holds the Jh         27.2%  expected  27.8%
"""


@pytest.mark.usefixtures("processes")
def test_it_prints_the_same_counts_everywhere() -> None:
    done = subprocess.run([sys.executable, PROGRAM], capture_output=True, text=True, timeout=DEADLINE_S, check=True)
    assert done.stdout == PRINTED


def test_its_counts_are_of_all_deals_and_near_their_probabilities() -> None:
    places = loaded(PROGRAM).deals(4000)
    assert places.total() == 4000
    for place, probability in (("upcard", 4 / 24), ("hand", 20 / 24 * 20 / 23), ("stock", 20 / 24 * 3 / 23)):
        error = (4000 * probability * (1 - probability)) ** 0.5
        assert places[place] == pytest.approx(4000 * probability, abs=3 * error)
