"""The simulated designs: who plays whom, how often, and how strong the bots are.

Each belongs to one family; `--only` selects families.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations, pairwise

import numpy as np

from benchmarks.ratings.generators import Table, World, alone, partners, teams
from benchmarks.ratings.truth import gap_of_normalised_elo, gap_of_sweep, limit, normalised_elo

SEATS, SETS, UNEQUAL, BRIDGES, SWEEPS, VERSIONS, NORMALISED, EQUAL, GAPS, BIAS, CHOSEN, SEASONS, HONEST, GIFTS = (
    "seats",
    "sets",
    "unequal",
    "bridges",
    "sweeps",
    "versions",
    "normalised",
    "equal",
    "gaps",
    "bias",
    "chosen",
    "seasons",
    "honest",
    "gifts",
)
FAMILIES = {
    SEATS: "coverage by the form of the table",
    SETS: "coverage by the number of deal sets",
    UNEQUAL: "coverage with 3 to 300 sets a pair",
    BRIDGES: "coverage across a bridge of few sets",
    SWEEPS: "coverage where perfect scores are likely",
    VERSIONS: "coverage for versions that play alike",
    NORMALISED: "coverage of normalised Elo",
    EQUAL: "equal bots: share of tables in which one is above another",
    GAPS: "power: pairs told apart, gain over Bonferroni, false ranks",
    BIAS: "estimated gaps, as a multiple of the true ones",
    CHOSEN: "adaptive runs: coverage, tables with a wrongly settled pair, pairs told apart",
    SEASONS: "leagues: the same, and seasons in which an equal version retires",
    HONEST: "collusion: tables of honest bots with a flag, by the spread of styles in Elo",
    GIFTS: "collusion: tables in which a bot that loses on purpose to a friend is found",
}

SHARED = 0.5
SEAT_ADVANTAGE = 0.3


@dataclass(frozen=True, slots=True)
class Chooser:
    """How an adaptive run chooses among tables that can each play any number of deal sets.

    total_sets, round_sets: as in a tournament file.
    by_lot: whether only sets drawn by lot determine the pairs; otherwise all sets do, as in runs before schedule 3.
        thinking_ms: each bot's thinking time in a game; bots that are not listed take 100 ms.
    epochs: the epochs in a season of a league, each of `total_sets`; 1 for a run.
    newcomer, before, enters: in a season, the new version, the previous version, and the first epoch of the new one,
        counted from 0.
    """

    total_sets: int
    round_sets: int = 32
    by_lot: bool = True
    thinking_ms: Mapping[str, int] | None = None
    epochs: int = 1
    newcomer: str = ""
    before: str = ""
    enters: int = 0


@dataclass(frozen=True, slots=True)
class Setting:
    """One draw of a design: the world, the tables, and the differences to measure.

    pairs: (bot, other) whose differences are measured; None for all.
    truth: each bot's true strength in Elo; only differences matter.
    normalised: each bot's true normalised Elo, if it is measured.
    chooser: how an adaptive run chooses (it ignores the deal sets of the tables); None if the tables are played.
    """

    world: World
    tables: tuple[Table, ...]
    truth: Mapping[str, float]
    pairs: tuple[tuple[str, str], ...] | None = None
    normalised: Mapping[str, float] | None = None
    chooser: Chooser | None = None


@dataclass(frozen=True, slots=True)
class Design:
    """A design. `draw` returns a setting, which differs each time if part of it is random."""

    family: str
    name: str
    draw: Callable[[np.random.Generator], Setting]


def designs() -> list[Design]:
    """Return all designs, by family."""
    return [
        *_by_seats(),
        *_by_sets(),
        *_unequal(),
        *_bridges(),
        *_sweeps(),
        *_versions(),
        *_normalised_elo(),
        *_equal(),
        *_gaps(),
        *_bias(),
        *_chosen(),
        *_seasons(),
        *_honest(),
        *_gifts(),
    ]


def ladder(bots: int, gap: float) -> dict[str, float]:
    """Return the strengths of b00, b01, ... in Elo, each `gap` above the previous one."""
    return {f"b{number:02}": gap * number for number in range(bots)}


def world_of(strengths: Mapping[str, float]) -> World:
    """Return the usual world for these strengths."""
    return World(strengths, SHARED, SEAT_ADVANTAGE)


def fixed(family: str, name: str, setting: Callable[[], Setting]) -> Design:
    """Return a design with a fixed setting, which is made when first needed."""
    made = cache(setting)
    return Design(family, name, lambda _: made())


def plain(world: World, tables: Sequence[Table]) -> Setting:
    """Return a setting that measures all differences."""
    return Setting(world, tuple(tables), world.strengths)


def round_robin(bots: Sequence[str], sets: int, *, common: bool = False, first: int = 0) -> list[Table]:
    """Return a table of two seats for each pair of bots, with common packs or its own packs.

    first: the number of the first deal set.
    """
    starts = [first + (0 if common else sets * number) for number in range(len(bots) * (len(bots) - 1) // 2)]
    return [alone(pair, range(start, start + sets)) for start, pair in zip(starts, combinations(bots, 2), strict=True)]


def _by_seats() -> list[Design]:
    def one_table(seats: int) -> Setting:
        strengths = ladder(seats, 60)
        return plain(world_of(strengths), [alone(tuple(strengths), range(40))])

    def every_table() -> Setting:
        strengths = ladder(6, 60)
        return plain(world_of(strengths), [alone(table, range(20)) for table in combinations(strengths, 4)])

    def by_teams() -> Setting:
        strengths = ladder(4, 60)
        return plain(world_of(strengths), [teams(*pair, range(40)) for pair in combinations(strengths, 2)])

    def mixed() -> Setting:
        strengths = ladder(4, 60)
        a, b, c, d = strengths
        tables = [partners(*four, range(40)) for four in ((a, b, c, d), (a, c, b, d), (a, d, b, c))]
        return plain(world_of(strengths), tables)

    def copies() -> Setting:
        strengths = ladder(3, 60)
        tables = [alone((one, rest, rest, rest), range(40)) for one in strengths for rest in strengths if one != rest]
        return plain(world_of(strengths), tables)

    def with_luck() -> Setting:
        strengths = ladder(4, 60)
        world = World(strengths, 0.0, SEAT_ADVANTAGE, luck=1.0)
        tables = (alone(tuple(strengths), range(40)),)
        return Setting(world, tables, limit(world, tables))

    return [
        *(fixed(SEATS, f"{seats} seats, {seats} bots", partial(one_table, seats)) for seats in (2, 3, 4, 5, 7)),
        fixed(SEATS, "4 seats, 6 bots, common packs", every_table),
        fixed(SEATS, "4 seats, luck in the weights", with_luck),
        fixed(SEATS, "teams, 4 bots", by_teams),
        fixed(SEATS, "mixed partners, 4 bots", mixed),
        fixed(SEATS, "one against copies, 3 bots", copies),
    ]


def _by_sets() -> list[Design]:
    def pairs(sets: int) -> Setting:
        strengths = ladder(4, 60)
        return plain(world_of(strengths), round_robin(tuple(strengths), sets))

    def tables(sets: int) -> Setting:
        strengths = ladder(4, 60)
        return plain(world_of(strengths), [alone(tuple(strengths), range(sets))])

    return [
        *(fixed(SETS, f"2 seats, 4 bots, {n} sets a pair", partial(pairs, n)) for n in (2, 5, 10, 40)),
        *(fixed(SETS, f"4 seats, 4 bots, {n} sets", partial(tables, n)) for n in (2, 5, 10, 40)),
    ]


def _unequal() -> list[Design]:
    def draw(bots: int, path: bool, rng: np.random.Generator) -> Setting:
        strengths = dict(zip(ladder(bots, 0), rng.normal(0, 60, bots).tolist(), strict=True))
        names, tables, first = tuple(strengths), list[Table](), 0
        for pair in pairwise(names) if path else combinations(names, 2):
            sets = round(3 * 100 ** rng.random())
            tables.append(alone(pair, range(first, first + sets)))
            first += sets
        return plain(world_of(strengths), tables)

    return [
        Design(UNEQUAL, "4 bots, all pairs", partial(draw, 4, False)),
        Design(UNEQUAL, "8 bots, all pairs", partial(draw, 8, False)),
        Design(UNEQUAL, "6 bots, each with the next", partial(draw, 6, True)),
    ]


def _bridges() -> list[Design]:
    """Two groups of four bots with 40 sets a pair within each group. At the bridge, bots of the two groups meet."""

    def draw(sets: int, bridge: Sequence[str], rng: np.random.Generator) -> Setting:
        offset = rng.uniform(-200, 200)
        left = {f"left{number}": 40.0 * number for number in range(4)}
        right = {f"right{number}": offset + 40.0 * number for number in range(4)}
        inside = round_robin(tuple(left), 40)
        first = inside[-1].numbers.stop
        inside += round_robin(tuple(right), 40, first=first)
        first = inside[-1].numbers.stop
        world = world_of({**left, **right})
        across = tuple((one, another) for one in left for another in right)
        return Setting(world, (*inside, alone(bridge, range(first, first + sets))), world.strengths, across)

    two, four = ("left3", "right0"), ("left0", "right0", "left3", "right3")
    return [
        *(Design(BRIDGES, f"2 seats, {n} sets", partial(draw, n, two)) for n in (2, 3, 5, 8)),
        *(Design(BRIDGES, f"4 seats, {n} sets", partial(draw, n, four)) for n in (2, 3, 5, 8)),
    ]


def _sweeps() -> list[Design]:
    def two(sets: int, chance: float) -> Setting:
        strengths = {"a": gap_of_sweep(sets, chance, SHARED, SEAT_ADVANTAGE), "b": 0.0}
        return plain(world_of(strengths), [alone(("a", "b"), range(sets))])

    def beaten_by_all(sets: int) -> Setting:
        strengths = {**ladder(3, 60), "random": -gap_of_sweep(sets, 0.5, SHARED, SEAT_ADVANTAGE)}
        pairs = tuple((bot, "random") for bot in strengths if bot != "random")
        return Setting(world_of(strengths), tuple(round_robin(tuple(strengths), sets)), strengths, pairs)

    return [
        *(
            fixed(SWEEPS, f"{sets} sets, {chance:.0%} perfect", partial(two, sets, chance))
            for sets in (2, 5, 10, 40)
            for chance in (0.9, 0.5, 0.1)
        ),
        fixed(SWEEPS, "10 sets a pair, the last of 4 bots", partial(beaten_by_all, 10)),
    ]


def _versions() -> list[Design]:
    """Two versions of one bot and two other bots, with common packs; the versions differ in a share of their games."""

    def draw(gap: float, slips: float) -> Setting:
        strengths = {"old": 0.0, "new": gap, "other": 50.0, "third": -50.0}
        world = World(strengths, SHARED, SEAT_ADVANTAGE, 0.0, {"old": "old", "new": "old"}, slips)
        return Setting(world, tuple(round_robin(tuple(strengths), 100, common=True)), strengths, (("new", "old"),))

    return [
        fixed(VERSIONS, f"100 sets, {gap:g} Elo apart, {slips:.0%} slips", partial(draw, gap, slips))
        for gap, slips in ((0.0, 0.02), (0.0, 0.1), (20.0, 0.0), (20.0, 0.1))
    ]


def _normalised_elo() -> list[Design]:
    @cache
    def gap(target: int) -> float:
        return gap_of_normalised_elo(target, SHARED, SEAT_ADVANTAGE)

    def two(target: int, sets: int) -> Setting:
        strengths = {"a": gap(target), "b": 0.0}
        true = normalised_elo(strengths["a"], SHARED, SEAT_ADVANTAGE)
        tables = (alone(("a", "b"), range(sets)),)
        return Setting(world_of(strengths), tables, strengths, normalised={"a": true, "b": -true})

    return [
        fixed(NORMALISED, f"nElo {target}, {sets} sets", partial(two, target, sets))
        for sets in (50, 200)
        for target in (50, 200, 400, 700)
    ]


def _equal() -> list[Design]:
    def own(bots: int, sets: int) -> Setting:
        strengths = ladder(bots, 0)
        return plain(world_of(strengths), round_robin(tuple(strengths), sets))

    def common(bots: int, sets: int) -> Setting:
        strengths = ladder(bots, 0)
        return plain(world_of(strengths), round_robin(tuple(strengths), sets, common=True))

    def table() -> Setting:
        strengths = ladder(5, 0)
        return plain(world_of(strengths), [alone(tuple(strengths), range(40))])

    return [
        *(
            fixed(EQUAL, f"{bots} bots, {sets} sets a pair", partial(own, bots, sets))
            for bots, sets in ((5, 40), (10, 5), (10, 40), (20, 20))
        ),
        fixed(EQUAL, "10 bots, 40 sets, common packs", partial(common, 10, 40)),
        fixed(EQUAL, "5 bots at 5 seats, 40 sets", table),
    ]


def _gaps() -> list[Design]:
    def neighbours(gap: float) -> Setting:
        strengths = ladder(8, gap)
        return plain(world_of(strengths), round_robin(tuple(strengths), 40))

    def clusters(gap: float) -> Setting:
        strengths = {bot: gap * (number // 4) for number, bot in enumerate(ladder(8, 0))}
        return plain(world_of(strengths), round_robin(tuple(strengths), 40))

    return [
        *(fixed(GAPS, f"8 bots, {gap} Elo between neighbours", partial(neighbours, gap)) for gap in (25, 52, 100)),
        fixed(GAPS, "two groups of 4 equal bots, 100 Elo", partial(clusters, 100)),
    ]


def _bias() -> list[Design]:
    def pairs(sets: int) -> Setting:
        strengths = ladder(4, 100)
        return plain(world_of(strengths), round_robin(tuple(strengths), sets))

    def table(sets: int) -> Setting:
        strengths = ladder(4, 100)
        return plain(world_of(strengths), [alone(tuple(strengths), range(sets))])

    return [
        *(fixed(BIAS, f"2 seats, 4 bots, {n} sets a pair", partial(pairs, n)) for n in (2, 5, 10, 40)),
        *(fixed(BIAS, f"4 seats, 4 bots, {n} sets", partial(table, n)) for n in (2, 5, 10, 40)),
    ]


def _chosen() -> list[Design]:
    """Adaptive runs, including those from before schedule 3, and round-robins with the same number of deal sets."""

    def draw(rng: np.random.Generator, *, bots: int, spread: float, chooser: Chooser | None, sets: int) -> Setting:
        names = tuple(ladder(bots, 0))
        strengths = dict(zip(names, rng.normal(0, spread, bots).tolist(), strict=True)) if spread else ladder(bots, 0)
        if chooser is None:
            return plain(world_of(strengths), _by_chance(rng, names, sets))
        return Setting(world_of(strengths), tuple(round_robin(names, 1)), strengths, chooser=chooser)

    def four_seats(rng: np.random.Generator, *, as_partners: bool) -> Setting:
        strengths = ladder(6, 0)
        tables = [
            made
            for a, b, c, d in combinations(strengths, 4)
            for made in (
                [partners(a, b, c, d, range(1)), partners(a, c, b, d, range(1)), partners(a, d, b, c, range(1))]
                if as_partners
                else [alone((a, b, c, d), range(1))]
            )
        ]
        return Setting(world_of(strengths), tuple(tables), strengths, chooser=Chooser(200))

    def named(name: str, bots: int, sets: int, spread: float, chooser: Chooser | None) -> Design:
        of = f"sd {spread:g}" if spread else "equal"
        made = partial(draw, bots=bots, spread=spread, chooser=chooser, sets=sets)
        return Design(CHOSEN, f"{name}, {bots} bots, {sets} sets, {of}", made)

    slow = {"b00": 2000, "b01": 500}
    return [
        *(named("chosen", bots, sets, 0, Chooser(sets, by_lot=False)) for bots, sets in EQUAL_CHOSEN[3:5]),
        *(named("by lot", bots, sets, 0, Chooser(sets)) for bots, sets in EQUAL_CHOSEN),
        *(named("by lot", bots, sets, spread, Chooser(sets)) for bots, sets, spread in GAPS_OF_CHOSEN),
        *(named("in turn", bots, sets, spread, None) for bots, sets, spread in GAPS_OF_CHOSEN),
        named("slow, lot", 6, 200, 0, Chooser(200, thinking_ms=slow)),
        named("slow, lot", 12, 600, 0, Chooser(600, thinking_ms=slow)),
        Design(CHOSEN, "by lot, 4 seats, 6 bots, 200 sets", partial(four_seats, as_partners=False)),
        Design(CHOSEN, "by lot, partners, 6 bots, 200 sets", partial(four_seats, as_partners=True)),
    ]


EQUAL_CHOSEN = (
    *((4, 60), (4, 400), (8, 60), (6, 200), (12, 300)),
    *((12, 900), (12, 2000), (16, 480), (40, 1000), (40, 2000)),
)
"""The numbers of bots and deal sets of adaptive runs of equal bots. The fourth and fifth also show the older rule."""

GAPS_OF_CHOSEN = ((12, 300, 25), (12, 300, 150), (12, 900, 150), (16, 480, 200), (40, 2000, 200))
"""The numbers of bots and deal sets, and the spread of the strengths in Elo: adaptive runs against round-robins."""


def _seasons() -> list[Design]:
    """Seasons of a league: eight bots, twelve epochs, and a new version of the first bot from the fourth epoch on."""

    def draw(rng: np.random.Generator, *, spread: float, by_lot: bool) -> Setting:
        names = tuple(ladder(8, 0))
        strengths = dict(zip(names, rng.normal(0, spread, len(names)).tolist(), strict=True))
        strengths["b01"] = strengths["b00"]
        chooser = Chooser(100, by_lot=by_lot, epochs=12, newcomer="b01", before="b00", enters=3)
        return Setting(world_of(strengths), tuple(round_robin(names, 1)), strengths, chooser=chooser)

    return [
        Design(SEASONS, "chosen, 12 epochs of 100, equal", partial(draw, spread=0.0, by_lot=False)),
        Design(SEASONS, "by lot, 12 epochs of 100, equal", partial(draw, spread=0.0, by_lot=True)),
        Design(SEASONS, "by lot, 12 epochs of 100, sd 100", partial(draw, spread=100.0, by_lot=True)),
    ]


def _by_chance(rng: np.random.Generator, bots: Sequence[str], sets: int) -> list[Table]:
    """Return a round-robin of the same number of deal sets, with each round in random order."""
    pairs = list(combinations(bots, 2))
    order = [place for _ in range(-(-sets // len(pairs))) for place in rng.permutation(len(pairs)).tolist()]
    return [alone(pairs[place], range(number, number + 1)) for number, place in enumerate(order[:sets])]


STRENGTHS = 100.0
"""The standard deviation of the bots' strengths in the collusion designs, in Elo."""


def _companies() -> dict[str, Callable[[np.random.Generator, Sequence[str], int], list[Table]]]:
    """Return who meets whom, by name. Bots that meet do so in this number of deal sets (approximately in `four`)."""

    def four(rng: np.random.Generator, bots: Sequence[str], sets: int) -> list[Table]:
        tables = round(sets * len(bots) * (len(bots) - 1) / 12)
        return [
            alone([bots[place] for place in rng.choice(len(bots), 4, replace=False)], range(number, number + 1))
            for number in range(tables)
        ]

    def gauntlet(_: np.random.Generator, bots: Sequence[str], sets: int) -> list[Table]:
        met = [(one, other) for one in bots[:3] for other in bots[3:]]
        return [alone(pair, range(sets * number, sets * (number + 1))) for number, pair in enumerate(met)]

    return {
        "2 seats": lambda _, bots, sets: round_robin(bots, sets),
        "common packs": lambda _, bots, sets: round_robin(bots, sets, common=True),
        "4 seats": four,
        "gauntlet": gauntlet,
    }


def _company(rng: np.random.Generator, *, company: str, bots: int, sets: int, spread: float, given: float) -> Setting:
    """Return bots of random strengths, whose styles suit or hurt each other at random.

    company: a key of `_companies`.
    sets: the deal sets in which two bots meet.
    spread: standard deviation in Elo of how much better a bot plays against another than its strength suggests.
    given: share of the games of both in which b00 loses on purpose to b01.
    """
    strengths = dict(zip(ladder(bots, 0), rng.normal(0, STRENGTHS, bots).tolist(), strict=True))
    styles = {pair: float(rng.normal(0, spread)) for pair in combinations(strengths, 2)} if spread else {}
    gifts = {("b00", "b01"): given} if given else {}
    world = World(strengths, SHARED, SEAT_ADVANTAGE, styles=styles, gifts=gifts)
    return plain(world, _companies()[company](rng, tuple(strengths), sets))


def _honest() -> list[Design]:
    rows = [
        ("2 seats", 3, 40, (0, 50)),
        *(("2 seats", 5, sets, (0, 25, 50)) for sets in (10, 40, 200)),
        ("2 seats", 5, 40, (100,)),
        *(("2 seats", 10, sets, (0, 25, 50)) for sets in (10, 40)),
        ("2 seats", 10, 200, (50,)),
        ("2 seats", 20, 10, (0, 50)),
        ("2 seats", 20, 40, (25,)),
        *(("4 seats", 5, sets, (0, 50)) for sets in (10, 40, 200)),
        *(("4 seats", 10, sets, (0, 50)) for sets in (10, 40)),
        ("4 seats", 20, 10, (25,)),
        *(("gauntlet", 8, sets, (0, 50)) for sets in (10, 40)),
        *(("common packs", 10, sets, (0, 50)) for sets in (10, 40)),
    ]
    return [
        Design(
            HONEST,
            f"{company}, {bots} bots, {sets} sets, ±{spread}",
            partial(_company, company=company, bots=bots, sets=sets, spread=spread, given=0.0),
        )
        for company, bots, sets, spreads in rows
        for spread in spreads
    ]


def _gifts() -> list[Design]:
    rows = [
        *(("2 seats", 5, sets) for sets in (10, 40, 200)),
        *(("2 seats", 10, sets) for sets in (10, 40, 200)),
        *(("4 seats", 10, sets) for sets in (10, 40, 200)),
    ]
    return [
        Design(
            GIFTS,
            f"{company}, {bots} bots, {sets} sets, {given:.0%}",
            partial(_company, company=company, bots=bots, sets=sets, spread=25.0, given=given),
        )
        for company, bots, sets in rows
        for given in (0.1, 0.3, 1.0)
    ]
