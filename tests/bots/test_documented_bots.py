"""The bots that the pages print are what people copy: none of them fails in any variant or option.

Each plays all seats in this process, with every value of every option that has a few.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.engine import rules_of, variant_names
from bowerbird.harness.extras.compliance.scenarios import scenarios_of
from bowerbird.sdk import Bot, play
from tests.support.docs.blocks import block
from tests.support.paths import ROOT

HANDS = 4
GAMES = 2
"""Games of each setting: a joker is turned up in one hand of ten."""


def printed(page: Path) -> str:
    return block(page, "python", "class MyBot")


PROGRAMS = {
    "README": printed(ROOT / "README.md"),
    "tutorial": printed(ROOT / "docs" / "tutorials" / "first-bot.md"),
    "python page": printed(ROOT / "docs" / "reference" / "python.md"),
    "example": (ROOT / "examples" / "bot" / "bot.py").read_text(encoding="utf-8"),
}


def bot_of(program: str) -> Bot:
    names: dict[str, object] = {"__name__": "printed"}
    exec(compile(program, "bot.py", "exec"), names)  # the page's own program, not started as one
    (made,) = (one for one in names.values() if isinstance(one, type) and issubclass(one, Bot) and one is not Bot)
    return made()


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("variant", variant_names())
def test_no_printed_bot_fails(variant: str, program: str) -> None:
    settings = {str(one.options): one.options for one in scenarios_of(variant)}
    for options in settings.values():
        bots = [bot_of(PROGRAMS[program]) for _ in range(rules_of(variant).seats(options))]
        for number in range(GAMES):
            seed = f"{program} {number}"
            game = play(variant, bots, seed=seed, options={**options, "max_hands": HANDS})
            assert game.is_over, f"{variant} {dict(options)}, seed {seed!r}"
