"""Scopes: results of other options, units or clocks are never rated together (ratings.md, What the standings say)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.engine import rules_of
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.ratings.standings.head_to_head import HeadToHeads
from bowerbird.harness.ratings.standings.overview import Leaderboard, _on_own_scales, overview
from bowerbird.harness.ratings.standings.rating_list import rating_list
from bowerbird.harness.ratings.standings.scopes import Scope, apart_sentence, main_scopes, ranking_of, scopes_of_run
from bowerbird.harness.ratings.standings.tallies import merged_pairings, merged_standings, pairings_of, standings_of
from bowerbird.harness.ratings.standings.text.sentences import apart_text
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import GameRecord, OptionValue
from tests.support.records.played_games import SEED, deal_set, header
from tests.support.records.stored_runs import store_cup, store_run
from tests.support.tournament.rated_games import series

TIME = '[time]\nper_decision = "1000ms"\nbank = "5000ms"\nincrement = "0ms"\nstartup = "20000ms"\nmargin = "20ms"\n'


def config(*variants: tuple[str, dict[str, int]], unit: str = "games", time: str = TIME, more: str = "") -> str:
    """Return the stored copy of a tournament file with these variants and their options."""
    entries = ""
    for name, options in variants:
        written = ", ".join(f"{key} = {value}" for key, value in options.items())
        entries += f'[[variant]]\nname = "{name}"\noptions = {{ {written} }}\n'
    return f'[tournament]\nunit = "{unit}"\n{more}{time}{entries}'


def scope_of(text: str, entry: str = "euchre-0") -> Scope:
    return scopes_of_run(text, [(entry, entry.rpartition("-")[0])])[entry]


EUCHRE = config(("euchre", {"target": 10, "max_hands": 100}))


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (config(("euchre", {"target": 10, "max_hands": 1}), unit="deals"), "euchre in single hands"),
        (config(("euchre", {"target": 5, "max_hands": 100})), "euchre with target = 5"),
        (config(("euchre", {"target": 10, "max_hands": 40})), "euchre with max_hands = 40"),
        (
            config(("euchre", {"target": 10, "max_hands": 100}), time=TIME.replace('"1000ms"', '"250ms"')),
            "euchre with 250ms for a decision",
        ),
    ],
)
def test_unit_options_and_clock_make_another_scope(other: str, words: str) -> None:
    one, two = scope_of(EUCHRE), scope_of(other)
    assert one != two
    assert two.against([one]) == words
    assert one.against([one]) == "euchre"


@pytest.mark.parametrize("key", ['startup = "20000ms"', 'margin = "20ms"'])
def test_what_only_forgives_a_slow_machine_makes_no_scope(key: str) -> None:
    name = key.partition(" ")[0]
    assert scope_of(EUCHRE.replace(key, f'{name} = "7ms"')) == scope_of(EUCHRE)


def test_an_option_that_is_newer_than_the_run_has_its_default() -> None:
    option = next(name for name, option in rules_of("euchre").options.items() if name not in ("target", "max_hands"))
    assert dict(scope_of(EUCHRE).options)[option] == rules_of("euchre").options[option].default


@pytest.mark.parametrize("text", ["", "[tournament]\n", "not TOML [", 'tournament = 7\nvariant = "x"\ntime = []\n'])
def test_a_config_of_another_program_breaks_nothing(text: str) -> None:
    assert scope_of(text) == Scope("euchre")
    assert ranking_of(text) == "elo"


def test_entries_of_one_variant_are_told_apart_by_their_number() -> None:
    text = config(("euchre", {"target": 10}), ("buck", {}), ("euchre", {"target": 5}))
    found = scopes_of_run(text, [("euchre-0", "euchre"), ("euchre-1", "euchre"), ("buck-0", "buck")])
    assert [dict(found[f"euchre-{number}"].options)["target"] for number in (0, 1)] == [10, 5]


def test_the_scope_with_most_deal_sets_is_shown_and_equal_ones_in_a_stable_order() -> None:
    one, two = Scope("euchre"), Scope("euchre", "deals")
    assert main_scopes({one: 3, two: 9}) == {"euchre": two}
    assert main_scopes({one: 3, two: 3}) == main_scopes({two: 3, one: 3}) == {"euchre": one}


def test_one_line_says_what_is_apart() -> None:
    assert apart_sentence([], "below") == ""
    assert apart_sentence([("euchre in single hands", ["4f1c9a"])], "--full shows {them}") == (
        "euchre in single hands (run 4f1c9a) is rated apart: --full shows it"
    )
    many = apart_sentence([(name, []) for name in ("a", "b", "c", "d")], "see {them}")
    assert many == "a, b and 2 more are rated apart: see them"


def store_two_scopes(path: Path, *, one_run: bool) -> None:
    """Store euchre to 10 points (three deal sets) and to 5 points (two), in one run or in two."""
    both = config(("euchre", {"target": 10, "max_hands": 3}), ("euchre", {"target": 5, "max_hands": 3}))
    ten, five = (config(("euchre", {"target": target, "max_hands": 3})) for target in (10, 5))
    plans = (
        [("both", both, [("euchre-0", 10, 3), ("euchre-1", 5, 2)])]
        if one_run
        else [("ten", ten, [("euchre-0", 10, 3)]), ("five", five, [("euchre-0", 5, 2)])]
    )
    with Store.create(path) as store:
        for name, text, entries in plans:
            run = replace(header(name), config=text)
            with store.begin(run, SEED) as writer:
                results: list[GameRecord] = []
                for entry, target, sets in entries:
                    for number in range(sets):
                        options: dict[str, OptionValue] = {"target": target, "max_hands": 3}
                        key, games = deal_set("euchre", number, run, options=options)
                        key = replace(key, entry=entry)
                        games = tuple(replace(game, id=game.id.replace("/euchre-0/", f"/{entry}/")) for game in games)
                        results += games
                        writer.save_set(key, games, digest_of(map(result_of_record, results)))
                writer.end()


@pytest.mark.parametrize("one_run", [True, False])
def test_other_options_of_a_variant_stand_apart_in_one_run_and_over_several(tmp_path: Path, one_run: bool) -> None:
    store_two_scopes(tmp_path / "x.db", one_run=one_run)
    with Store.open(tmp_path / "x.db") as store:
        found = overview(store.runs())
        (main,), (apart,) = found.variants, found.apart
        assert (main.sets, apart.sets) == (3, 2)
        assert main.scope is not None
        assert apart.scope is not None
        assert (dict(main.scope.options)["target"], dict(apart.scope.options)["target"]) == (10, 5)
        assert found.overall is main
        assert not {game.id for game in main.results} & {game.id for game in apart.results}
        assert "euchre with target = 5" in apart_text(found)
        games = {line.bot: line.games for line in main.standings}
        assert games == {"ann": 6, "bob": 6}
        compared = HeadToHeads(found).between("ann", "bob")
        assert [(one.games, one.sets) for one in compared.comparisons] == [(6, 3), (4, 2)]
        assert compared.mean is None


def test_a_run_given_twice_counts_once(tmp_path: Path) -> None:
    run = store_run(tmp_path / "x.db", variants=("euchre",))
    with Store.open(tmp_path / "x.db") as store:
        once, twice = (overview([store.run(run)] * times) for times in (1, 2))
    assert once.overall.standings == twice.overall.standings
    assert once.overall.rating_list == twice.overall.rating_list


def counts(lines: Sequence[object]) -> list[tuple[object, ...]]:
    names = ("bot", "games", "wins", "draws", "losses", "score", "faults", "decisions", "version")
    return sorted(tuple(getattr(line, name) for name in names) for line in lines)


@pytest.mark.parametrize("bots", [2, 8])
def test_counts_from_results_are_those_of_the_views_of_the_store(tmp_path: Path, bots: int) -> None:
    """Teams, free-for-all, copies and faults."""
    path = tmp_path / "x.db"
    if bots == 2:
        run = store_run(path, sets=range(2), variants=("euchre", "buck", "two-handed"), faulty=(1,))
    else:
        run = store_cup(path, bots, ("two-handed", "seven-handed", "euchre"))
    with Store.open(path) as store:
        results, faults = store[run].results(), store[run].faults()
        versions = {bot.name: bot.version for bot in store[run].bots()}
        decisions: dict[str, int] = {}
        for seat in store[run].seat_results():
            decisions[seat.bot] = decisions.get(seat.bot, 0) + seat.decisions
        pairings = pairings_of(results)
        assert pairings == store[run].crosstable()
        found = standings_of(results, pairings, versions=versions, faults=faults, decisions=decisions)
        assert counts(found) == counts(store[run].standings())
        variants = store[run].variants()
        merged = merged_standings([store[run].standings(variant) for variant in variants])
        assert counts(merged) == counts(store[run].standings())
        assert merged_pairings([store[run].crosstable(variant) for variant in variants]) == store[run].crosstable()


def test_estimates_have_the_zero_of_their_variant(tmp_path: Path) -> None:
    """They lie between the rating in the variant and the ratings in the others, seen from the same zero."""
    run = store_run(tmp_path / "x.db", sets=range(3), variants=("euchre", "buck", "two-handed"))
    with Store.open(tmp_path / "x.db") as store:
        found = overview([store.run(run)])
    elo = {board.variant: {line.bot: line.rating.value for line in board.rating_list.lines} for board in found.variants}
    gaps = [of_bot["ann"] - of_bot["bob"] for of_bot in elo.values()]
    for variant, of_bot in elo.items():
        ann, bob = (found.estimates[variant][bot].value for bot in ("ann", "bob"))
        assert ann + bob == pytest.approx(of_bot["ann"] + of_bot["bob"], abs=1e-6)
        assert min(gaps) - 1e-9 <= ann - bob <= max(gaps) + 1e-9


def test_an_estimate_has_an_interval_only_on_the_zero_of_its_table() -> None:
    """Two equal bots: 0 is their mean in the table, and one of them on the common scale. The errors differ."""
    scope = scope_of(EUCHRE)
    table = rating_list(series(8, lambda _: (1, 0)))
    board = Leaderboard(scope, table, (), ())
    anchored = {"a": Estimate(0.0, 0.0), "b": Estimate(0.0, 90.0)}
    moved = _on_own_scales({"euchre": anchored}, {"euchre": anchored}, [board])["euchre"]
    assert {bot: one.interval() for bot, one in moved.items()} == dict.fromkeys("ab", (-math.inf, math.inf))
    own = {line.bot: line.rating for line in table.lines}
    assert _on_own_scales({"euchre": own}, {"euchre": own}, [board])["euchre"] == own
