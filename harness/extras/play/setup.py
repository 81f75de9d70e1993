"""The person's choice of game, and the plan of the run for it: one game at fixed seats."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count, cycle
from pathlib import Path

from bowerbird.engine import OptionValue, resolve_options, rules_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.records.values.run import LONGEST_NAME
from bowerbird.harness.referee.spec import TableSpec
from bowerbird.harness.tournament.config.bot_paths import find_bot
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, quick_match
from bowerbird.harness.tournament.errors import TournamentError
from bowerbird.harness.tournament.lineups import FIXED
from bowerbird.harness.tournament.plan import SEED_BYTES, Plan, make_plan


class PlayError(TournamentError):
    """A game cannot begin or went wrong; `args[0]` is a sentence."""


HUMAN = "human"
"""The bundled bot that a person plays through, and its name in the record."""

BANK_MS = 23 * 3_600_000
"""The bank of each seat, which lets a person think for most of a day. Bots have a separate time for a decision."""

SOCKET, SECRET = "HUMAN_SOCKET", "HUMAN_SECRET"
"""The environment variables that lead the bot `human` to the program that shows the game."""


@dataclass(frozen=True, slots=True)
class Setup:
    """One game to be played.

    variant, options: the game, with the options as typed.
    bots: the name or path of the bot at each seat; HUMAN at `seat`.
    seed: the typed seed; "" if it was drawn.
    secret: the drawn seed in hex; "" if it was typed.
    name: the name of the run.
    isolation: the tier; "" for the best one that works.
    think_ms: the bots' time for a decision.
    """

    variant: str
    options: Mapping[str, str]
    bots: tuple[str, ...]
    seat: int
    seed: str = field(repr=False)
    secret: str = field(repr=False)
    name: str
    isolation: str = ""
    think_ms: int = 1000

    def fields(self) -> dict[str, object]:
        """Return the fields as JSON types."""
        return asdict(self)

    @classmethod
    def from_fields(cls, fields: Mapping[str, object]) -> Setup:
        """Return the setup with these fields; the inverse of `fields`."""
        return cls(**{**fields, "bots": tuple(fields["bots"])})  # type: ignore[arg-type]  # written by `fields`

    @property
    def resolved(self) -> Mapping[str, OptionValue]:
        """Every option with its value."""
        return resolve_options(self.variant, dict(self.options))

    def again(self) -> Setup:
        """Return the same game with the same cards. Its seed is known by now, so it becomes a typed seed."""
        return replace(self, seed=self.seed or self.secret, secret="")

    def anew(self) -> Setup:
        """Return the same game with other cards."""
        return replace(self, seed="", secret=secrets.token_hex(SEED_BYTES))


def new_setup(
    variant: str,
    options: Mapping[str, str],
    *,
    opponents: Sequence[str],
    partner: str = "",
    seat: int = 0,
    seed: str = "",
    isolation: str = "",
    think_ms: int = 1000,
) -> Setup:
    """Return a setup. Raises PlayError if the table cannot be set up, EngineError for a wrong variant or option.

    opponents: the bots at the other seats, in turn.
    partner: the bot at the other seats of the person's side; "" for the opponents there, too.
    """
    resolved = resolve_options(variant, dict(options))
    rules = rules_of(variant)
    players, sides = rules.seats(resolved), rules.teams(resolved)
    if not 0 <= seat < players:
        raise PlayError(f"there is no seat {seat}; {variant} has seats 0 to {players - 1}")
    if partner and sides is None:
        raise PlayError(f"{variant} has no fixed partners; leave out --partner")
    own = next((side for side in sides or () if seat in side), (seat,))
    bots = []
    others = cycle(opponents)
    for number in range(players):
        if number == seat:
            bots.append(HUMAN)
        elif partner and number in own:
            bots.append(partner)
        else:
            bots.append(next(others))
    return seated(variant, options, bots, seed=seed, isolation=isolation, think_ms=think_ms)


def seated(
    variant: str,
    options: Mapping[str, str],
    bots: Sequence[str],
    *,
    seed: str = "",
    isolation: str = "",
    think_ms: int = 1000,
) -> Setup:
    """Return a setup with these bots by seat, exactly one of which is HUMAN. Raises the errors of `new_setup`."""
    players = rules_of(variant).seats(resolve_options(variant, dict(options)))
    if len(bots) != players:
        raise PlayError(f"{variant} has {players} seats; got {len(bots)} bots")
    if bots.count(HUMAN) != 1:
        raise PlayError("exactly one seat must be yours")
    return Setup(
        variant=variant,
        options=dict(options),
        bots=tuple(bots),
        seat=bots.index(HUMAN),
        seed=seed,
        secret="" if seed else secrets.token_hex(SEED_BYTES),
        name=f"play-{variant}"[:LONGEST_NAME],
        isolation=isolation,
        think_ms=think_ms,
    )


def plan_of(setup: Setup) -> Plan:
    """Return the plan of the run. Raises TournamentError or EngineError."""
    file = _file(setup)
    return make_plan(file, None if setup.seed else bytes.fromhex(setup.secret))


def _file(setup: Setup) -> TournamentFile:
    file = quick_match(
        [find_bot(bot) for bot in setup.bots],
        {setup.variant: {**setup.options}},
        sets=1,
        seed=setup.seed,
        name=setup.name,
        settings={
            "lineup": FIXED,
            "rated": False,
            **({"isolation": setup.isolation} if setup.isolation else {}),
        },
    )
    return replace(file, time=TimeControl(per_decision_ms=setup.think_ms, bank_ms=BANK_MS))


def new_run(setup: Setup, store: Store) -> tuple[Setup, Plan]:
    """Return the setup under a name that makes it a new run, and its plan.

    The same seed and table under the same name would be the same run. Raises the errors of `plan_of`.
    """
    name = setup.name
    for number in count(2):
        plan = plan_of(setup)
        if store[plan.header.fingerprint].header() is None:
            return setup, plan
        suffix = f"-{number}"
        setup = replace(setup, name=name[: LONGEST_NAME - len(suffix)] + suffix)
    raise AssertionError("count never ends")


def with_person(plan: Plan, socket: Path, secret: str) -> Plan:
    """Return the plan with the bot `human` connecting to the program that shows the game."""
    bots = tuple(
        replace(bot, private={SOCKET: str(socket), SECRET: secret}, read=(socket,))
        if bot.source == find_bot(HUMAN)
        else bot
        for bot in plan.file.bots
    )
    return replace(plan, file=replace(plan.file, bots=bots))


def table_of(plan: Plan) -> TableSpec:
    """Return the only table of a plan."""
    first = next(plan.rounds(), None)
    assert first is not None  # a plan at fixed seats has one round of one job
    return first.jobs[0].tables()[0]
