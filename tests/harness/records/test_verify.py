"""Verification finds changes and names the game (commands.md, `bowerbird verify`)."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import Entrant, GameId, ResultsDigest, SetKey
from bowerbird.harness.records.verify import verification as verify
from bowerbird.harness.records.verify.game_checks import Difference, verify_text
from bowerbird.harness.records.verify.verification import verify_file, verify_run
from tests.support.records.every_game import every_game
from tests.support.records.played_games import SEED, after, database, deal_set, header, play, spec_of, withdrawn

RATINGS = ResultsDigest("digest", 3)
TURNS = (("ann", "bob") * 2, ("bob", "ann") * 2)
RUN = header().fingerprint


def digest_of(results: Sequence[GameResult]) -> ResultsDigest:
    return RATINGS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a finished run with a published seed: euchre, buck, a game with a substitute, one that was not played."""
    with Store.create(database(tmp_path)) as store, store.begin(header(), SEED) as writer:
        for key, games in (deal_set("euchre", 0, header()), deal_set("buck", 0, header()), faulty(), absent()):
            writer.save_set(key, games, RATINGS)
        writer.end()
    return database(tmp_path)


def faulty() -> tuple[SetKey, tuple[GameRecord, ...]]:
    games = tuple(
        play(
            spec_of("euchre", TURNS[turn], set_number=1, rotation=turn, on_fault="substitute"),
            random.Random(turn),
            after(9, None, "CRASHED"),
        )
        for turn in range(2)
    )
    return GameId.parse(games[0].id).set_key, games


def absent() -> tuple[SetKey, tuple[GameRecord, ...]]:
    key, games = deal_set("euchre", 2, header())
    return key, (withdrawn("euchre", 0, number=2), games[1])


def change(path: Path, sql: str, *parameters: object) -> None:
    connection = sqlite3.connect(path)
    with connection:
        assert connection.execute(sql, parameters).rowcount == 1, "the test must change one row"
    connection.close()


def record_of(path: Path, game: str) -> str:
    with Store.open(path) as store:
        return store.record_text(game)


def differences(path: Path) -> list[str]:
    with Store.open(path) as store:
        return [str(difference) for difference in [*verify_file(store), *verify_run(store[RUN], digest_of)]]


def test_what_was_recorded_verifies(path: Path) -> None:
    assert differences(path) == []


def test_progress_counts_the_games(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "BLOCK_GAMES", 1)
    seen: list[tuple[int, int]] = []
    with Store.open(path) as store:
        verify_run(store[RUN], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(4, 10), (6, 10), (8, 10), (10, 10)], "after each deal set"


def test_the_bots_of_a_run_are_read_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "BLOCK_GAMES", 1)
    asked: list[str] = []

    class Asked(StoredRun):
        def bots(self) -> list[Entrant]:
            asked.append(self.fingerprint)
            return super().bots()

    with Store.open(path) as store:
        assert verify_run(Asked(store, RUN), digest_of) == []
    assert asked == [RUN], "however many blocks of games the run has"


def test_a_run_that_has_not_ended_verifies_without_its_seed(path: Path) -> None:
    change(path, "UPDATE run SET seed = NULL, ended = NULL")
    assert differences(path) == []


@pytest.mark.parametrize("seed", range(12))
def test_one_changed_byte_is_found_and_the_game_named(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with Store.open(path) as store:
        game = chance.choice(store[RUN].game_ids())
    text = record_of(path, game)
    at = chance.randrange(len(text))
    other = chance.choice([letter for letter in 'x07A\n"' if letter != text[at]])
    change(path, "UPDATE game SET record = ? WHERE id = ?", text[:at] + other + text[at + 1 :], game)
    found = differences(path)
    assert len(found) == 1, found
    assert found[0].startswith(f"game {game}: line ")


def test_an_illegal_action_with_a_right_digest_is_refused_with_hand_action_and_legal_ones(path: Path) -> None:
    with Store.open(path) as store:
        record = store.record(next(game for game in store[RUN].game_ids() if "/euchre-0/" in game))
    hand = record.hands[0]
    changed = replace(hand, actions=(f"{hand.actions[0][0]} play As", *hand.actions[1:]))
    text = canonical(replace(record, hands=(changed, *record.hands[1:])))
    (difference,) = verify_text(text)
    assert difference.game == record.id
    assert difference.where == "hand 0, action 0"
    assert "'play As' is not legal" in difference.sentence
    assert "; legal: pass, order, order alone" in difference.sentence
    change(path, "UPDATE game SET record = ? WHERE id = ?", text, record.id)
    (said,) = differences(path)
    assert said.startswith(f"game {record.id}: hand 0, action 0: 'play As' is not legal")


def test_packs_that_the_seed_does_not_deal_are_found(path: Path) -> None:
    """A whole game with other cards, legal in itself and with a correct digest."""
    stranger = play(replace(spec_of("euchre", ("ann", "bob") * 2), set_number=77), random.Random(0))
    assert verify_text(canonical(stranger)) == []
    change(path, "UPDATE game SET record = ? WHERE id = ?", canonical(stranger), stranger.id)
    found = differences(path)
    assert any(
        f"game {stranger.id}" in line and ("not as the seed deals it" in line or "first dealer" in line)
        for line in found
    ), found


def test_another_substitute_than_the_seed_gives_is_found(path: Path) -> None:
    _, games = faulty()
    for game in games:
        for number, hand in enumerate(game.hands):
            for index in hand.substituted:
                candidates = replay_alternatives(game, number, index)
                if candidates:
                    found = verify_at(path, candidates)
                    assert "the seed gives" in found
                    return
    pytest.fail("no substituted action to change")


def replay_alternatives(game: GameRecord, number: int, index: int) -> GameRecord | None:
    """Return the game with another legal action at a substituted place; later actions no longer fit."""
    from bowerbird.harness.records.replay.replay import replay

    for step in replay(game):
        if (step.hand, step.index) == (number, index) and len(step.legal) > 1:
            other = next(action for action in step.legal if action != step.action)
            hand = game.hands[number]
            actions = (*hand.actions[:index], f"{step.seat} {other}", *hand.actions[index + 1 :])
            hands = (*game.hands[:number], replace(hand, actions=actions), *game.hands[number + 1 :])
            return replace(game, hands=hands)
    return None


def verify_at(path: Path, record: GameRecord) -> str:
    change(path, "UPDATE game SET record = ? WHERE id = ?", canonical(record), record.id)
    return differences(path)[0]


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("UPDATE seat SET rank = 3 WHERE seat = 1 AND game = :game", "table seat, row 1, column rank: 3"),
        (
            "UPDATE seat SET bot = 'bob' WHERE seat = 0 AND game = :game",
            "column bot: 'bob', but its record gives 'ann'",
        ),
        ("UPDATE game SET ended = 'sweep' WHERE id = :game", "table game, row 0, column ended: 'sweep'"),
        ("UPDATE bot SET fingerprint = 'sha256:x' WHERE name = 'ann'", "was not entered in run"),
        ("UPDATE job SET games = 3 WHERE set_number = 0 AND entry = 'euchre-0'", "it has 3 rotations"),
        ("UPDATE run SET name = 'winter'", "give another fingerprint"),
        ("UPDATE run SET seed = '" + "00" * 32 + "'", "the published seed is not the committed one"),
        ("UPDATE run SET rating_digest = 'x'", "computed from other results"),
    ],
)
def test_tables_that_do_not_say_what_the_records_say_are_found(path: Path, sql: str, says: str) -> None:
    with Store.open(path) as store:
        game = next(row.id for row in every_game(store, variant="euchre") if row.bots[0] == "ann")
    connection = sqlite3.connect(path)
    with connection:
        assert connection.execute(sql, {"game": game} if ":game" in sql else {}).rowcount == 1
    connection.close()
    found = differences(path)
    assert any(says in line for line in found), found


def test_a_run_under_way_has_no_digest_to_compare(path: Path) -> None:
    """An unfinished run of an older version has the digest of its first sets, which nothing needs any more."""

    def other(results: Sequence[GameResult]) -> ResultsDigest:
        return ResultsDigest("another", 4)

    with Store.open(path) as store:
        assert "other results" in str(verify_run(store[RUN], other)[-1])
        without_seed(path)
        assert verify_run(store[RUN], other) == []


def without_seed(path: Path) -> None:
    change(path, "UPDATE run SET seed = NULL, ended = NULL")


def test_a_record_of_another_game_is_found(path: Path) -> None:
    with Store.open(path) as store:
        one, two = [game for game in store[RUN].game_ids() if "/euchre-0/ann+bob/0/" in game]
    change(path, "UPDATE game SET record = ? WHERE id = ?", record_of(path, two), one)
    assert differences(path) == [f"game {one}: id: the record stored here is that of game {two}"]


def test_a_record_of_another_seed_is_found_before_the_seed_is_published(path: Path) -> None:
    without_seed(path)
    (record, *_) = deal_set("buck", 0, header())[1]
    change(
        path, "UPDATE game SET record = ? WHERE id = ?", canonical(replace(record, commitment="sha256:0")), record.id
    )
    said = "commitment: it is not that of its run, or of a correction that deals its set"
    assert differences(path) == [f"game {record.id}: {said}"]


def test_rotations_of_a_set_that_were_dealt_otherwise_are_found_without_the_seed(path: Path) -> None:
    """ratings.md, Deal sets: the same packs and first dealer in every rotation."""
    without_seed(path)
    own, other = spec_of("euchre", TURNS[1], rotation=1), spec_of("euchre", TURNS[1], rotation=1, seed=bytes(32))
    stranger = replace(play(other, random.Random(0)), commitment=own.commitment)
    change(path, "UPDATE game SET record = ? WHERE id = ?", canonical(stranger), stranger.id)
    found = differences(path)
    assert f"game {own.game_id}: hand 0: pack 0 is not that of its deal set" in found
    assert any(line.startswith(f"game {own.game_id}: first dealer: seat ") for line in found), found


def test_a_row_that_refers_to_nothing_is_found(path: Path) -> None:
    change(path, "DELETE FROM bot WHERE name = 'bob'")
    assert "database: a row of seat refers to a row of bot that is not there" in differences(path)


def test_a_set_with_too_few_rotations_for_its_sides_is_found(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("DELETE FROM seat WHERE game LIKE '%/euchre-0/ann+bob/0/1'")
        connection.execute("DELETE FROM game WHERE id LIKE '%/euchre-0/ann+bob/0/1'")
        connection.execute("UPDATE job SET games = 1 WHERE entry = 'euchre-0' AND set_number = 0")
    connection.close()
    assert f"deal set {RUN}/euchre-0/ann+bob/0: 1 rotations for 2 sides: it is not complete" in differences(path)


def test_a_missing_game_of_a_set_is_found(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        for table, column in (("fault", "game"), ("seat", "game"), ("game", "id")):
            connection.execute(f"DELETE FROM {table} WHERE {column} LIKE '%/buck-0/ann+bob/0/2'")
    connection.close()
    found = differences(path)
    assert any("/buck-0/ann+bob/0: it has 4 rotations; these are stored: 0, 1, 3" in line for line in found), found


def test_a_file_that_is_no_record_is_one_difference() -> None:
    (difference,) = verify_text(b"\xff\xfe")
    assert difference.where == "line 1"
    assert verify_text("nonsense")[0].where == "line 1"


def test_a_file_of_a_good_record_verifies() -> None:
    record = play(spec_of("buck", ("ann", "bob") * 2), random.Random(5))
    assert verify_text(canonical(record)) == []


def test_no_word_of_a_strangers_record_can_steer_a_terminal() -> None:
    text = canonical(play(spec_of("euchre", TURNS[0]), random.Random(1))).replace("id = ", 'id = "\\u001b[2J" # ', 1)
    [difference] = verify_text(text.replace("\\u001b", "\x1b"))
    assert str(difference).isprintable()
    assert str(Difference("\x1b[2J", "here\n", "it\u202e is wrong")).isprintable()
    with pytest.raises(ValueError, match="is not the id of a game"):
        GameId.parse("4f1c9a/\x1b[2J/a+b/0/0")


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("DELETE FROM seat WHERE game = (SELECT MIN(game) FROM fault) AND seat = 3", "table seat: 3 rows"),
        ("DELETE FROM seat WHERE game LIKE '%/euchre-0/%/0/0'", "table seat: 0 rows, but its record gives 4"),
        ("UPDATE game SET id = 'x' WHERE id LIKE '%/euchre-0/%/0/0'", "'x' is not the id of a game"),
        ("DELETE FROM bot WHERE name = 'ann'", "bot 'ann' plays in it but is not one of its bots"),
        ("UPDATE job SET games = 1 << 62", "deal set"),
        ("UPDATE run SET config = 'nothing'", "the run's config: not valid TOML"),
    ],
)
def test_a_run_from_which_another_program_took_rows_is_told_and_not_stumbled_over(
    path: Path, sql: str, said: str
) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql).rowcount
    assert any(said in difference for difference in differences(path))
