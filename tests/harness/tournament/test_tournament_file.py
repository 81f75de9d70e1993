"""tournament.toml, read strictly. Each bad input gives one sentence: file, line, key and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.engine import variant_names
from bowerbird.harness.ratings.standings.scopes import ranking_of
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.tournament_file import load_tournament, quick_match
from bowerbird.harness.tournament.errors import ConfigError
from tests.support.tournament.bot_folders import Yard

FULL = """
[tournament]
name = "autumn"
format = "round-robin"
seed = "autumn leaves"
unit = "games"
sets = 3
on_fault = "substitute"
instances = "shared"
packs = "own"
max_hands = 40
tables = 4
slots = 2
[time]
per_decision = "250ms"
bank = "2m"
increment = "1.5s"
startup = "1m"
margin = "0ms"
[[variant]]
name = "buck"
options = { start = 20, max_hands = 30 }
[[variant]]
name = "euchre"
[[variant]]
name = "buck"
[[bot]]
path = "bots/alpha"
[[bot]]
path = "bots/beta"
[[bot]]
path = "bots/beta/bot.toml"
name = "beta-b"
arguments = ["--fast"]
"""


@pytest.fixture
def busy(yard: Yard) -> Yard:
    """Return a yard whose bots play many tables at once."""
    for name in ("alpha", "beta"):
        yard.bot(name, "tables = 8")
    return yard


def refusal(path: Path) -> str:
    """Return the sentence that refuses a file."""
    with pytest.raises(ConfigError) as caught:
        load_tournament(path)
    message = str(caught.value)
    assert "\n" not in message, "an error is one sentence on one line"
    return message


def test_every_key_is_read(busy: Yard) -> None:
    file = load_tournament(busy.write("autumn.toml", FULL))
    assert (file.name, file.format, file.seed, file.unit, file.sets) == (
        "autumn",
        "round-robin",
        "autumn leaves",
        "games",
        3,
    )
    assert (file.instances, file.packs, file.tables, file.slots) == ("shared", "own", 4, 2)
    assert file.time == TimeControl(250, 120_000, 1500, 60_000, 0)
    assert (file.time.startup_ms, file.time.margin_ms) == (60_000, 0)
    assert [entry.id for entry in file.variants] == ["buck-0", "euchre-0", "buck-1"]
    assert [bot.name for bot in file.bots] == ["alpha", "beta", "beta-b"]
    assert file.bots[2].command[-1] == "--fast"


def test_options_are_resolved_and_an_entrys_own_come_first(busy: Yard) -> None:
    buck, euchre, second = load_tournament(busy.write("autumn.toml", FULL)).variants
    assert (buck.options["start"], buck.options["max_hands"]) == (20, 30)
    assert (second.options["start"], second.options["max_hands"]) == (25, 40)
    assert (euchre.options["target"], euchre.options["max_hands"]) == (10, 40)


def test_what_is_left_out_has_its_default(yard: Yard) -> None:
    file = load_tournament(yard.tournament(variants='[[variant]]\nname = "euchre"\n[[variant]]\nname = "buck"\n'))
    assert (file.name, file.format, file.seed, file.unit, file.sets) == ("autumn", "round-robin", "", "games", 50)
    assert (file.instances, file.packs, file.slots) == ("seat", "common", 0)
    assert file.time == TimeControl()
    euchre = file.variants[0]
    assert euchre.options["max_hands"] == 100


def test_each_variant_has_its_own_line_up_and_fault_policy(yard: Yard) -> None:
    """ratings.md, Line-ups; protocol.md, Faults at a table: forfeit with two sides, substitute with more."""
    file = load_tournament(yard.tournament(variants='[[variant]]\nname = "euchre"\n[[variant]]\nname = "buck"\n'))
    euchre, buck = file.variants
    assert [lineup.kind for lineup in euchre.lineups] == ["teams"]
    assert (euchre.seats, euchre.sides, euchre.on_fault) == (4, ((0, 2), (1, 3)), "forfeit")
    assert [lineup.text for lineup in buck.lineups] == ["alpha+alpha+beta+beta"]
    assert (buck.seats, buck.sides, buck.on_fault) == (4, None, "substitute")


def test_deals_are_single_hands(yard: Yard) -> None:
    file = load_tournament(yard.tournament('unit = "deals"'))
    assert file.variants[0].options["max_hands"] == 1


def test_tables_at_once_are_what_every_bot_can_do(busy: Yard) -> None:
    assert load_tournament(busy.tournament()).tables == 8
    busy.bot("beta", "tables = 3")
    assert load_tournament(busy.tournament()).tables == 3
    busy.bot("alpha", "tables = 100")
    busy.bot("beta", "tables = 100")
    assert load_tournament(busy.tournament()).tables == 16


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("sets = 0", "key 'sets': got 0; must be a whole number from 1 to 100000"),
        ("sets = -3", "key 'sets': got -3; must be a whole number from 1 to 100000"),
        ("sets = 10000000000000", "key 'sets': got 10000000000000; must be a whole number from 1 to 100000"),
        ("sets = 2.5", "key 'sets': got 2.5; must be a whole number from 1 to 100000"),
        ('sets = "50"', "key 'sets': got \"50\"; must be a whole number from 1 to 100000"),
        ("set = 50", "key 'set': unknown key 'set' in [tournament], did you mean 'sets'?"),
        ('unit = "hands"', "key 'unit': got 'hands'; must be 'games' or 'deals'"),
        ('unit = "game"', "key 'unit': got 'game'; must be 'games' or 'deals', did you mean 'games'?"),
        (
            'format = "round"',
            "key 'format': got 'round'; must be 'round-robin', 'gauntlet', 'swiss', 'knockout' or 'adaptive'",
        ),
        (
            'format = "swiss"',
            "key 'format': 'swiss' is for two entrants per table, but buck with lineup 'free-for-all' seats 4; "
            "use 'round-robin' or 'gauntlet'",
        ),
        (
            'format = "knockout"',
            "key 'format': 'knockout' is for two entrants per table, but buck with lineup 'free-for-all'",
        ),
        ('challengers = ["beta"]', "key 'challengers': challengers belongs to 'gauntlet', not to 'round-robin'"),
        ("rounds = 3", "key 'rounds': rounds belongs to 'swiss', not to 'round-robin'"),
        ('seeding = "draw"', "key 'seeding': seeding belongs to 'swiss' or 'knockout', not to 'round-robin'"),
        ('lineup = "teams"', "key 'lineup': buck: a variant without fixed sides cannot be played by teams"),
        ('lineup = "mixed"', "key 'lineup': buck: partners can be mixed only in a variant of two against two"),
        (
            'lineup = "team"',
            "key 'lineup': got 'team'; must be 'teams', 'mixed', 'free-for-all', 'one-vs-rest' or 'fixed', "
            "did you mean 'teams'?",
        ),
        (
            "copies = false",
            "key 'copies': buck: 4 seats without copies need more than 2 bots; enter at least 4",
        ),
        ('lineup = "fixed"', "key 'lineup': buck: fixed seats need one bot each: 4 seats, 2 bots"),
        ("rated = 1", "key 'rated': got 1; must be true or false"),
        ("copies = 1", "key 'copies': got 1; must be true or false"),
        ("max_faults = -1", "key 'max_faults': got -1; must be a whole number of at least 0"),
        ("max_restarts = -1", "key 'max_restarts': got -1; must be a whole number of at least 0"),
        ('on_fault = "restart"', "key 'on_fault': got 'restart'; must be 'forfeit' or 'substitute'"),
        ('instances = "one"', "key 'instances': got 'one'; must be 'seat' or 'shared'"),
        ('packs = "mine"', "key 'packs': got 'mine'; must be 'common' or 'own'"),
        ("max_hands = 0", "key 'max_hands': got 0; must be a whole number of at least 1"),
        ("tables = 0", "key 'tables': got 0; must be a whole number of at least 1"),
        ("slots = 0", "key 'slots': got 0; must be a whole number of at least 1"),
        ("processes = 0", "key 'processes': got 0; must be a whole number of at least 1"),
        ('seed = ""', "key 'seed': got an empty seed; leave out the key to have one drawn"),
        ("seed = 7", "key 'seed': got 7; must be a string"),
        ('name = "a/b"', "key 'name': 'a/b' is not allowed; a name has 1 to 40 letters"),
        ("stop = {}", "key 'stop': no rule is given; add sets, time, decisions, sprt or settled"),
        ("stop = { set = 3 }", "key 'set': unknown key 'set' in stop, did you mean 'sets'?"),
        ("stop = { decisions = 0 }", "key 'decisions': got 0; must be a whole number of at least 1"),
        ("beacon = 7", "key 'beacon': got 7; must be a string"),
        (
            'beacon_source = "drand quicknet"',
            "key 'beacon_source': got 'drand quicknet'; must be a round of drand",
        ),
    ],
)
def test_bad_values_are_refused_with_the_line(yard: Yard, line: str, sentence: str) -> None:
    path = yard.tournament(line)
    assert refusal(path).startswith(f"{path}, line 2, {sentence}")


def test_a_typed_seed_needs_no_beacon(yard: Yard) -> None:
    path = yard.tournament('beacon = ""', 'seed = "leaves"')
    assert refusal(path) == (
        f"{path}, line 2, key 'beacon': a beacon needs a seed that is drawn; leave out seed or beacon"
    )


def test_a_source_without_a_beacon_waits_for_one_and_goes_on_with_it(yard: Yard) -> None:
    found = load_tournament(yard.tournament('beacon_source = " the dice of Saturday "'))
    assert (found.beacon, found.beacon_source) == ("", "the dice of Saturday")
    found = load_tournament(yard.tournament('beacon_source = "dice"', 'beacon = "6"'))
    assert (found.beacon, found.beacon_source) == ("6", "dice")
    assert refusal(yard.tournament('beacon_source = "dice"', 'seed = "leaves"')).endswith("leave out seed or beacon")


@pytest.mark.parametrize("written", ["drand", "drand quicknet 1000"])
def test_the_name_of_drand_is_no_value_that_somebody_could_not_know(yard: Yard, written: str) -> None:
    """Whoever mistook the words of a league file for the words of a tournament file would choose the cards."""
    message = refusal(yard.tournament(f'beacon = "{written}"'))
    assert f"key 'beacon': '{written}' is a source, not the value of a beacon" in message


def test_a_beacon_from_drand_is_the_round_of_its_source(yard: Yard) -> None:
    source = 'beacon_source = "drand quicknet 1000"'
    beacon = f"1000 {'a0' * 48}"
    assert load_tournament(yard.tournament(source, f'beacon = "{beacon}"')).beacon == beacon
    for wrong in (f"1001 {'a0' * 48}", "a0" * 48, "1000"):
        message = refusal(yard.tournament(source, f'beacon = "{wrong}"'))
        assert "must be round 1000 of drand quicknet" in message


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 10**12])
def test_an_option_that_no_bot_could_be_told_is_refused(yard: Yard, value: int) -> None:
    """Options for which the wire has no room are found before any game."""
    text = f'[[variant]]\nname = "euchre"\noptions = {{ target = {value} }}'
    path = yard.tournament(variants=text)
    message = refusal(path)
    assert message.startswith(f"{path}, line 4, key 'target': ")
    with pytest.raises(ConfigError, match="key 'target'"):
        quick_match([yard.folder / "bots/alpha"] * 2, {"euchre": {"target": str(value)}}, sets=1)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('per_decision = "soon"', "key 'per_decision': got \"soon\"; must be a time of at least 1ms such as"),
        ('per_decision = "0s"', "key 'per_decision': got \"0s\"; must be a time of at least 1ms such as"),
        ("bank = 5", 'key \'bank\': got 5; must be a time such as "250ms", "1s" or "2m"'),
        ('bank = "-1s"', "key 'bank': got \"-1s\"; must be a time such as"),
        ('bank = "1.0005s"', "key 'bank': got \"1.0005s\"; must be a time such as"),
        ('margin = "25h"', "key 'margin': got \"25h\"; must be a time such as"),
        ('decision = "1s"', "key 'decision': unknown key 'decision' in [time], did you mean 'per_decision'?"),
    ],
)
def test_bad_times_are_refused_with_the_line(yard: Yard, line: str, sentence: str) -> None:
    path = yard.tournament(more=["[time]", line])
    number = path.read_text().splitlines().index(line) + 1
    assert refusal(path).startswith(f"{path}, line {number}, {sentence}")


@pytest.mark.parametrize(
    ("text", "where", "sentence"),
    [
        ('[[variant]]\nname = "bukc"', "line 4, key 'name'", "unknown variant 'bukc', did you mean 'buck'?"),
        (
            '[[variant]]\nname = "whist"',
            "line 4, key 'name'",
            f"unknown variant 'whist', there are {len(variant_names())}: 'euchre', ",
        ),
        (
            '[[variant]]\nname = "buck"\noptions = { max_hands = 0 }',
            "line 5, key 'max_hands'",
            "or a game might never end",
        ),
        (
            '[[variant]]\nname = "buck"\noptions = { start = 0 }',
            "line 5, key 'start'",
            "must be a whole number from 1 up, not 0",
        ),
        (
            '[[variant]]\nname = "buck"\noptions = { strat = 20 }',
            "line 5, key 'strat'",
            "unknown option 'strat' of buck, did you mean 'start'?",
        ),
        ('[[variant]]\nname = "buck"\n[variant.options]\nstart = 20\nsweep_wins = 3', "line 7", "sweep_wins"),
        ('[[variant]]\nname = "euchre"\noptions = { deck = 26 }', "line 5, key 'deck'", "28"),
        ('[[variant]]\nname = "buck"\nsets = 3', "line 5, key 'sets'", "unknown key 'sets' in [[variant]]"),
        ("[[variant]]\noptions = {}", "line 3", "[[variant]] needs a key 'name'"),
        ('variant = "buck"', "line 3, key 'variant'", ""),
        ("", "autumn.toml, key 'variant'", "no variant is listed; add at least one table [[variant]]"),
    ],
)
def test_bad_variants_are_refused_with_the_line(yard: Yard, text: str, where: str, sentence: str) -> None:
    message = refusal(yard.tournament("sets = 1", variants=text))
    assert where in message
    assert sentence in message


def test_a_deal_has_no_max_hands(yard: Yard) -> None:
    sentence = "unit 'deals' plays single hands; leave out max_hands"
    assert refusal(yard.tournament('unit = "deals"', "max_hands = 5")).endswith(f"line 3, key 'max_hands': {sentence}")
    variants = '[[variant]]\nname = "buck"\noptions = { max_hands = 5 }'
    assert f"key 'max_hands': {sentence}" in refusal(yard.tournament('unit = "deals"', variants=variants))


def test_two_bots_of_one_name_are_refused(yard: Yard) -> None:
    bots = '[[bot]]\npath = "bots/alpha"\n[[bot]]\npath = "bots/alpha"\n'
    path = yard.tournament(bots=bots)
    assert refusal(path) == (
        f"{path}, line 9, key 'path': two bots are named 'alpha'; give one of them its own name with [[bot]] name"
    )
    bots = '[[bot]]\npath = "bots/alpha"\n[[bot]]\npath = "bots/beta"\nname = "alpha"\n'
    assert "line 10, key 'name': two bots are named 'alpha'" in refusal(yard.tournament(bots=bots))


def test_a_bot_that_is_not_there_is_refused_with_the_nearest(yard: Yard) -> None:
    bots = '[[bot]]\npath = "bots/alpha"\n[[bot]]\npath = "bots/bteta"\n'
    message = refusal(yard.tournament(bots=bots))
    assert "autumn.toml, line 9, key 'path': " in message
    assert message.endswith("did you mean 'beta'?")


def test_a_missing_bot_command_is_said_before_any_game(yard: Yard) -> None:
    file = yard.bot("beta", 'command = ["no-such-program-here"]')
    assert refusal(yard.tournament()).startswith(f"{file}, line 2, key 'command': bot 'beta' cannot be started")


def test_a_bot_with_a_build_may_lack_its_program_until_then(yard: Yard) -> None:
    yard.bot("beta", 'command = ["target/beta"]', 'build = ["make"]')
    assert load_tournament(yard.tournament()).bots[1].command == ("target/beta",)


def test_a_bot_that_does_not_play_a_listed_variant_is_refused(yard: Yard) -> None:
    file = yard.bot("beta", 'variants = ["euchre"]')
    message = refusal(yard.tournament())
    assert f"line 4, key 'name': bot 'beta' does not play 'buck' ({file}, key 'variants': euchre)" in message


def test_more_tables_than_a_bot_can_play_are_refused(busy: Yard) -> None:
    file = busy.bot("beta", "tables = 3")
    assert refusal(busy.tournament("tables = 4")).endswith(
        f"line 2, key 'tables': got 4; must be a whole number from 1 to 3, since bot 'beta' can play "
        f"no more than that at once ({file}, key 'tables')"
    )


def test_one_bot_is_no_tournament(yard: Yard) -> None:
    message = refusal(yard.tournament(bots='[[bot]]\npath = "bots/alpha"\n'))
    assert message.endswith("only one bot is entered; add at least 2 [[bot]] tables")
    assert "no bot is entered" in refusal(yard.tournament(bots=""))


def test_a_line_up_that_cannot_be_seated_is_refused(yard: Yard) -> None:
    assert refusal(yard.tournament('lineup = "teams"')).endswith(
        "line 2, key 'lineup': buck: a variant without fixed sides cannot be played by teams; use 'free-for-all'"
    )
    variants = '[[variant]]\nname = "euchre"'
    assert refusal(yard.tournament('lineup = "free-for-all"', variants=variants)).endswith(
        "line 2, key 'lineup': euchre: a variant with fixed sides cannot be played free for all; use 'teams'"
    )


def test_unknown_tables_are_refused(yard: Yard) -> None:
    message = refusal(yard.tournament(more=["[tiem]"]))
    assert "line 12: unknown table [tiem], did you mean [time]?" in message


def test_the_resolved_copy_is_the_same_tournament_again(busy: Yard) -> None:
    file = load_tournament(busy.write("autumn.toml", FULL.replace('seed = "autumn leaves"\n', "")))
    text = resolved_text(file)
    again = load_tournament(busy.write("again.toml", text))
    assert again == file
    assert resolved_text(again) == text


def test_an_entry_may_have_a_line_up_and_a_fault_policy_of_its_own(yard: Yard) -> None:
    variants = '[[variant]]\nname = "euchre"\n[[variant]]\nname = "buck"\nlineup = "free-for-all"\non_fault = "forfeit"'
    euchre, buck = load_tournament(yard.tournament('lineup = "teams"', variants=variants)).variants
    assert (euchre.lineups[0].kind, buck.lineups[0].kind) == ("teams", "free-for-all")
    assert buck.on_fault == "forfeit"
    message = refusal(yard.tournament("sets = 1", variants='[[variant]]\nname = "buck"\nlineup = "teams"'))
    assert "line 5, key 'lineup': buck: a variant without fixed sides" in message


def test_the_resolved_copy_knows_no_machine(busy: Yard, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = resolved_text(load_tournament(busy.tournament('seed = "secret words"')))
    assert str(busy.folder) not in text
    assert "secret words" not in text
    assert "slots" not in text
    elsewhere = Yard(tmp_path_factory.mktemp("elsewhere"))
    for name in ("alpha", "beta"):
        elsewhere.bot(name, "tables = 8")
    assert resolved_text(load_tournament(elsewhere.tournament('seed = "secret words"'))) == text


def test_a_quick_match_is_a_tournament_without_a_file(yard: Yard) -> None:
    file = quick_match(
        [yard.folder / "bots/alpha", yard.folder / "bots/beta"],
        {"buck": {"start": 20}, "euchre": {}},
        sets=2,
        seed="7",
        settings={"packs": "own"},
    )
    assert [entry.id for entry in file.variants] == ["buck-0", "euchre-0"]
    assert file.variants[0].options["start"] == 20
    assert (file.sets, file.seed, file.packs, file.name) == (2, "7", "own", "match-buck-euchre-alpha-beta")


def test_a_quick_match_enters_a_bot_against_itself(yard: Yard) -> None:
    alpha = yard.folder / "bots/alpha"
    file = quick_match([alpha, alpha], {"euchre": {}}, sets=1)
    assert [bot.name for bot in file.bots] == ["alpha", "alpha-2"]


def test_a_quick_match_is_refused_like_a_file(yard: Yard) -> None:
    alpha = yard.folder / "bots/alpha"
    with pytest.raises(ConfigError, match="key 'sets': got 0; must be a whole number from 1 to 100000"):
        quick_match([alpha, alpha], {"euchre": {}}, sets=0)
    with pytest.raises(ConfigError, match="did you mean 'euchre'"):
        quick_match([alpha, alpha], {"euchr": {}}, sets=1)


def test_points_rank_single_hands_only_and_are_part_of_the_run(yard: Yard) -> None:
    wrong = refusal(yard.tournament('rank_by = "points"'))
    assert "key 'rank_by': points are scored per hand; they need unit 'deals'" in wrong
    by_elo = load_tournament(yard.tournament('unit = "deals"', 'rank_by = "elo"'))
    assert by_elo.rank_by == "elo"
    assert "rank_by" not in resolved_text(by_elo), "the default is left out, so that older runs can be resumed"
    by_points = load_tournament(yard.tournament('unit = "deals"', 'rank_by = "points"'))
    assert by_points.rank_by == "points"
    assert ranking_of(resolved_text(by_points)) == "points"
    assert ranking_of(resolved_text(by_elo)) == "elo"
