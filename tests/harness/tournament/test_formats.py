"""The formats, round by round (ratings.md; tournament-file.md): pairings and final places."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.placements import BETTER_SEED, EXTRA_SETS, GAMES, MatchResult
from bowerbird.harness.records.values.run import BLOCK_SETS, SetKey
from bowerbird.harness.records.verify.outcome_checks import outcome_differences
from bowerbird.harness.referee.spec import InstanceKey
from bowerbird.harness.tournament.config.format_keys import most_rounds, usual_rounds
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, load_tournament
from bowerbird.harness.tournament.errors import ConfigError
from bowerbird.harness.tournament.formats.catalogue import AT_LEAST, EXACTLY, rounds_of_run
from bowerbird.harness.tournament.formats.knockout import bracket
from bowerbird.harness.tournament.formats.matches import Pair, Tally
from bowerbird.harness.tournament.formats.rounds import Round, RoundSequence
from bowerbird.harness.tournament.formats.swiss import _count_match, _Score, pairings
from bowerbird.harness.tournament.jobs.schedule import RunIdentity
from bowerbird.harness.tournament.plan import Plan, make_plan
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.made_results import Ranker, results_of, stronger, walked

PAIRS = '[[variant]]\nname = "two-handed"\n[[variant]]\nname = "euchre"\n'


def entered(yard: Yard, bots: int, *lines: str, variants: str = PAIRS) -> TournamentFile:
    text = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "b{index}"\n' for index in range(bots))
    return load_tournament(yard.tournament('seed = "leaves"', *lines, variants=variants, bots=text))


def planned(yard: Yard, bots: int, *lines: str) -> Plan:
    return make_plan(entered(yard, bots, *lines))


@pytest.mark.parametrize(("bots", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (16, 4), (17, 5)])
def test_a_swiss_tournament_has_as_many_rounds_as_halvings(bots: int, rounds: int) -> None:
    assert usual_rounds(bots) == rounds
    assert rounds <= most_rounds(bots)


@given(data=st.data(), bots=st.integers(2, 24))
@settings(max_examples=60)
def test_nobody_meets_anybody_twice_or_rests_twice(data: st.DataObject, bots: int) -> None:
    """Up to `most_rounds` there is a pairing for any results."""
    names = [f"b{index}" for index in range(bots)]
    met: dict[str, frozenset[str]] = {name: frozenset() for name in names}
    points = dict.fromkeys(names, 0.0)
    rested: frozenset[str] = frozenset()
    for _ in range(most_rounds(bots)):
        ranking = sorted(data.draw(st.permutations(names)), key=lambda name: -points[name])
        pairs, byes = pairings(ranking, points=points, met=met, rested=rested)
        assert sorted([*(name for pair in pairs for name in pair), *byes]) == sorted(names)
        assert len(byes) == bots % 2
        assert rested.isdisjoint(byes)
        for one, other in pairs:
            assert other not in met[one]
            met[one] |= {other}
            met[other] |= {one}
            winner = data.draw(st.sampled_from([one, other]))
            points[winner] += 1
        for bye in byes:
            rested |= {bye}
            points[bye] += 1


def test_likes_meet_likes_in_a_swiss_round() -> None:
    points = {"a": 2.0, "b": 2.0, "c": 1.0, "d": 1.0, "e": 0.0, "f": 0.0}
    nobody: dict[str, frozenset[str]] = dict.fromkeys(points, frozenset())
    pairs, byes = pairings(list(points), points=points, met=nobody, rested=frozenset())
    assert ([set(pair) for pair in pairs], byes) == ([{"a", "b"}, {"c", "d"}, {"e", "f"}], ())


def test_the_first_swiss_round_pairs_the_upper_half_with_the_lower(yard: Yard) -> None:
    first = next(planned(yard, 8, 'format = "swiss"', "sets = 2").rounds())
    assert first.title == "round 1 of 3"
    assert first.pairs == (("b0", "b4"), ("b1", "b5"), ("b2", "b6"), ("b3", "b7"))


def test_seeds_by_rating_or_by_lot(yard: Yard) -> None:
    rated = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "b{index}"\nrating = {index}\n' for index in range(4))
    lines = ('seed = "leaves"', 'format = "swiss"', 'seeding = "rating"')
    file = load_tournament(yard.tournament(*lines, variants=PAIRS, bots=rated))
    assert file.terms.seeds == ("b3", "b2", "b1", "b0")
    assert next(make_plan(file).rounds()).pairs == (("b1", "b3"), ("b0", "b2"))
    drawn = {
        next(make_plan(entered(yard, 8, 'format = "swiss"', 'seeding = "draw"'), bytes([n]) * 32).rounds()).pairs
        for n in range(5)
    }
    assert len(drawn) > 1, "the lot is drawn from the seed"


@pytest.mark.parametrize("bots", [2, 3, 4, 7, 8])
def test_a_swiss_tournament_finds_the_strongest(yard: Yard, bots: int) -> None:
    plan = planned(yard, bots, 'format = "swiss"', "sets = 2")
    rounds, sequence = walked(plan.rounds(), stronger({f"b{index}": float(index) for index in range(bots)}))
    assert len(rounds) == usual_rounds(bots)
    assert sequence.outcome is not None
    places = sequence.outcome.places
    assert (places[0].bot, places[0].place, places[0].points) == (f"b{bots - 1}", 1, len(rounds))
    assert sorted(place.bot for place in places) == sorted(f"b{index}" for index in range(bots))
    pairs = Counter(frozenset(pair) for round_ in rounds for pair in round_.pairs)
    assert set(pairs.values()) == {1}, "nobody meets anybody twice"
    assert plan.extent.bound == EXACTLY
    assert plan.extent.sets == sum(round_.sets for round_ in rounds)
    assert plan.extent.games == sum(round_.games for round_ in rounds)


def test_equal_bots_share_a_place(yard: Yard) -> None:
    _, sequence = walked(
        planned(yard, 4, 'format = "swiss"').rounds(), stronger(dict.fromkeys(["b0", "b1", "b2", "b3"], 1))
    )
    assert sequence.outcome is not None
    assert [(place.place, place.points, place.share) for place in sequence.outcome.places] == [(1, 1.0, 0.5)] * 4


def test_a_bracket_keeps_the_best_apart() -> None:
    assert bracket(list("abcdefgh")) == list("ahdebgcf")
    assert bracket(list("abcde")) == ["a", "", "d", "e", "b", "", "c", ""]
    assert bracket(list("abc")) == ["a", "", "b", "c"]
    assert bracket(list("ab")) == ["a", "b"]


@pytest.mark.parametrize("bots", range(2, 10))
def test_the_strongest_wins_a_knockout(yard: Yard, bots: int) -> None:
    strength = {f"b{index}": float((7 * index) % 11) for index in range(bots)}
    plan = planned(yard, bots, 'format = "knockout"', "sets = 2")
    rounds, sequence = walked(plan.rounds(), stronger(strength))
    assert rounds[-1].title == "final"
    assert sum(len(round_.pairs) for round_ in rounds) == bots - 1, "every match puts one bot out"
    assert sequence.outcome is not None
    assert sequence.outcome.places[0].bot == max(strength, key=strength.__getitem__)
    assert sequence.outcome.places[1].place == 2
    assert sorted(place.bot for place in sequence.outcome.places) == sorted(strength)
    assert (plan.extent.bound, plan.extent.sets) == (AT_LEAST, sum(round_.sets for round_ in rounds))


def test_a_tied_match_is_played_on_and_then_the_better_seed_goes_on(yard: Yard) -> None:
    rounds, sequence = walked(
        planned(yard, 2, 'format = "knockout"', "sets = 3").rounds(), stronger({"b0": 1.0, "b1": 1.0})
    )
    assert [(round_.title, round_.sets) for round_ in rounds] == [("final", 6), *[("final, extra sets", 2)] * 3]
    assert sequence.outcome is not None
    assert [place.bot for place in sequence.outcome.places] == ["b0", "b1"]
    assert sequence.outcome.matches == (MatchResult(1, "final", "b0", "b1", 12.0, 24, "b0", BETTER_SEED),)


def test_a_tie_ends_with_the_first_set_that_one_wins(yard: Yard) -> None:
    sequence = RoundSequence(planned(yard, 2, 'format = "knockout"', "sets = 3").rounds())
    assert sequence.round is not None
    sequence.replay(results_of(sequence.round, stronger({"b0": 1.0, "b1": 1.0})))
    assert sequence.round is not None
    sequence.replay(results_of(sequence.round, stronger({"b0": 1.0, "b1": 2.0})))
    assert sequence.round is None
    assert sequence.outcome is not None
    assert sequence.outcome.places[0].bot == "b1"
    assert sequence.outcome.matches == (MatchResult(1, "final", "b0", "b1", 6.0, 16, "b1", EXTRA_SETS),)


def test_the_matches_of_a_knockout_are_a_bracket(yard: Yard) -> None:
    """The winners of two matches that follow each other meet in the next round; a bye is a match, too."""
    strength = {"b0": 3.0, "b1": 1.0, "b2": 2.0, "b3": 0.0, "b4": 4.0, "b5": 5.0}
    _, sequence = walked(planned(yard, 6, 'format = "knockout"', "sets = 1").rounds(), stronger(strength))
    assert sequence.outcome is not None
    matches = sequence.outcome.matches
    by_round = [[match for match in matches if match.round == number] for number in (1, 2, 3)]
    assert [len(found) for found in by_round] == [4, 2, 1]
    assert [match.title for found in by_round for match in found[:1]] == ["quarter-finals", "semi-finals", "final"]
    assert [(match.bot, match.winner) for match in matches if match.is_bye] == [("b0", "b0"), ("b1", "b1")]
    for earlier, later in pairwise(by_round):
        winners = [match.winner for match in earlier]
        assert [{match.bot, match.opponent} for match in later] == [
            set(pair) for pair in zip(winners[::2], winners[1::2], strict=True)
        ]
    assert by_round[-1][0].winner == sequence.outcome.places[0].bot == "b5"
    assert all(match.decided_by == GAMES for match in matches if not match.is_bye)


def test_the_tie_breaks_of_a_swiss_are_numbers(yard: Yard) -> None:
    """b1 beats b0 while b2 rests, then b2 beats b1 while b0 rests."""
    ranker = stronger({"b0": 0.0, "b1": 1.0, "b2": 2.0})
    _, sequence = walked(planned(yard, 3, 'format = "swiss"', "sets = 1", "rounds = 2").rounds(), ranker)
    assert sequence.outcome is not None
    assert [(one.bot, one.points, one.share, one.opponents, one.byes) for one in sequence.outcome.places] == [
        ("b2", 2.0, 0.75, 1.0, 1),
        ("b1", 1.0, 0.5, 3.0, 0),
        ("b0", 1.0, 0.25, 1.0, 1),
    ]
    assert [(one.title, one.bot, one.opponent, one.winner) for one in sequence.outcome.matches] == [
        ("round 1 of 2", "b0", "b1", "b1"),
        ("round 1 of 2", "b2", "", "b2"),
        ("round 2 of 2", "b1", "b2", "b2"),
        ("round 2 of 2", "b0", "", "b0"),
    ]


def test_thirds_break_no_tie(yard: Yard) -> None:
    """1/3 and 1 - 2/3 are one share, and two different floating-point numbers."""
    scores = {"a": _Score(met=["x"]), "b": _Score(met=["y"])}
    _count_match(scores["a"], "x", -1.0, Fraction(1, 3))
    _count_match(scores["b"], "y", -1.0, 1 - Tally(2.0, 3).share)
    assert scores["a"].share == scores["b"].share
    assert 1 / 3 != 1 - 2 / 3


@given(data=st.data(), bots=st.integers(2, 9), name=st.sampled_from(["swiss", "knockout"]))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_verification_finds_nothing_in_an_outcome_that_a_format_made(
    yard: Yard, data: st.DataObject, bots: int, name: str
) -> None:
    """Whatever the results, verification works out places and matches by itself."""
    rounds = planned(yard, bots, f'format = "{name}"', "sets = 1").rounds()
    sequence = RoundSequence(rounds)
    results: list[GameResult] = []
    while (round_ := sequence.round) is not None:
        drawn = {pair: data.draw(st.sampled_from([(1, 2), (2, 1), (1, 1)])) for pair in round_.pairs}

        def ranks(names: tuple[str, ...], drawn: dict[Pair, tuple[int, int]] = drawn) -> tuple[int, ...]:
            [(pair, found)] = [(pair, found) for pair, found in drawn.items() if set(pair) == set(names)]
            return tuple(found[pair.index(bot)] for bot in names)

        found = results_of(round_, ranks)
        results += [game for games in found.values() for game in games]
        sequence.replay(found)
    assert sequence.outcome is not None
    names = [f"b{index}" for index in range(bots)]
    assert list(outcome_differences(sequence.outcome, results, names, is_complete=True)) == []


FORMATS = [
    (5, ('format = "swiss"', "sets = 70")),
    (6, ('format = "knockout"', "sets = 40")),
    (4, ('format = "gauntlet"', "sets = 3")),
    (3, ("stop = { decisions = 3000, every = 5 }", "sets = 90")),
]


@pytest.mark.parametrize(("bots", "lines"), FORMATS)
@pytest.mark.parametrize("packs", ["common", "own"])
def test_no_process_meets_a_pack_twice_in_any_round(yard: Yard, bots: int, lines: tuple[str, ...], packs: str) -> None:
    """protocol.md, Instances, by brute force over whole tournaments: processes are kept across rounds."""
    plan = planned(yard, bots, *lines, f'packs = "{packs}"')
    rounds, _ = walked(plan.rounds(), stronger({f"b{index}": float(index // 2) for index in range(bots)}))
    met: set[tuple[InstanceKey, str, int]] = set()
    keys: list[SetKey] = []
    for round_ in rounds:
        keys += round_.keys
        for table in (table for job in round_.jobs for table in job.tables()):
            assert len({seat.instance for seat in table.seats}) == len(table.seats)
            for seat in table.seats:
                pack = (seat.instance, table.entry, table.set_number)
                assert pack not in met, f"{seat.instance} meets the packs of {table.entry} set {table.set_number} twice"
                met.add(pack)
    assert len(set(keys)) == len(keys), "a deal set is played twice"


@pytest.mark.parametrize(("bots", "lines"), FORMATS)
def test_rounds_follow_from_the_file_the_seed_and_the_results(yard: Yard, bots: int, lines: tuple[str, ...]) -> None:
    """A resumed run finds the same rounds."""
    plan = planned(yard, bots, *lines)
    ranker = stronger({f"b{index}": float(index % 3) for index in range(bots)})
    rounds, sequence = walked(plan.rounds(), ranker)
    again, other = walked(make_plan(plan.file, plan.seed).rounds(), ranker)
    assert rounds == again
    assert sequence.outcome == other.outcome
    stored = {key: games for round_ in rounds for key, games in results_of(round_, ranker).items()}
    for number in range(len(rounds)):
        known = {key: stored[key] for round_ in rounds[:number] for key in round_.keys}
        resumed = RoundSequence(plan.rounds())
        resumed.replay(known)
        assert resumed.round == rounds[number]


@pytest.mark.parametrize(("bots", "lines"), FORMATS[:2])
def test_rounds_have_blocks_of_their_own(yard: Yard, bots: int, lines: tuple[str, ...]) -> None:
    rounds, _ = walked(planned(yard, bots, *lines).rounds(), stronger({f"b{n}": float(n) for n in range(bots)}))
    blocks = [{key.number // BLOCK_SETS for key in round_.keys} for round_ in rounds]
    assert all(max(one) < min(other) for one, other in pairwise(blocks))


def test_a_gauntlet_is_the_first_bot_against_the_others(yard: Yard) -> None:
    def meetings(*lines: str) -> set[frozenset[str]]:
        (round_,), _ = walked(
            planned(yard, 4, 'format = "gauntlet"', "sets = 1", *lines).rounds(), lambda bots: (1,) * len(bots)
        )
        return {frozenset(job.lineup.positions) for job in round_.jobs}

    assert meetings() == {frozenset(("b0", other)) for other in ("b1", "b2", "b3")}
    assert meetings('challengers = ["b3", "b1"]') == {
        frozenset((challenger, other)) for challenger in ("b1", "b3") for other in ("b0", "b2")
    }


def test_a_round_robin_is_one_round_of_all_pairs(yard: Yard) -> None:
    (round_,), sequence = walked(planned(yard, 4, "sets = 2").rounds(), lambda bots: (1,) * len(bots))
    assert round_.title == ""
    assert {frozenset(job.lineup.positions) for job in round_.jobs} == {
        frozenset(pair) for pair in combinations(["b0", "b1", "b2", "b3"], 2)
    }
    assert sequence.outcome is not None
    assert sequence.outcome.reason == ""


def stopped(plan: Plan, seconds: float = 0.0) -> tuple[list[Round], str]:
    now = iter(float(tick) * seconds for tick in range(1, 10_000))
    rounds, sequence = walked(
        rounds_of_run(plan.file, RunIdentity("4f1c9a", plan.header.commitment, plan.seed), lambda keys: next(now)),
        lambda bots: (1,) * len(bots),
    )
    assert sequence.outcome is not None
    return rounds, sequence.outcome.reason


def test_a_stop_rule_is_asked_after_every_so_many_sets(yard: Yard) -> None:
    """10 decisions a game, 2 games a set, 2 entries: 5 sets of both make 200 decisions."""
    rounds, reason = stopped(planned(yard, 2, "stop = { decisions = 401, every = 5 }"))
    assert [round_.title for round_ in rounds] == ["deal sets 0 to 4", "deal sets 5 to 9", "deal sets 10 to 14"]
    assert reason == "600 decisions were made, 401 were wanted"


def test_time_stops_between_passes(yard: Yard) -> None:
    rounds, reason = stopped(planned(yard, 2, 'stop = { time = "30s" }'), seconds=11)
    assert len(rounds) == 3
    assert reason == "33 s were played, 30 s were wanted"


def test_sets_are_the_most_there_can_be(yard: Yard) -> None:
    rounds, reason = stopped(planned(yard, 2, "stop = { decisions = 100000, sets = 12, every = 5 }"))
    assert [round_.sets for round_ in rounds] == [10, 10, 4]
    assert reason == "all 12 deal sets of each line-up were played"


def test_a_stop_of_sets_alone_is_a_number_of_sets(yard: Yard) -> None:
    file = entered(yard, 2, "stop = { sets = 7 }")
    assert (file.sets, file.stop) == (7, None)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (('format = "swiss"', "rounds = 3"), "key 'rounds': got 3; must be a whole number from 1 to 2"),
        (('format = "swiss"', 'lineup = "mixed"'), "is for two entrants per table"),
        (('format = "swiss"', "stop = { sets = 3 }"), "'swiss' has no stop rules: it ends after its last round"),
        (('format = "swiss"', 'seeding = "rating"'), "bot 'b0' has no rating; give each [[bot]] one"),
        (('format = "gauntlet"', 'challengers = ["b9"]'), "no bot 'b9' is entered, did you mean 'b"),
        (('format = "gauntlet"', "challengers = []"), "got an empty list; leave out the key"),
        (('format = "gauntlet"', 'challengers = ["b0", "b0"]'), "a challenger is listed twice"),
        (('format = "gauntlet"', 'challengers = ["b0", "b1", "b2", "b3"]'), "use 'round-robin'"),
    ],
)
def test_terms_that_do_not_fit_are_refused(yard: Yard, lines: tuple[str, ...], sentence: str) -> None:
    variants = '[[variant]]\nname = "euchre"\n'
    with pytest.raises(ConfigError) as caught:
        entered(yard, 4, *lines, variants=variants)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def by_strength(strength: dict[str, float]) -> Ranker:
    """Return a noisy but repeatable ranker: the stronger bot wins three of four games."""
    seen: Counter[tuple[str, ...]] = Counter()

    def ranks(bots: tuple[str, ...]) -> tuple[int, ...]:
        seen[bots] += 1
        upset = seen[bots] % 4 == 0
        best = (min if upset else max)(bots, key=lambda bot: strength[bot])
        return tuple(1 if bot == best else 2 for bot in bots)

    return ranks


@pytest.mark.parametrize(
    ("rule", "strength", "reason"),
    [
        ("sprt = { elo1 = 100 }", {"b0": 2.0, "b1": 1.0}, "H1 is accepted after "),
        ('sprt = { elo1 = 100, bots = ["b1", "b0"] }', {"b0": 2.0, "b1": 1.0}, "H0 is accepted after "),
        ('sprt = { elo1 = 60, scale = "normalised" }', {"b0": 2.0, "b1": 1.0}, "H1 is accepted after "),
        ("settled = 0.95", {"b0": 2.0, "b1": 1.0}, "every pair is settled at 0.95"),
    ],
)
def test_a_tournament_stops_when_results_are_clear(
    yard: Yard, rule: str, strength: dict[str, float], reason: str
) -> None:
    plan = planned(yard, 2, f"stop = {{ {rule}, sets = 4000 }}")
    rounds, sequence = walked(plan.rounds(), by_strength(strength))
    assert sequence.outcome is not None
    assert sequence.outcome.reason.startswith(reason)
    assert 1 <= len(rounds) < 100


def test_equals_are_not_settled(yard: Yard) -> None:
    plan = planned(yard, 2, "stop = { settled = 0.95, sets = 48 }")
    rounds, sequence = walked(plan.rounds(), lambda bots: (1,) * len(bots))
    assert len(rounds) == 3
    assert sequence.outcome is not None
    assert sequence.outcome.reason == "all 48 deal sets of each line-up were played"


def test_in_a_gauntlet_only_challengers_are_settled_against_others(yard: Yard) -> None:
    """b1 and b2 are equal, and need not be told apart."""
    plan = planned(yard, 3, 'format = "gauntlet"', "stop = { settled = 0.95, sets = 400 }")
    _, sequence = walked(plan.rounds(), by_strength({"b0": 2.0, "b1": 1.0, "b2": 1.0}))
    assert sequence.outcome is not None
    assert sequence.outcome.reason == "every pair is settled at 0.95"


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("settled = 0.4", "got 0.4; must be a number above 0.5 and below 1"),
        ("sprt = { elo0 = 5, elo1 = 5 }", "elo0 = 5 must be less than elo1 = 5"),
        ("sprt = { elo1 = 1e6 }", "got 1000000.0; must be a number above -1000 and below 1000"),
        ("sprt = { elo1 = nan }", "got nan; must be a number above -1000 and below 1000"),
        (f"sprt = {{ elo1 = 1{400 * '0'} }}", "; must be a number above -1000 and below 1000"),
        ("sprt = { elo1 = 1e400 }", "got inf; must be a number above -1000 and below 1000"),
        ("sprt = { alpha = 0.5 }", "got 0.5; must be a number above 0 and below 0.5"),
        ("sprt = { beta = nan }", "got nan; must be a number above 0 and below 0.5"),
        ('sprt = { bots = ["b0"] }', "needs two bots: the first is tested against the second"),
        ('sprt = { bots = ["b0", "x9"] }', "no bot 'x9' is entered"),
        ('sprt = { measure = "points" }', "they need unit 'deals' and scale 'normalised'"),
        ('sprt = { measure = "wins" }', "got 'wins'; must be 'score' or 'points'"),
        ('sprt = { scale = "elo" }', "got 'elo'; must be 'logistic' or 'normalised'"),
    ],
)
def test_stop_rules_that_make_no_sense_are_refused(yard: Yard, rule: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        entered(yard, 2, f"stop = {{ {rule} }}")
    assert sentence in str(caught.value)


def test_stop_rules_are_part_of_the_resolved_copy(yard: Yard) -> None:
    line = 'stop = { every = 4, time = "90s", decisions = 7, settled = 0.99, sprt = { elo0 = -5, elo1 = 2.5 } }'
    file = entered(yard, 2, line)
    text = resolved_text(file)
    assert resolved_text(load_tournament(yard.write("again.toml", text))) == text
    assert load_tournament(yard.folder / "again.toml").stop == file.stop
