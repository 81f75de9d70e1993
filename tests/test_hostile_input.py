"""Input that nobody sane writes is refused in a sentence of bounded length (faults.md row 58)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from bowerbird.harness.extras.drand.fetching import NoRoundError, read_answer
from bowerbird.harness.extras.egn.errors import EgnError
from bowerbird.harness.extras.egn.fields import parse
from bowerbird.harness.extras.league.errors import LeagueError
from bowerbird.harness.extras.league.league_file import parse_league
from bowerbird.harness.extras.play.bot_line import says
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import LONGEST_SENTENCE, bounded_sentence
from bowerbird.harness.records.text.bounded_json import load_json
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.toml.keys import duration_ms
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.errors import ConfigError
from tests.support.hostile_texts import HOSTILE, LONG, NESTED, SPACED
from tests.support.syntax import trees

JSON_READERS = {
    "harness/records/text/bounded_json.py",
    "harness/records/text/reader.py",  # texts that its patterns have matched
    "harness/records/text/strict_reader.py",
    "harness/records/store/tables/table.py",  # it catches all of it
    "harness/records/store/tables/games.py",  # the times that `table` has checked
    "harness/extras/egn/fields.py",  # with hooks; it catches all of it
    "harness/referee/process/supervisor_main.py",  # lines between our own processes
    "harness/referee/process/supervisor.py",
    "harness/tournament/preparation/build.py",
    "harness/extras/play/session.py",
    "harness/extras/play/ordered_run.py",
    "harness/extras/envs/workers.py",
}
"""The files that may parse JSON themselves."""


def league(text: str, folder: Path) -> object:
    found = parse_league(text, folder / "l.toml")
    _, wrong = found.bots()
    assert all(len(sentence) <= LONGEST_SENTENCE for sentence in wrong)
    return found


def tournament(text: str, folder: Path) -> object:
    (folder / "t.toml").write_text(text, encoding="utf-8")
    return load_tournament(folder / "t.toml")


def bot(text: str, folder: Path) -> object:
    (folder / "bot.toml").write_text(text, encoding="utf-8")
    return load_bot(folder)


@pytest.mark.parametrize("read", [league, tournament, bot])
def test_hostile_files_are_refused_in_a_bounded_sentence(read: Callable[[str, Path], object], tmp_path: Path) -> None:
    refused = []
    for text in HOSTILE:
        try:
            read(text, tmp_path)
        except (ConfigError, LeagueError) as error:
            refused.append(str(error))
    assert len(refused) > len(HOSTILE) / 2, "few of them have a form that another kind of file allows"
    assert [sentence[:60] for sentence in refused if len(sentence) > LONGEST_SENTENCE] == []


def test_a_sentence_keeps_both_ends_of_what_it_cuts() -> None:
    sentence = bounded_sentence(f"cup.toml, line 4: unknown key '{LONG}' in [tournament], did you mean 'sets'?")
    assert sentence.startswith("cup.toml, line 4: unknown key 'kkk")
    assert sentence.endswith("kkk' in [tournament], did you mean 'sets'?")
    assert len(sentence) < 300
    copied = f"To resume:\n  bowerbird runs resume {LONG}"
    assert bounded_sentence(copied) == copied
    assert len(bounded_sentence("a\n" * 1000).splitlines()) == 51
    assert len(str(StoreError(SPACED))) <= LONGEST_SENTENCE


@pytest.mark.parametrize("text", [NESTED, NESTED.encode(), "9" * 5000, b"\xff", "{", "", '{"a":' * 4000])
def test_json_that_no_program_writes_is_one_error(text: bytes | str) -> None:
    with pytest.raises(ValueError, match=r"."):
        load_json(text)
    line = text.encode() if isinstance(text, str) else text
    assert not says(line, "secret")
    with pytest.raises(NoRoundError):
        read_answer(line, 1)
    with pytest.raises(EgnError):
        parse(line)


@pytest.mark.parametrize("line", [b"[]", b"1", b'{"secret": "\\ud800"}', b'{"secret": 1}', b"{}", b"null"])
def test_a_stranger_on_the_socket_of_a_game_does_not_say_its_secret(line: bytes) -> None:
    assert not says(line, "secret")


def test_absurd_durations_are_none() -> None:
    assert duration_ms("9" * 400 + "h") is None
    assert duration_ms("1." + "9" * 400 + "h") is None
    assert duration_ms("1.5s") == 1500


def test_json_of_strangers_is_parsed_in_one_place() -> None:
    found = {
        file
        for file, tree in trees("harness", "json.load")
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("json.loads", "json.load")
    }
    assert found <= JSON_READERS, (
        f"parse with bowerbird.harness.records.text.bounded_json.load_json: {found - JSON_READERS}"
    )
    assert JSON_READERS - found <= {"harness/records/text/strict_reader.py"} or not JSON_READERS - found
