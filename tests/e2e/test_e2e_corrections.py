"""Corrected runs with real processes: deal sets are taken out, and a resume plays them (faults.md, Corrections)."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.faults import FORFEIT
from bowerbird.harness.records.values.outcome import WITHDRAWN
from bowerbird.harness.records.values.run import GameId
from tests.support.command.bowerbird_command import Bowerbird, said_until
from tests.support.command.hosted import hosted, remote
from tests.support.command.moody_bot import flag, moody
from tests.support.deadline import DEADLINE_S
from tests.support.records.every_game import every_game
from tests.support.tournament.corrected_runs import BY, WHY, Games

LEAGUE = """
[tournament]
sets = {sets}
seed = "corrected"
{lines}
[[variant]]
name = "euchre"
[[variant]]
name = "buck"
"""
VOIDED = "euchre-0/first+second/1"


def league(bowerbird: Bowerbird, sets: int = 2, lines: str = "") -> Path:
    """Return a tournament of two bots whose answers follow from their seed."""
    bots = bowerbird.bot("first", "draws"), bowerbird.bot("second", "draws")
    return bowerbird.tournament(LEAGUE.format(sets=sets, lines=lines), *bots)


def played(bowerbird: Bowerbird, file: Path, *more: str) -> Games:
    bowerbird.done("tournament", file.name, "--db", "x.db", "--quiet", *more)
    return games(bowerbird)


def games(bowerbird: Bowerbird) -> Games:
    with Store.open(bowerbird.folder / "x.db") as store:
        return Games.of(store)


def run_of(bowerbird: Bowerbird) -> str:
    with Store.open(bowerbird.folder / "x.db") as store:
        return store.run().fingerprint


def void(bowerbird: Bowerbird, *named: str) -> str:
    """Void games; return the commitment of the correction."""
    said = bowerbird.done("void", run_of(bowerbird), *named, "--why", WHY, "--by", BY, "--yes", "--db", "x.db")
    found = re.search(r"sha256:[0-9a-f]{64}", said)
    assert found is not None, said
    return found[0]


def assert_as_if_played_so(bowerbird: Bowerbird) -> None:
    """Assert that the run is complete, that its ratings follow from its results, and that it can be verified."""
    with Store.open(bowerbird.folder / "x.db") as store:
        run = store.run()
        assert run.row.ended is not None
        assert run.ratings() == digest_of(run.results())
        assert run.record_ratings(), "it has no ratings of record"
        assert all(one.seed for one in run.corrections() if one.sets)
    bowerbird.done("verify", "--db", "x.db")
    assert not bowerbird.wait_until_gone(), "a process is left"


RESUME, TWO_JOBS = "tournament cup.toml --resume --db x.db", "tournament cup.toml --resume --db x.db --jobs 2"


@pytest.mark.parametrize(
    ("resume", "lines"),
    [
        pytest.param("runs resume {run} --db x.db", "", id="runs resume"),
        pytest.param(RESUME, "", id="tournament", marks=pytest.mark.long),
        pytest.param(TWO_JOBS, 'packs = "own"\ninstances = "shared"', id="two jobs, own packs"),
        pytest.param(TWO_JOBS, "", id="two jobs", marks=pytest.mark.long),
    ],
)
def test_a_resume_plays_what_was_voided_and_nothing_else(bowerbird: Bowerbird, resume: str, lines: str) -> None:
    before = played(bowerbird, league(bowerbird, lines=lines))
    commitment = void(bowerbird, f"{VOIDED}/0")
    command = resume.format(run=run_of(bowerbird)).split()
    if command[0] == "tournament" and "--jobs" not in command:
        planned = bowerbird.done(*command, "--dry-run")
        assert "3 deal sets already stored, not played again" in planned
    said = bowerbird(*command)
    assert said.returncode == 0, said.stderr
    after = games(bowerbird)
    assert after.changed_from(before) == {VOIDED}
    assert after.commitments(VOIDED) == {commitment}
    assert not set(after.packs(VOIDED)) & set(before.packs(VOIDED))
    with Store.open(bowerbird.folder / "x.db") as store:
        [correction] = store.run().corrections()
    assert correction.seed is not None
    assert correction.seed.hex() in said.stderr, "the seed of the correction is not shown at the end"
    assert_as_if_played_so(bowerbird)
    again = bowerbird(*command)
    assert "is complete" in again.stderr
    assert games(bowerbird) == after


def test_a_cluster_plays_what_was_voided(bowerbird: Bowerbird) -> None:
    pytest.importorskip("distributed", reason="the extra bowerbird[cluster] is not installed")
    before = played(bowerbird, league(bowerbird, lines='isolation = "limits"\ninstances = "shared"'))
    commitment = void(bowerbird, VOIDED)
    bowerbird.done("tournament", "cup.toml", "--resume", "--db", "x.db", "--cluster", "local:2", "--quiet")
    after = games(bowerbird)
    assert after.changed_from(before) == {VOIDED}
    assert after.commitments(VOIDED) == {commitment}
    assert_as_if_played_so(bowerbird)


@pytest.mark.long
def test_a_host_plays_what_was_voided(bowerbird: Bowerbird) -> None:
    text = LEAGUE.format(sets=1, lines='unit = "deals"') + '[[bot]]\nremote = true\nname = "ada"\n'
    file = bowerbird.tournament(text, bowerbird.bot("first", "draws"))

    def host(*more: str) -> None:
        with hosted(bowerbird, file, *more) as host:
            host.until_invited()
            with remote(host, "ada"):
                host.ended()

    host()
    before = games(bowerbird)
    commitment = void(bowerbird, "euchre-0")
    host("--resume")
    after = games(bowerbird)
    assert after.changed_from(before) == {"euchre-0/ada+first/0"}
    assert after.commitments("euchre-0/ada+first/0") == {commitment}
    assert_as_if_played_so(bowerbird)


@pytest.mark.long
def test_a_replaced_set_is_replaced_again(bowerbird: Bowerbird) -> None:
    """And archives of the run keep every version."""
    before = played(bowerbird, league(bowerbird))
    commitments = []
    for _ in range(2):
        commitments.append(void(bowerbird, VOIDED))
        bowerbird.done("runs", "resume", run_of(bowerbird), "--db", "x.db", "--quiet")
    assert games(bowerbird).commitments(VOIDED) == {commitments[1]} != {commitments[0]}
    assert games(bowerbird).changed_from(before) == {VOIDED}
    assert_as_if_played_so(bowerbird)


@pytest.mark.long
def test_a_beacon_goes_into_the_new_deals_too(bowerbird: Bowerbird) -> None:
    file = league(bowerbird, sets=1, lines='beacon = ""\nunit = "deals"')
    file.write_text(file.read_text().replace('seed = "corrected"\n', ""))
    bowerbird.done("tournament", file.name, "--db", "x.db")
    file.write_text(file.read_text().replace('beacon = ""', 'beacon = "4711"'))
    before = played(bowerbird, file, "--resume")
    commitment = void(bowerbird, "euchre-0")
    bowerbird.done("runs", "resume", run_of(bowerbird), "--db", "x.db", "--quiet")
    assert games(bowerbird).changed_from(before) == {"euchre-0/first+second/0"}
    assert games(bowerbird).commitments("euchre-0/first+second/0") == {commitment}
    assert_as_if_played_so(bowerbird)


@pytest.mark.long
def test_a_substitute_plays_in_a_replaced_game_too(bowerbird: Bowerbird) -> None:
    text = LEAGUE.format(sets=1, lines='on_fault = "substitute"\nmax_faults = 99\nunit = "deals"')
    file = bowerbird.tournament(text, bowerbird.bot("good", "honest"), bowerbird.bot("bad", "illegal", "0", "--every"))
    before = played(bowerbird, file)
    commitment = void(bowerbird, "euchre-0")
    bowerbird.done("runs", "resume", run_of(bowerbird), "--db", "x.db", "--quiet")
    after = games(bowerbird)
    assert after.changed_from(before) == {"euchre-0/good+bad/0"}
    assert after.commitments("euchre-0/good+bad/0") == {commitment}
    with Store.open(bowerbird.folder / "x.db") as store:
        faults = store.run().faults()
        assert {(fault.bot, fault.kind) for fault in faults if fault.game.split("/")[1] == "euchre-0"} == {
            ("bad", "ILLEGAL")
        }
    assert_as_if_played_so(bowerbird)


@pytest.mark.parametrize(
    ("number", "jobs"),
    [
        pytest.param(signal.SIGKILL, "1", id="kill -9"),
        pytest.param(signal.SIGINT, "2", id="Ctrl-C, two jobs", marks=pytest.mark.long),
        pytest.param(signal.SIGINT, "1", id="Ctrl-C", marks=pytest.mark.long),
        pytest.param(signal.SIGKILL, "2", id="kill -9, two jobs", marks=pytest.mark.long),
    ],
)
def test_a_resume_that_is_interrupted_is_resumed_from_the_same_seed(
    bowerbird: Bowerbird, number: signal.Signals, jobs: str
) -> None:
    """Sets that were stored before the interruption stay, to the byte."""
    before = played(bowerbird, league(bowerbird, sets=10, lines='instances = "shared"'))
    with Store.open(bowerbird.folder / "x.db") as store:
        gone = sorted(str(key) for key in store.run().stored_sets() if key.number > 0)
    commitment = void(bowerbird, *gone)
    resume = ("tournament", "cup.toml", "--resume", "--db", "x.db", "--jobs", jobs)
    with bowerbird.start(*resume) as process:
        said_until(process, "of 20 deal sets")
        process.send_signal(number)
        _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == (130 if number == signal.SIGINT else -number), said
    assert not bowerbird.wait_until_gone()
    halfway = games(bowerbird)
    assert len(before.texts) > len(halfway.texts), "it was not interrupted in time"
    bowerbird.done(*resume, "--quiet")
    after = games(bowerbird)
    assert {game: after.texts[game] for game in halfway.texts} == dict(halfway.texts)
    assert after.changed_from(before) == set(gone)
    assert all(after.commitments(key) == {commitment} for key in gone)
    assert_as_if_played_so(bowerbird)


def reinstate(bowerbird: Bowerbird, bot: str, *more: str) -> str:
    return bowerbird.done("reinstate", run_of(bowerbird), bot, "--why", WHY, "--by", BY, "--yes", "--db", "x.db", *more)


def ends(bowerbird: Bowerbird) -> dict[str, set[str]]:
    """Return, by line-up, how its games ended."""
    found: dict[str, set[str]] = {}
    with Store.open(bowerbird.folder / "x.db") as store:
        for game in every_game(store):
            found.setdefault(game.lineup, set()).add(game.ended)
    return found


def sets_of(bowerbird: Bowerbird, bot: str) -> tuple[set[str], set[str]]:
    """Return the deal sets in which a bot has a fault of its own, and those with a game that it missed."""
    faulty: set[str] = set()
    missed: set[str] = set()
    with Store.open(bowerbird.folder / "x.db") as store:
        ended = {game.id: game.ended for game in every_game(store)}
        for fault in store.run().faults():
            if fault.bot == bot:
                (missed if ended[fault.game] == WITHDRAWN else faulty).add(str(GameId.parse(fault.game).set_key))
    return faulty, missed


FRAGILE = """
[tournament]
sets = 3
tables = 1
unit = "deals"
seed = "fragile"
isolation = "limits"
max_faults = 1
[[variant]]
name = "euchre"
"""


@pytest.mark.parametrize("with_faults", [pytest.param(False, marks=pytest.mark.long), True])
def test_a_reinstated_bot_plays_again(bowerbird: Bowerbird, with_faults: bool) -> None:
    """Two bots are withdrawn for their faults, one of them is taken back. Sets that only the other one missed stay."""
    bots = bowerbird.bot("calm", "honest"), moody(bowerbird, "ann"), moody(bowerbird, "bob")
    file = bowerbird.tournament(FRAGILE, *bots)
    for name in ("ann", "bob"):
        flag(bowerbird, name).touch()
    before = played(bowerbird, file)
    assert WITHDRAWN in ends(bowerbird)["calm+ann"] & ends(bowerbird)["calm+bob"]
    assert "withdrawn there: ann, bob" in bowerbird.refused(
        "reinstate", run_of(bowerbird), "calm", "--why", WHY, "--yes", "--db", "x.db"
    )
    faulty, missed = sets_of(bowerbird, "ann")
    flag(bowerbird, "ann").unlink()
    reinstate(bowerbird, "ann", *(["--with-faults"] if with_faults else []))
    bowerbird.done("runs", "resume", run_of(bowerbird), "--db", "x.db", "--quiet")
    after = ends(bowerbird)
    assert WITHDRAWN not in after["calm+ann"], "the bot that is back still misses games"
    assert after["calm+ann"] - {FORFEIT}, "the bot that is back plays no game to its end"
    assert WITHDRAWN in after["calm+bob"], "the other bot is back too"
    assert games(bowerbird).changed_from(before) == (faulty | missed if with_faults else missed)
    assert_as_if_played_so(bowerbird)
    flag(bowerbird, "bob").unlink()
    reinstate(bowerbird, "bob", "--with-faults")
    bowerbird.done("runs", "resume", run_of(bowerbird), "--db", "x.db", "--quiet")
    assert not any(WITHDRAWN in found for found in ends(bowerbird).values())
    assert_as_if_played_so(bowerbird)


def test_a_reinstated_bot_that_still_fails_is_withdrawn_again(bowerbird: Bowerbird) -> None:
    file = bowerbird.tournament(FRAGILE, bowerbird.bot("calm", "honest"), moody(bowerbird, "ann"))
    flag(bowerbird, "ann").touch()
    played(bowerbird, file)
    reinstate(bowerbird, "ann", "--with-faults")
    bowerbird.done("runs", "resume", run_of(bowerbird), "--db", "x.db", "--quiet")
    assert ends(bowerbird)["calm+ann"] == {FORFEIT, WITHDRAWN}
    assert_as_if_played_so(bowerbird)


PAIRED = """
[tournament]
format = "{form}"
sets = 2
seed = "cup"
[[variant]]
name = "euchre"
"""


@pytest.mark.parametrize("form", [pytest.param("knockout", marks=pytest.mark.long), "swiss"])
def test_a_cup_is_played_again_from_the_round_of_the_voided_game(bowerbird: Bowerbird, form: str) -> None:
    """It ends with the places that its matches give; the rest of the first round stays the same to the byte."""
    manners = {"one": "draws", "two": "draws", "first": "honest", "last": "last"}
    bots = [bowerbird.bot(name, manner) for name, manner in manners.items()]
    before = played(bowerbird, bowerbird.tournament(PAIRED.format(form=form), *bots))
    with Store.open(bowerbird.folder / "x.db") as store:
        keys = sorted(store.run().stored_sets(), key=lambda key: (key.number, key.lineup))
    first = keys[0]
    stays = {str(key) for key in keys if key.number < 64 and key.lineup != first.lineup}
    void(bowerbird, f"{first}/0")
    with Store.open(bowerbird.folder / "x.db") as store:
        assert all(key.number < 64 for key in store.run().stored_sets())
        assert store.run().placements() == []
    bowerbird.done("runs", "resume", run_of(bowerbird), "--db", "x.db", "--quiet")
    assert not games(bowerbird).changed_from(before) & stays
    with Store.open(bowerbird.folder / "x.db") as store:
        run = store.run().fingerprint
        places, matches = store[run].placements(), store[run].matches()
        assert len(places) == 4
        assert len(matches) == (3 if form == "knockout" else 4)
        won = wins(store, run)
    for match in matches:
        assert won[frozenset((match.bot, match.opponent))] == (match.games, match.won), match
    if form == "knockout":
        assert places[0].bot == matches[-1].winner
        assert {matches[-1].bot, matches[-1].opponent} == {match.winner for match in matches[:-1]}
    assert_as_if_played_so(bowerbird)


def wins(store: Store, run: str) -> dict[frozenset[str], tuple[int, float]]:
    """Return by pair of bots how many games they played, and how many the first in the file's order won."""
    order = [bot.name for bot in store[run].bots()]
    found: dict[frozenset[str], tuple[int, float]] = {}
    for result in store[run].results():
        one, other = sorted(set(result.bots), key=order.index)
        count, won = found.get(frozenset((one, other)), (0, 0.0))
        outcome = result.pair_outcome(result.bots.index(one), result.bots.index(other))
        found[frozenset((one, other))] = count + 1, won + outcome
    return found
