"""Files of strangers and organisers: each is read, or refused by the one error of its reader, in a bounded sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import strategies as st

from bowerbird.engine import EngineError
from bowerbird.harness.extras.compliance.transcripts import transcript_file
from bowerbird.harness.extras.egn.errors import EgnError
from bowerbird.harness.extras.egn.fields import parse
from bowerbird.harness.extras.egn.judge import judged
from bowerbird.harness.extras.league.errors import LeagueError
from bowerbird.harness.extras.league.league_file import parse_league
from bowerbird.harness.records.archive.archive import open_archive
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import LONGEST_SENTENCE
from bowerbird.harness.records.replay.replay import check as check_record
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.errors import TournamentError
from tests.support.fuzz.mutation import NASTY, Fuzz, nearly
from tests.support.paths import ROOT
from tests.support.records.archives import exported
from tests.support.records.egn_files import base
from tests.support.records.stored_runs import store_run

GAMES = ROOT / "tests/fixtures/games"

TOURNAMENT = b"""
[tournament]
name = "autumn"
sets = 4
seed = "x"
max_share = 0.5
beacon_source = "drand quicknet 1000"
[time]
per_decision = "250ms"
bank = "1.5s"
[[variant]]
name = "buck"
options = { max_hands = 2 }
[[bot]]
path = "greedy"
[[bot]]
path = "random"
name = "other"
arguments = ["--fast"]
"""

LEAGUE = b'[league]\nepoch = "4 sets"\npause = "1m"\n[[variant]]\nname = "buck"\n[[bot]]\npath = "greedy"\n'

BOT = b"""
name = "ada"
version = "1"
command = ["{python}", "bot.py"]
cwd = "."
tables = 4
files = []
[environment]
A = "b"
[sandbox]
read = ["/usr"]
network = "example.org:443"
"""


def bounded(error: Exception) -> None:
    assert len(str(error)) <= LONGEST_SENTENCE, len(str(error))


def test_records(fuzz: Fuzz[bytes]) -> None:
    def check(data: bytes) -> None:
        try:
            check_record(read(data))
        except EngineError:
            return

    fuzz(nearly([file.read_bytes() for file in sorted(GAMES.glob("*/*"))[:40]]), check)


def test_archives(fuzz: Fuzz[bytes], tmp_path: Path) -> None:
    database = tmp_path / "x.db"
    archive = exported(database, store_run(database, variants=("two-handed",))).read_bytes()

    def check(data: bytes) -> None:
        file = tmp_path / "changed.tar.gz"
        file.write_bytes(data)
        try:
            with open_archive(file) as opened:
                for _ in opened.games:
                    pass
        except StoreError as error:
            bounded(error)

    fuzz(nearly([archive]), check)


def test_egn(fuzz: Fuzz[bytes]) -> None:
    def check(data: bytes) -> None:
        try:
            judged(parse(data))
        except EgnError:
            return

    fuzz(nearly([json.dumps(base()).encode(), json.dumps(base(), indent=1).encode()]), check)


def test_transcripts(fuzz: Fuzz[bytes]) -> None:
    def check(data: bytes) -> None:
        try:
            transcript_file.read(data)
        except transcript_file.TranscriptError:
            return

    fuzz(nearly([(ROOT / "docs/transcripts/euchre.jsonl").read_bytes()]), check)


@pytest.mark.parametrize("kind", ["tournament", "league", "bot"])
def test_toml(fuzz: Fuzz[bytes], tmp_path: Path, kind: str) -> None:
    file = tmp_path / "bot.toml"
    (tmp_path / "bot.py").touch()

    def check(data: bytes) -> None:
        file.write_bytes(data)
        try:
            if kind == "tournament":
                load_tournament(file)
            elif kind == "bot":
                load_bot(tmp_path)
            else:
                _, wrong = parse_league(data.decode(errors="replace"), file).bots()
                assert all(len(sentence) <= LONGEST_SENTENCE for sentence in wrong)
        except (TournamentError, LeagueError) as error:
            bounded(error)

    seed = {"tournament": TOURNAMENT, "league": LEAGUE, "bot": BOT}[kind]
    fuzz(st.one_of(nearly([seed]), _replaced(seed)), check)


def _replaced(seed: bytes) -> st.SearchStrategy[bytes]:
    """Return a strategy for files in which one value, or one key, is another text."""
    words = [word for word in seed.replace(b"=", b" ").split() if len(word) > 1]
    return st.builds(
        lambda word, other: seed.replace(word, b'"' + other.replace(b'"', b"") + b'"', 1),
        st.sampled_from(words),
        st.one_of(st.sampled_from(NASTY), st.text(max_size=20).map(lambda text: text.encode(errors="replace"))),
    )
