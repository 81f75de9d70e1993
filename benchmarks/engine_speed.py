"""Speed of the rules engine, variant by variant: `make bench ARGS=engine`.

Measures CPU time on one core, with random play. Every figure is the median of several rounds. Rounds of all variants
alternate, so other load on the machine affects all of them. If OpenSpiel is installed, its euchre is played in the same
rounds, including its own deal, by the same kind of Python loop.

    decisions/s   whole games under default options (at most 100 hands), settled once; the seeded shuffle and the deal
                  are included
    hands/s       hands in these games
    playout       decisions/s of playouts: a position is copied and played to the end of its hand, including the copy
    copy, view    microseconds of `copy()` and of `view(actor)`, including legal actions, anywhere in a hand
    sampler       microseconds to make a `Sampler` of such a view; draw: to draw one game from it

The figures are for people; no test asserts them. Aims: euchre has at least as many hands/s as OpenSpiel;
each variant 350,000 decisions/s (double pack 250,000), 450,000 in playouts, copy under 1, view under 5 microseconds.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from importlib.util import find_spec
from random import Random
from statistics import median
from types import ModuleType
from typing import TypeVar

from bowerbird.engine import Game, Sampler, new_game, rules_of, variant_names

Item = TypeVar("Item")

DOUBLE_PACK = "cornish, 50 cards"
SETTINGS: dict[str, tuple[str, dict[str, object]]] = {
    **{name: (name, {}) for name in variant_names()},
    DOUBLE_PACK: ("cornish", {"pack": 50}),
}
"""The measured settings: variant and options by name."""

MAX_HANDS = 100
POSITIONS = 60
OPENSPIEL = "OpenSpiel's euchre"
DEAL = 22
"""Chance moves of OpenSpiel's deal, each uniform over the allowed moves: the dealer, twenty cards, the upcard."""


@dataclass(frozen=True)
class Figures:
    """The figures of one round of a variant, or the medians of all rounds: rates a second, times in microseconds."""

    decisions: float
    hands: float
    playout: float
    copy: float
    view: float
    sampler: float
    draw: float


@dataclass(frozen=True)
class Aim:
    """A limit for a figure: at least `limit` if `least` is true, otherwise at most."""

    figure: str
    limit: float
    least: bool

    def missed(self, figures: Figures) -> bool:
        """Return whether the figures miss this limit."""
        value: float = getattr(figures, self.figure)
        return value < self.limit if self.least else value >= self.limit


def aims(name: str) -> tuple[Aim, ...]:
    """Return the aims for a variant (see the module's docstring)."""
    return (
        Aim("decisions", 250_000 if name == DOUBLE_PACK else 350_000, least=True),
        Aim("playout", 450_000, least=True),
        Aim("copy", 1.0, least=False),
        Aim("view", 5.0, least=False),
    )


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of a call."""
    began = time.process_time()
    work()
    return time.process_time() - began


def play_out(game: Game, draw: Callable[[], float]) -> int:
    """Play a game to its end at random. Return the number of decisions."""
    made = 0
    while game.actor is not None:
        legal = game.legal_actions()
        game.apply(legal[int(draw() * len(legal))])
        made += 1
    return made


class Bench:
    """The benchmark of one variant and its options: positions in its hands, created once, and its rounds."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.variant, given = SETTINGS[name]
        self.options = {
            hands: rules_of(self.variant).rules({**given, "max_hands": hands}).options for hands in (1, MAX_HANDS)
        }
        self.random = Random(name)
        self.draw = self.random.random
        self.sets = 0
        self.positions = list(self._positions())
        self.samplers = [Sampler(game.view(game.actor or 0)) for game in self.positions]
        self.rounds: list[Figures] = []

    def _game(self, hands: int) -> Game:
        self.sets += 1
        return new_game(self.variant, self.options[hands], seed=bytes(32), entry="bench", set_number=self.sets)

    def _positions(self) -> Iterator[Game]:
        """Return positions from anywhere in the hand, in games of one hand."""
        found = 0
        while found < POSITIONS:
            game = self._game(1)
            while game.actor is not None and found < POSITIONS:
                if self.draw() < 0.15:
                    yield game.copy()
                    found += 1
                legal = game.legal_actions()
                game.apply(legal[int(self.draw() * len(legal))])

    def round(self, budget: float) -> None:
        """Measure every figure once: whole games for `budget` seconds, and all others together for about as long."""
        made = hands = 0
        spent = 0.0
        while spent < budget:
            began = time.process_time()
            for _ in range(5):
                game = self._game(MAX_HANDS)
                made += play_out(game, self.draw)
                hands += len(game.results)
            spent += time.process_time() - began
        playing, played = self._playouts(budget / 2)
        self.rounds.append(
            Figures(
                decisions=made / spent,
                hands=hands / spent,
                playout=played / playing,
                copy=self._each(Game.copy, self.positions, 150),
                view=self._each(lambda game: game.view(game.actor or 0), self.positions, 30),
                sampler=self._each(lambda game: Sampler(game.view(game.actor or 0)), self.positions, 1),
                draw=self._each(lambda sampler: sampler.draw(self.random), self.samplers, 2),
            )
        )

    def _playouts(self, budget: float) -> tuple[float, int]:
        """Return CPU seconds and number of decisions."""
        made = 0
        spent = 0.0
        while spent < budget:
            began = time.process_time()
            for game in self.positions:
                made += play_out(game.copy(), self.draw)
            spent += time.process_time() - began
        return spent, made

    @staticmethod
    def _each(call: Callable[[Item], object], items: list[Item], times: int) -> float:
        """Return the mean microseconds of a call, over `times` calls for each item."""

        def work() -> None:
            for _ in range(times):
                for item in items:
                    call(item)

        return seconds(work) / (len(items) * times) * 1e6

    def medians(self) -> Figures:
        """Return the median of each figure over the rounds."""
        return Figures(**{f.name: median(getattr(one, f.name) for one in self.rounds) for f in fields(Figures)})


class OpenSpielBench:
    """OpenSpiel's euchre: whole hands with their deal, with its defaults, except that all may pass twice, as here."""

    def __init__(self, pyspiel: ModuleType) -> None:
        self.game = pyspiel.load_game("euchre", {"stick_the_dealer": False})
        self.draw = Random(0).random
        self.rounds: list[tuple[float, float]] = []

    def hand(self) -> int:
        """Play one hand at random. Return the number of players' decisions."""
        draw = self.draw
        state = self.game.new_initial_state()
        apply, legal_actions, is_terminal = state.apply_action, state.legal_actions, state.is_terminal
        made = -DEAL
        while not is_terminal():
            legal = legal_actions()
            apply(legal[int(draw() * len(legal))])
            made += 1
        return made

    def round(self, budget: float) -> None:
        """Measure once, for `budget` seconds."""
        made = hands = 0
        spent = 0.0
        while spent < budget:
            began = time.process_time()
            for _ in range(200):
                made += self.hand()
            spent += time.process_time() - began
            hands += 200
        self.rounds.append((made / spent, hands / spent))

    def medians(self) -> tuple[float, float]:
        """Return decisions and hands a second."""
        made, hands = zip(*self.rounds, strict=True)
        return median(made), median(hands)


def measure(names: list[str], rounds: int, budget: float) -> tuple[dict[str, Figures], tuple[float, float] | None]:
    """Return the medians of these variants, and OpenSpiel's decisions and hands a second if it is installed."""
    benches = [Bench(name) for name in names]
    oracle = OpenSpielBench(import_module("pyspiel")) if find_spec("pyspiel") else None
    for _ in range(rounds):
        for bench in benches:
            bench.round(budget)
        if oracle is not None:
            oracle.round(budget)
    return {bench.name: bench.medians() for bench in benches}, oracle.medians() if oracle is not None else None


def table(figures: dict[str, Figures], oracle: tuple[float, float] | None) -> Iterator[str]:
    """Return the report as lines, with missed aims last."""
    head = ("decisions/s", "hands/s", "playout/s", "copy µs", "view µs", "sampler µs", "draw µs")
    yield f"{'':<24}{head[0]:>12}{head[1]:>10}{head[2]:>11}{head[3]:>9}{head[4]:>9}{head[5]:>12}{head[6]:>9}"
    for name, f in figures.items():
        yield (
            f"{name:<24}{f.decisions:>12,.0f}{f.hands:>10,.0f}{f.playout:>11,.0f}"
            f"{f.copy:>9.2f}{f.view:>9.2f}{f.sampler:>12.0f}{f.draw:>9.1f}"
        )
    if oracle is None:
        yield "OpenSpiel is not installed (`make oracle`): nothing to compare euchre with"
    else:
        yield f"{OPENSPIEL:<24}{oracle[0]:>12,.0f}{oracle[1]:>10,.0f}"
    yield ""
    yield from misses(figures, oracle) or ("every aim is reached",)


def misses(figures: dict[str, Figures], oracle: tuple[float, float] | None) -> list[str]:
    """Return a line for each aim that is missed."""
    lines = []
    if oracle is not None and "euchre" in figures and figures["euchre"].hands < oracle[1]:
        share = figures["euchre"].hands / oracle[1]
        lines.append(f"missed: euchre has {share:.0%} of OpenSpiel's hands/s")
    for name, f in figures.items():
        for aim in aims(name):
            if aim.missed(f):
                sign = "at least" if aim.least else "under"
                lines.append(f"missed: {name}: {aim.figure} {getattr(f, aim.figure):,.2f}, aim {sign} {aim.limit:,.0f}")
    return lines


def main() -> None:
    """Measure what the command line selects, and print it."""
    parser = argparse.ArgumentParser(description="Measure the rules engine on this machine.")
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="by default all, and Cornish with 50 cards")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds; shows their median (default 5)")
    parser.add_argument("--seconds", type=float, default=0.3, help="seconds of games in each round (default 0.3)")
    asked = parser.parse_args()
    for name in asked.variants:
        if name not in SETTINGS:
            parser.error(f"there is no {name}; what can be measured: {', '.join(SETTINGS)}")
    figures, oracle = measure(asked.variants or list(SETTINGS), asked.rounds, asked.seconds)
    if asked.json:
        report = {
            "python": platform.python_version(),
            "rounds": asked.rounds,
            "variants": {name: asdict(f) for name, f in figures.items()},
            "openspiel": dict(zip(("decisions", "hands"), oracle, strict=True)) if oracle else None,
            "missed": misses(figures, oracle),
        }
        print(json.dumps(report, indent=2))
    else:
        print(f"Python {platform.python_version()}, {asked.rounds} rounds, medians")
        print("\n".join(table(figures, oracle)))
