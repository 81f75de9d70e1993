"""Laws of a bot that plays at random, in any language."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from bowerbird.engine import rules_of, variant_names
from bowerbird.harness.extras.compliance.scenarios import Scenario
from bowerbird.seat.v1 import seat_pb2
from tests.support.referee.seat_referee import TOKEN, refereed, started
from tests.support.referee.seat_tables import open_table, play_tables


class RandomBotLaws:
    """Tests of one random bot; a subclass names its folder and command."""

    folder: Path
    command: Sequence[str]
    cwd: Path

    def test_it_says_hello_and_leaves_on_goodbye(self) -> None:
        with refereed(self.command, cwd=self.cwd) as (referee, process):
            hello = referee.welcome()
            assert hello.token == TOKEN
            assert list(hello.protocol_versions) == [1]
            referee.say(seat_pb2.PlayResponse(goodbye=seat_pb2.Goodbye(grace_ms=1000)))
            assert referee.hear() is None
            referee.end()
            assert process.ended().code == 0

    def test_it_leaves_at_the_end_of_the_stream(self) -> None:
        """protocol.md, The order of messages."""
        with refereed(self.command, cwd=self.cwd) as (referee, process):
            referee.welcome()
            referee.end()
            assert process.ended().code == 0

    def test_it_leaves_when_the_referee_is_killed(self) -> None:
        """protocol.md, The order of messages."""
        with refereed(self.command, cwd=self.cwd) as (referee, process):
            referee.welcome()
            referee.stop()
            assert process.ended().code == 0

    def test_it_plays_every_variant_at_every_seat(self) -> None:
        """protocol.md, Decisions; over TCP, with batches of several tables."""
        with refereed(self.command, cwd=self.cwd, address="localhost:0") as (referee, process):
            referee.welcome()
            tables = [
                open_table(referee, f"{variant} {seat}", Scenario(variant, seat))
                for variant in variant_names()
                for seat in range(rules_of(variant).seats())
            ]
            play_tables(referee, tables, batch=32)
            assert all(table.game.is_over for table in tables)
            referee.end()
            assert process.ended().code == 0

    def test_it_is_reproducible(self) -> None:
        """The same seed gives the same choices, however the decisions come."""

        def made(batch: int) -> list[list[str]]:
            with refereed(self.command, cwd=self.cwd) as (referee, _):
                referee.welcome()
                deals = [Scenario("buck", 0, hands=5, number=number) for number in range(5)]
                tables = [open_table(referee, f"t{deal.number}", deal) for deal in deals]
                return play_tables(referee, tables, batch)

        chosen = made(batch=1)
        assert chosen == made(batch=5)
        assert len({tuple(actions) for actions in chosen}) == len(chosen)

    def test_it_refuses_a_protocol_that_it_does_not_speak(self) -> None:
        with started(self.command, {"BOWERBIRD_ADDRESS": "unix:/x", "BOWERBIRD_PROTOCOLS": "7"}, cwd=self.cwd) as bot:
            ended = bot.ended()
            assert ended.code == 1
            assert "speaks protocol 7" in ended.stderr

    def test_it_tells_why_it_was_refused(self) -> None:
        """A fatal Error is shown with its hint, and the exit code is 1."""
        refusal = seat_pb2.Error(message="this token is not known here", hint="send another", fatal=True)
        with refereed(self.command, cwd=self.cwd) as (referee, process):
            referee.hear_a("hello")
            referee.say(seat_pb2.PlayResponse(error=refusal))
            referee.end()
            ended = process.ended()
            assert ended.code == 1
            assert "this token is not known here" in ended.stderr
            assert "send another" in ended.stderr

    def test_a_certificate_that_cannot_be_read_is_named(self, tmp_path: Path) -> None:
        for path in (tmp_path / "none.pem", tmp_path):
            told = self._trusting(path)
            assert told.startswith("the certificate authority that BOWERBIRD_CA names cannot be read: ")
            assert str(path) in told

    def test_a_file_without_a_certificate_is_told_in_one_sentence(self, tmp_path: Path) -> None:
        """As in the Python SDK, before the bot dials: an empty file, a file that is not PEM, and a PEM file of another
        kind."""
        file = tmp_path / "trust.pem"
        for text in ("", "no certificate\n", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"):
            file.write_text(text)
            told = self._trusting(file)
            need = "the PEM file that came with the token is needed"
            assert told == f"BOWERBIRD_CA={file} holds no certificate: {need}", repr(text)

    def _trusting(self, authority: Path) -> str:
        """Run the bot with an unusable BOWERBIRD_CA; return its one line of stderr. Its exit code must be 1."""
        dial = {"BOWERBIRD_ADDRESS": "localhost:1", "BOWERBIRD_CA": str(authority)}
        with started(self.command, dial, cwd=self.cwd) as bot:
            ended = bot.ended()
        assert ended.code == 1, ended
        lines = ended.stderr.splitlines()
        assert len(lines) == 1, ended.stderr
        return lines[0]

    def test_started_by_hand_it_says_how_it_is_started(self) -> None:
        with started(self.command, cwd=self.cwd) as bot:
            ended = bot.ended()
            assert ended.code == 1
            assert ended.stderr.startswith("BOWERBIRD_ADDRESS is not set: this program is started by bowerbird")
            assert len(ended.stderr.splitlines()) == 1

    def test_its_file_is_complete(self) -> None:
        """bot-file.md."""
        described = tomllib.loads((self.folder / "bot.toml").read_text(encoding="utf-8"))
        assert described["name"] == self.folder.name
        assert described["variants"] == ["*"]
        assert {"version", "author", "command", "tables", "memory_mb"} <= set(described)
