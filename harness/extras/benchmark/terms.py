"""The terms of the benchmark: the games, opponents, clock and deals of each version.

A version never changes. Another game, bot or clock makes another version. The deals follow from the version and a seed.
The public seed is for comparison, and a secret one, with a commitment and published afterwards, is for claims.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.records.values.game_record import SHARED
from bowerbird.harness.referee.game.table import fresh_game
from bowerbird.harness.tournament.config.bot_paths import find_bot
from bowerbird.harness.tournament.config.toml.document import TomlDocument
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, tournament_of
from bowerbird.harness.tournament.plan import make_plan


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the benchmark.

    variants, ladder: the games, with their default options, and the bots that the agent meets.
    sets: the number of deal sets of each line-up. A set is one hand in every rotation of the seats.
    time: the clock. `per_decision` is the time that bots see. An agent also has the bank of each hand.
    """

    number: int
    variants: tuple[str, ...]
    ladder: tuple[str, ...]
    sets: int
    time: Mapping[str, str]

    @property
    def public_seed(self) -> str:
        """The public seed."""
        return f"bowerbird benchmark {self.number}"


VERSION = Version(
    number=1,
    variants=("euchre", "buck", "two-handed", "cut-throat", "railroad"),
    ladder=("random", "greedy", "pimc", "champion"),
    sets=10,
    time={"per_decision": "1s", "bank": "1h"},
)


def run_name(agent: str, version: Version = VERSION) -> str:
    """Return the name of an agent's run. The run's id follows from it and the seed."""
    return f"benchmark-{version.number}-{agent}"


def benchmark_file(
    agent: Path,
    name: str,
    *,
    secret: bool = False,
    sets: int | None = None,
    isolation: str = "",
    shared: bool = False,
    version: Version = VERSION,
) -> dict[str, Any]:
    """Return the tournament of a benchmark, as the tables of its file.

    agent: the bot.toml of the measured bot.
    name: its name in the records.
    secret: whether to draw the seed instead of using the public one.
    sets: fewer deal sets than the version has, as a trial. Such a result is not a result of the version.
    shared: whether one process plays all seats of a bot.
    """
    others = [{"path": str(find_bot(bot))} for bot in version.ladder]
    return {
        "tournament": {
            "name": run_name(name, version),
            "format": "gauntlet",
            "challengers": [name],
            "unit": "deals",
            "sets": version.sets if sets is None else sets,
            "packs": "common",
            **({} if secret else {"seed": version.public_seed}),
            **({"isolation": isolation} if isolation else {}),
            **({"instances": SHARED} if shared else {}),
        },
        "time": dict(version.time),
        "variant": [{"name": variant} for variant in version.variants],
        "bot": [{"path": str(agent), "name": name}, *others],
    }


def benchmark_deals(version: Version = VERSION) -> str:
    """Return the SHA-256 of the lines of `deal_lines`.

    It must never change, so that results of different machines, years and releases are comparable.
    """
    return hashlib.sha256(utf8("".join(f"{line}\n" for line in deal_lines(version)))).hexdigest()


def deal_lines(version: Version = VERSION) -> list[str]:
    """Return each deal of the public seed as a line: variant, number of its deal set, and the hands by seat.

    The lines are ordered by variant, as in the version, and then by set.
    """
    plan = make_plan(parsed(benchmark_file(find_bot(version.ladder[0]), "agent", version=version)))
    dealt: dict[tuple[int, int], str] = {}
    for played in plan.rounds():
        for spec in (spec for job in played.jobs for spec in job.tables()):
            number = int(spec.game_id.split("/")[-2])
            place = version.variants.index(spec.variant), number
            if place not in dealt:
                game = fresh_game(spec)
                hands = " | ".join(" ".join(game.view(seat).hand) for seat in range(game.players))
                dealt[place] = f"{spec.variant} {number}: {hands}"
    return [dealt[place] for place in sorted(dealt)]


def parsed(file: Mapping[str, Any]) -> TournamentFile:
    """Return the tournament from the tables of its file. Raises ConfigError."""
    return tournament_of(TomlDocument(file["tournament"]["name"], file, {}), Path())
