"""docs/reference/variants.md and a page for each variant, from the engine's declarations and a game that is played.

`python -m tests.support.docs.variant_pages` regenerates them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import count
from pathlib import Path
from textwrap import dedent

from bowerbird.bots.greedy.player import choose
from bowerbird.engine import NOT_HERE, Option, Variant, rules_of, variant_names
from bowerbird.harness.cli.commands.variants import span
from bowerbird.harness.records.replay.render import render
from bowerbird.harness.records.values.game_record import Conditions, GameRecord, SeatRecord, TimeControl
from bowerbird.harness.records.values.run import GameId, commitment_of, run_fingerprint
from bowerbird.harness.referee.game.clock import NS_PER_MS
from bowerbird.harness.referee.game.table import Table
from bowerbird.harness.referee.spec import InstanceKey, SeatSpec, TableSpec
from tests.support.docs.wrap import wrapped
from tests.support.paths import DOCS

INDEX = DOCS / "reference" / "variants.md"
FOLDER = DOCS / "reference" / "variants"
BOT = "greedy"

INTRODUCTION = f"""\
# Variants

The {len(variant_names())} variants, with a page for each: seats, rules in short, points, options
and a hand that was played. `bowerbird variants NAME` prints the same rules in
the terminal. [rules.md](rules.md) has the exact rules.
"""

OPTIONS = """\
An option is a key below `[[variant]]` in a
[tournament file](../tournament-file.md), and `--option NAME=VALUE`
after `--variant` on the command line. An option that is not set has its
default.
"""

HAND = """\
Cards are written as rank and suit: `Th` is the ten of hearts
([notation](../notation.md#cards)). All hands are open here; a bot sees its own.
"""

_BLOCK = re.compile(r"\n(?=\S| {2}\d  )")
_LABEL = re.compile(r"(Seats|Pack|Order|End|Facts) +(.+)", re.DOTALL)
_OTHER_PAGE = re.compile(r"bowerbird\s+variants\s+([a-z-]+)")


def pages() -> Mapping[Path, str]:
    """Return the text of each page as it must be."""
    return {INDEX: index_text(), **{page_of(name): page_text(rules_of(name)) for name in variant_names()}}


def page_of(name: str) -> Path:
    """Return the page of a variant."""
    return FOLDER / f"{name}.md"


def index_text() -> str:
    """Return the list of the variants. A list, since links with their commands would be too wide in a table."""
    items = [
        wrapped(
            f"- [{name}](variants/{name}.md), {rules.title}: {span(rules, rules.seats)} seats, "
            f"{span(rules, rules.cards)} cards, {_sides(rules)}; {_better(rules)} points are better"
        )
        for name in variant_names()
        if (rules := rules_of(name))
    ]
    missing = wrapped(f"Games of the family that are not here: {', '.join(NOT_HERE)}.")
    return "".join([INTRODUCTION, "\n", *items, "\n", missing])


def page_text(rules: Variant) -> str:
    """Return the page of a variant."""
    section = rules.section
    introduction = (
        f"The variant `{rules.name}` in short, with the default options: {rules.seats()} seats, {_sides(rules)}; "
        f"{_better(rules)} points are better. The exact rules are [rules.md {section}](../rules.md#{section.lower()}); "
        f"marks such as B4 or E19 name other sections there."
    )
    parts = [f"# {rules.title}", wrapped(introduction).rstrip(), *_described(rules)]
    parts += ["## Options", OPTIONS.rstrip(), _options(rules.options)]
    parts += ["## A hand", wrapped(_about_hand(rules)).rstrip(), HAND.rstrip()]
    return "\n\n".join([*parts, "\n".join(["```text", *example_hand(rules.name), "```"])]) + "\n"


def _described(rules: Variant) -> Iterator[str]:
    """Yield the blocks of the variant's own page as markdown: labelled paragraphs, steps, and the table of points."""
    page = rules.describe.partition("sections of the rules.\n\n")[2] or rules.describe.partition("rules.\n\n")[2]
    page = page.partition("\n\nOptions\n")[0]
    yield "## The game"
    steps: list[str] = []
    for block in _BLOCK.split(page):
        text = " ".join(block.split())
        label = _LABEL.fullmatch(block)
        if block.strip() == "The hand":
            yield "## The course of a hand"
        elif block.startswith("  "):
            number, said = text.split(" ", 1)
            steps.append(wrapped(f"{number}. {_marked(said)}").rstrip())
            continue
        if steps:
            yield "\n".join(steps)
            steps = []
        if label is not None:
            yield wrapped(f"**{label[1]}.** {_marked(' '.join(label[2].split()))}").rstrip()
        elif block.startswith("Points"):
            yield "## Points"
            table = dedent(block.replace("Points", "      ", 1).rstrip()).lstrip("\n")
            yield f"```text\n{table}\n```"


def _marked(text: str) -> str:
    """Return a sentence with actions as code and links to the pages of other variants."""
    text = re.sub(r'"([a-z0-9]+(?: [A-Za-z0-9]+)*)"', r"`\1`", text)
    return _OTHER_PAGE.sub(r"[\1](\1.md)", text)


def _options(options: Mapping[str, Option]) -> str:
    rows = [
        f"| `{name}` | `{_value(option.default)}` | {_allowed(option)} | {_marked(option.help)} |"
        for name, option in options.items()
    ]
    return "\n".join(["| option | default | allowed | meaning |", "|---|---|---|---|", *rows])


def _allowed(option: Option) -> str:
    return str(option.allowed).replace('"', "`")


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sides(rules: Variant) -> str:
    teams = rules.teams()
    if teams is None:
        return "each for himself"
    return " against ".join("+".join(map(str, team)) for team in teams)


def _better(rules: Variant) -> str:
    return "fewer" if rules.better == "low" else "more"


# A hand.


def _about_hand(rules: Variant) -> str:
    return (
        f"The first hand of a game of `{BOT}` against itself, as `bowerbird replay` prints it. The seed is the SHA-256 "
        f"of `{_seed_text(rules.name)}`, the entry `{_entry(rules.name)}`."
    )


def example_hand(name: str) -> list[str]:
    """Return the lines of the first hand of the example game of a variant."""
    return _hand_lines(name, _seed_text(name))


@cache
def _seed_text(name: str) -> str:
    """Return the text of the first seed whose first hand has tricks."""
    return next(
        text
        for number in count()
        if (text := f"{name} {number}")
        if any("won by" in line for line in _hand_lines(name, text))
    )


def _hand_lines(name: str, seed_text: str) -> list[str]:
    lines = list(render(played(name, seed_text), hand=0))
    start = next(at for at, line in enumerate(lines) if line.startswith("hand 0"))
    return "\n".join(lines[start:]).partition("\n\n")[0].splitlines()


def _entry(name: str) -> str:
    return f"{name}-0"


def played(name: str, seed_text: str) -> GameRecord:
    """Return a game of one hand that a referee's own table plays, with the rules of thumb of `BOT` at every seat."""
    seed = hashlib.sha256(seed_text.encode()).digest()
    commitment = commitment_of(seed)
    entry = _entry(name)
    seats = rules_of(name).seats()
    lineup = "+".join([BOT] * seats)
    spec = TableSpec(
        game_id=str(GameId(run_fingerprint("example", commitment), entry, lineup, 0, 0)),
        variant=name,
        options={"max_hands": 1},
        entry=entry,
        set_number=0,
        rotation=0,
        seed=seed,
        commitment=commitment,
        seats=tuple(SeatSpec(BOT, InstanceKey(BOT, 0)) for _ in range(seats)),
    )
    bots = [SeatRecord(BOT, "1.0", "sha256:" + "0" * 64)] * seats
    table = Table(spec, Conditions("substitute", "sandbox", "seat", TimeControl()), bots)
    table.start()
    while (due := table.due) is not None:
        table.answer(due.legal.index(choose(table.game.view(due.seat))), NS_PER_MS)
    assert table.record is not None, "nothing is due any more"
    return table.record


def main() -> None:
    """Regenerate all pages, and remove the pages of variants that are gone."""
    written = pages()
    FOLDER.mkdir(exist_ok=True)
    for old in set(FOLDER.glob("*.md")) - set(written):
        old.unlink()
    for path, text in written.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
