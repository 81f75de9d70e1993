"""Writes the missing games of `tests/fixtures`: `python -m tests.support.records.make_fixtures [--all]`.

For each variant and ending (`endings.py`), and each rule that an option brings in (`rules_shown.py`), it plays random
games and records the shortest one that shows it, as the referee records a game. All seeds are fixed: the same rules
give the same files. `--all` rewrites every fixture.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bowerbird.engine import Action, EngineError, Game, new_game, rules_of, variant_names
from bowerbird.harness.records.replay.replay import check
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.faults import FORFEIT, RESIGNED
from bowerbird.harness.records.values.game_record import Conditions, GameRecord, OptionValue, SeatRecord, TimeControl
from bowerbird.harness.records.values.run import GameId, commitment_of
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.game.table import Table
from bowerbird.harness.referee.spec import InstanceKey, SeatSpec, TableSpec
from tests.support.paths import ROOT
from tests.support.records.endings import ended_as, endings_of
from tests.support.records.rules_shown import RULES, rules_of_variant

FOLDER = ROOT / "tests" / "fixtures" / "games"
SEED = bytes(range(32))
MILLISECOND = 1_000_000
FIXTURE_OF = "fixtures"
BOTS = ("ann", "bob")
GAMES_TO_TRY = 400_000
TOO_MANY = 6
"""How many games with the wanted ending are compared; the shortest is kept."""

Options = dict[str, OptionValue]
Chooser = Callable[[Game, Random], Action]

SHY = frozenset({"pass", "decline", "drop", "keep"})


def anything(game: Game, rng: Random) -> Action:
    """Return any legal action, each equally likely."""
    return rng.choice(game.legal_actions())


def shyly(game: Game, rng: Random) -> Action:
    """Prefer actions that stay out of the hand."""
    legal = game.legal_actions()
    shy = [action for action in legal if action.kind in SHY]
    return rng.choice(shy if shy and rng.random() < 0.8 else legal)


def boldly(game: Game, rng: Random) -> Action:
    """Prefer actions that get into the hand."""
    legal = game.legal_actions()
    bold = [action for action in legal if action.kind not in SHY]
    return rng.choice(bold if bold and rng.random() < 0.8 else legal)


CHOOSERS: tuple[Chooser, ...] = (anything, shyly, boldly)


@dataclass(frozen=True)
class Found:
    """A game with the wanted ending: where its cards come from, and its actions."""

    options: Options
    set_number: int
    actions: tuple[tuple[int, Action], ...]
    """(seat, action)."""


def goals(variant: str, ending: str) -> list[Options]:
    """Return targets to try: low ones for short games, higher ones so that several seats can reach them together."""
    name = "target" if "target" in rules_of(variant).options else "start"
    if not ending.startswith("game-") and ending != "hand-king":
        return [{}]
    values = (2, 4, 8, 12) if ending in ("game-tie", "game-best-of-several") else (1, 2)
    return [{name: value} for value in values]


def switches(variant: str, ending: str) -> Options:
    """Return the options that this ending needs."""
    wanted: dict[str, Options] = {
        "hand-thrown-in": {"all_pass": "thrown_in"},
        "hand-claimed": {"jamboree": True},
        "hand-sweep": {"sweep_wins": True},
        "game-sweep": {"sweep_wins": True},
        "game-sweep-uncontested": {"sweep_wins": True, "uncontested_sweep_wins": True},
        "game-lap": {"lap": True, "slam": False},
        "game-slam": {"lap": False, "slam": True},
    }
    switched = wanted.get(ending, {})
    if ending == "game-best-of-several" and variant in ("three-handed", "cut-throat"):
        switched = {"simultaneous_win": "highest"}
    return {name: value for name, value in switched.items() if name in rules_of(variant).options}


def attempts(variant: str, ending: str) -> list[Options]:
    """Return the options under which to look for this ending, the options of short games first."""
    if ending in RULES:
        made: list[Options] = [RULES[ending].options]
    elif ending.startswith("game-limit"):
        made = [{"max_hands": 1}, {"max_hands": 2}]
    else:
        limit: Options = {"max_hands": 1} if goals(variant, ending) == [{}] else {}
        made = [{**switches(variant, ending), **goal, **limit} for goal in goals(variant, ending)]
    return [dict(rules_of(variant).resolve(options)) for options in made]


def entry_of(variant: str) -> str:
    """Return the variant's entry name, a field of the stream that packs are drawn from."""
    return f"{variant}-0"


def begun(variant: str, options: Options, set_number: int) -> Game:
    """Return a game before its first decision."""
    return new_game(variant, options, seed=SEED, entry=entry_of(variant), set_number=set_number)


def played(variant: str, options: Options, set_number: int) -> tuple[Game, tuple[tuple[int, Action], ...]]:
    """Play a random game; stop after 40 hands. Return the game and its actions."""
    rng = Random(f"{variant} {sorted(options.items())} {set_number}")
    chooser = CHOOSERS[set_number % len(CHOOSERS)]
    game = begun(variant, options, set_number)
    made = []
    while game.actor is not None and game.hand_number < 40:
        action = chooser(game, rng)
        made.append((game.actor, action))
        game.apply(action)
    return game, tuple(made)


def searched(variant: str, ending: str) -> Iterator[Found]:
    """Yield games with this ending, or in which this rule takes effect."""
    options = attempts(variant, ending)
    for number in range(GAMES_TO_TRY):
        tried = options[number % len(options)]
        if ending in RULES and not RULES[ending].dealt(begun(variant, tried, number)):
            continue
        game, made = played(variant, tried, number)
        is_shown = RULES[ending].shown if ending in RULES else None
        if game.is_over and (is_shown(game, made) if is_shown else ending in ended_as(game, game.ended)):
            yield Found(tried, number, made)


def shortest(variant: str, ending: str) -> Found:
    """Return the game with the fewest decisions among the first few with this ending. Raise LookupError if none."""
    found: list[Found] = []
    enough = 1 if ending in ("hand-claimed", "rule-jamboree-listed") else TOO_MANY
    for game in searched(variant, ending):
        found.append(game)
        if len(found) == enough:
            break
    if not found:
        raise LookupError(f"{variant}: no game of {GAMES_TO_TRY} ends by {ending}")
    return min(found, key=lambda game: len(game.actions))


def table_of(variant: str, options: Options, set_number: int) -> Table:
    """Return the referee's table for a game with ann and bob at alternate seats."""
    seats = tuple(SeatSpec(BOTS[k % 2], InstanceKey(BOTS[k % 2], k)) for k in range(rules_of(variant).seats(options)))
    spec = TableSpec(
        game_id=str(GameId(FIXTURE_OF, entry_of(variant), "+".join(BOTS), set_number, 0)),
        variant=variant,
        options=options,
        entry=entry_of(variant),
        set_number=set_number,
        rotation=0,
        seed=SEED,
        commitment=commitment_of(SEED),
        seats=seats,
        on_fault=FORFEIT,
    )
    conditions = Conditions(FORFEIT, "none", "seat", TimeControl())
    return Table(spec, conditions, [SeatRecord(seat.bot, "1.0", f"sha256:{seat.bot}") for seat in seats])


def recorded(variant: str, found: Found) -> GameRecord:
    """Return the record that the referee makes of a game."""
    by_seat: dict[int, list[Action]] = {}
    for seat, action in found.actions:
        by_seat.setdefault(seat, []).append(action)
    table = table_of(variant, found.options, found.set_number)
    table.start()
    while table.record is None:
        due = table.due
        assert due is not None
        table.answer(due.legal.index(by_seat[due.seat][due.number]), 3 * MILLISECOND)
    return table.record


def forfeited(variant: str) -> GameRecord:
    """Return a game that the third seat to decide gives up."""
    table = table_of(variant, dict(rules_of(variant).resolve({})), 0)
    table.start()
    for _ in range(2):
        table.answer(0, 0)
    assert table.due is not None
    table.leave(table.due.seat, Fault(RESIGNED, "it said so", 0, 0))
    assert table.record is not None
    return table.record


def make(variant: str, ending: str) -> str:
    """Return the text of a fixture."""
    record = forfeited(variant) if ending == "game-forfeit" else recorded(variant, shortest(variant, ending))
    check(record, SEED)
    return canonical(record)


def fixtures_of(variant: str) -> list[str]:
    """Return the names of a variant's fixtures: its endings, and the rules that options bring in."""
    return [*endings_of(variant), *rules_of_variant(variant)]


def path_of(variant: str, ending: str) -> Path:
    """Return the path of a fixture."""
    return FOLDER / variant / f"{ending}.toml"


def main() -> None:
    """Write the missing fixtures, or all of them."""
    anew = "--all" in sys.argv[1:]
    failed = False
    for variant in variant_names():
        for ending in fixtures_of(variant):
            path = path_of(variant, ending)
            if path.exists() and not anew:
                continue
            try:
                text = make(variant, ending)
            except (LookupError, EngineError) as error:
                print(f"{variant} {ending}: {error}", file=sys.stderr, flush=True)
                failed = True
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"{path.relative_to(FOLDER.parent)}: {len(text)} bytes", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
