"""Bots' counts for scopes without a view in the store: several runs, or one of several sets of options."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from bowerbird.harness.records.values.faults import FAULT_KINDS
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.query_results import FaultRow, Pairing, Standing


def pairings_of(results: Iterable[GameResult]) -> list[Pairing]:
    """Return each bot's results against each opponent, by their names, counted as in the store's view `crosstable`.

    At each table every bot on another side, except a copy of the bot, is an opponent, once for each pair of sides.
    Games that were not played do not count.
    """
    counts: dict[tuple[str, str], list[int]] = {}
    for game in results:
        if not game.rated:
            continue
        pairs = {
            (game.bots[seat], game.bots[other], game.sides[seat], game.sides[other], game.pair_outcome(seat, other))
            for seat, other in permutations(range(len(game.bots)), 2)
            if game.sides[seat] != game.sides[other] and game.bots[seat] != game.bots[other]
        }
        for bot, opponent in {pair[:2] for pair in pairs}:
            counts.setdefault((bot, opponent), [0, 0, 0, 0])[0] += 1
        for bot, opponent, _, _, outcome in pairs:
            counts[bot, opponent][1 if outcome == 1 else 2 if outcome == 0.5 else 3] += 1
    return [_pairing(pair, counts[pair]) for pair in sorted(counts)]


def _pairing(pair: tuple[str, str], counts: Sequence[int]) -> Pairing:
    """Return a cell from its games, wins, draws and losses."""
    games, wins, draws, losses = counts
    return Pairing(*pair, games, wins, draws, losses, (wins + draws / 2) / (wins + draws + losses))


def standings_of(
    results: Sequence[GameResult],
    pairings: Sequence[Pairing],
    *,
    versions: Mapping[str, str],
    faults: Iterable[FaultRow] = (),
    decisions: Mapping[str, int] | None = None,
) -> list[Standing]:
    """Return each bot's counts, by name, without percentiles of times.

    pairings: the pairings of `results`.
    versions: the version of each bot.
    faults: the faults in the games of `results`.
    decisions: the number of decisions that each bot itself answered; None if unknown.
    """
    games: dict[str, int] = {}
    unplayed: dict[str, int] = {}
    missed = {str(game.id) for game in results if not game.rated}
    for game in results:
        for bot in set(game.bots):
            games[bot] = games.get(bot, 0) + game.rated
            unplayed[bot] = unplayed.get(bot, 0) + (not game.rated)
    counts = {bot: dict.fromkeys(FAULT_KINDS, 0) for bot in games}
    for fault in faults:
        if fault.bot in counts and fault.game not in missed:
            counts[fault.bot][fault.kind] = counts[fault.bot].get(fault.kind, 0) + 1
    against: dict[str, list[Pairing]] = {}
    for pairing in pairings:
        against.setdefault(pairing.bot, []).append(pairing)
    return [
        _with_pairs(
            Standing(
                bot=bot,
                version=versions.get(bot, ""),
                games=games[bot],
                wins=0,
                draws=0,
                losses=0,
                score=None,
                points_per_deal=None,
                faults=counts[bot],
                decisions=(decisions or {}).get(bot, 0),
                p50_ms=None,
                p99_ms=None,
                unplayed=unplayed[bot],
            ),
            against.get(bot, []),
        )
        for bot in sorted(games)
    ]


def _with_pairs(line: Standing, pairings: Collection[Pairing]) -> Standing:
    wins, draws, losses = (sum(getattr(one, name) for one in pairings) for name in ("wins", "draws", "losses"))
    pairs = wins + draws + losses
    score = (wins + draws / 2) / pairs if pairs else None
    return replace(line, wins=wins, draws=draws, losses=losses, score=score)


def merged_pairings(parts: Sequence[Sequence[Pairing]]) -> list[Pairing]:
    """Return the pairings of several collections of games that do not overlap."""
    if len(parts) == 1:
        return list(parts[0])
    sums: dict[tuple[str, str], tuple[int, int, int, int]] = {}
    for one in (pairing for part in parts for pairing in part):
        games, wins, draws, losses = sums.get((one.bot, one.opponent), (0, 0, 0, 0))
        sums[one.bot, one.opponent] = (games + one.games, wins + one.wins, draws + one.draws, losses + one.losses)
    return [_pairing(pair, sums[pair]) for pair in sorted(sums)]


def merged_standings(parts: Sequence[Sequence[Standing]]) -> list[Standing]:
    """Return each bot's counts in several collections of games that do not overlap.

    Points and percentiles of several collections are None, because they cannot be computed from the parts.
    """
    if len(parts) == 1:
        return list(parts[0])
    sums: dict[str, Standing] = {}
    for line in (line for part in parts for line in part):
        known = sums.get(line.bot)
        sums[line.bot] = _of_several(line) if known is None else _sum(known, line)
    return [sums[bot] for bot in sorted(sums)]


def _of_several(line: Standing) -> Standing:
    """Return a line without the values that cannot be computed from parts, even for a bot in only one part."""
    return replace(line, points_per_deal=None, p50_ms=None, p99_ms=None)


def _sum(one: Standing, other: Standing) -> Standing:
    wins, draws, losses = one.wins + other.wins, one.draws + other.draws, one.losses + other.losses
    pairs = wins + draws + losses
    kinds = {**one.faults, **other.faults}
    return Standing(
        bot=one.bot,
        version=one.version,
        games=one.games + other.games,
        wins=wins,
        draws=draws,
        losses=losses,
        score=(wins + draws / 2) / pairs if pairs else None,
        points_per_deal=None,
        faults={kind: one.faults.get(kind, 0) + other.faults.get(kind, 0) for kind in kinds},
        decisions=one.decisions + other.decisions,
        p50_ms=None,
        p99_ms=None,
        unplayed=one.unplayed + other.unplayed,
    )
