"""The starters: small, pinned without addresses, and each a legal bot for every variant in its language."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from bowerbird.harness.referee.remote.certificate import Certificate, self_signed
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.seat.v1 import seat_pb2
from tests.support.bots.built_bots import ready
from tests.support.bots.random_bot_laws import RandomBotLaws
from tests.support.paths import ROOT
from tests.support.referee.seat_referee import TOKEN, BotProcess, SeatReferee, refereed, started

STARTERS = ROOT / "bots" / "starters"
LONGEST = 60
"""protocol.md, Decisions: lines of code, without blank lines, comments and imports."""

CODE = {
    "python": "bot.py",
    "go": "main.go",
    "rust": "src/main.rs",
    "java": "src/main/java/RandomBot.java",
    "node": "main.ts",
    "cpp": "main.cpp",
}
SESSION = {
    "go": "session.go",
    "rust": "src/session.rs",
    "java": "src/main/java/Session.java",
    "node": "session.ts",
    "cpp": "session.h",
}
"""The files that resume a session; Python has that code in the SDK."""

LONGEST_SESSION = 90
NO_CODE = ("//", "#", "import ", "from ", "use ", "package ", '"""')


def _lines(text: str) -> int:
    """Count lines of code; an import block in parentheses (Go) counts as one import."""
    count = 0
    in_imports = False
    for line in map(str.strip, text.splitlines()):
        in_imports = (in_imports or line == "import (") and line != ")"
        count += not in_imports and bool(line) and not line.startswith(NO_CODE)
    return count


@pytest.mark.parametrize("language", CODE)
def test_a_starter_leaves_the_author_to_its_author(language: str) -> None:
    manifest = STARTERS / language / "bot.toml"
    assert 'author = ""  # your name' in manifest.read_text(encoding="utf-8")
    assert load_bot(manifest).author == ""


@pytest.mark.parametrize("language", CODE)
def test_a_starter_fits_on_one_page(language: str) -> None:
    count = _lines((STARTERS / language / CODE[language]).read_text(encoding="utf-8"))
    assert 3 < count <= LONGEST, f"{language}: {count} lines of code, {LONGEST} are allowed"


@pytest.mark.parametrize("language", SESSION)
def test_what_takes_a_session_up_again_is_short_and_explained(language: str) -> None:
    name = SESSION[language]
    count = _lines((STARTERS / language / name).read_text(encoding="utf-8"))
    assert 30 < count <= LONGEST_SESSION, f"{name}: {count} lines of code, {LONGEST_SESSION} are allowed"
    assert f"`{Path(name).name}`" in (STARTERS / language / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", CODE)
def test_a_starter_explains_itself_and_carries_the_protocol(language: str) -> None:
    folder = STARTERS / language
    assert "check-bot" in (folder / "README.md").read_text(encoding="utf-8")
    described = tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8"))
    assert described["name"] == language
    if language != "python":
        assert described["build"]
        assert (folder / "proto" / "bowerbird" / "seat" / "v1" / "seat.proto").is_file()


def test_no_starter_names_where_packages_come_from() -> None:
    made = {"target", "node_modules", "__pycache__"}
    files = [
        path for path in STARTERS.rglob("*") if path.is_file() and not made & set(path.relative_to(STARTERS).parts)
    ]
    assert len(files) > 25
    named = [str(path.relative_to(STARTERS)) for path in files if "://" in _without_schemes(path)]
    assert not named, f"addresses stand in {named}"


def _without_schemes(path: Path) -> str:
    """Return a file's text without the targets that a bot dials, which are no package addresses."""
    return path.read_text(encoding="utf-8").replace("{scheme}://{address}", "")


@pytest.fixture(scope="class")
def built(request: pytest.FixtureRequest, processes: None) -> None:
    """Build the starter as a run does, once for each state of its files, even if several test processes ask for it."""
    ready(request.cls.folder)


SECRET = "the secret of the session"
CERTIFICATE = self_signed(["localhost"])
"""The certificate of a referee on another machine."""


class StarterLaws(RandomBotLaws):
    """Tests of one starter; a subclass names its language.

    tests/e2e/test_e2e_starters.py checks that nothing is lost when connections break; these tests check that the bot
    ends.
    """

    def __init_subclass__(cls) -> None:
        cls.folder = cls.cwd = STARTERS / cls.__name__.removeprefix("Test").lower()
        cls.command = load_bot(cls.folder).command

    @contextmanager
    def resumable(self, keep_ms: int) -> Iterator[tuple[SeatReferee, BotProcess]]:
        """Start a bot whose session may be resumed for this time."""
        with refereed(self.command, cwd=self.cwd) as (referee, process):
            assert referee.hear_a("hello").hello.capabilities.resume
            referee.say(_welcome(SECRET, keep_ms, awaits_ready=True))
            referee.hear_a("ready")
            yield referee, process

    @contextmanager
    def trusting(self, folder: Path, trusted: Certificate) -> Iterator[tuple[SeatReferee, BotProcess]]:
        """Start a bot that trusts this certificate, and a referee that has CERTIFICATE."""
        file = folder / "trust.pem"
        file.write_bytes(trusted.trust)
        credentials = grpc.ssl_server_credentials([(CERTIFICATE.key, CERTIFICATE.chain)])
        trust = {"BOWERBIRD_CA": str(file)}
        made = refereed(self.command, trust, cwd=self.cwd, address="localhost:0", credentials=credentials)
        with made as (referee, process):
            yield referee, process

    def test_it_leaves_when_nobody_is_there_to_take_its_session_up_again(self) -> None:
        with self.resumable(keep_ms=300) as (referee, process):
            referee.stop()
            assert process.ended().code == 0

    def test_a_damaged_certificate_ends_it_with_a_sentence(self, tmp_path: Path) -> None:
        """Libraries may have written lines of their own before, but no stack trace."""
        file = tmp_path / "trust.pem"
        file.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        dial = {"BOWERBIRD_ADDRESS": "localhost:1", "BOWERBIRD_CA": str(file)}
        with started(self.command, dial, cwd=self.cwd) as bot:
            ended = bot.ended()
        assert ended.code == 1
        assert ended.stderr.splitlines()[-1].startswith((f"BOWERBIRD_CA={file} holds no", "no referee answers at "))

    def test_over_tls_it_sends_its_token_again_until_it_is_welcome(self, tmp_path: Path) -> None:
        with self.trusting(tmp_path, CERTIFICATE) as (referee, process):
            for _ in range(2):
                assert _dialled(referee) == (TOKEN, "")
                referee.end()
                assert referee.hear() is None
            assert referee.welcome().token == TOKEN
            referee.say(seat_pb2.PlayResponse(goodbye=seat_pb2.Goodbye(grace_ms=1000)))
            assert referee.hear() is None
            referee.end()
            assert process.ended().code == 0

    def test_a_referee_with_another_certificate_ends_it_with_a_sentence(self, tmp_path: Path) -> None:
        with self.trusting(tmp_path, self_signed(["localhost"])) as (_, process):
            ended = process.ended()
        assert ended.code == 1
        assert "no referee answers at " in ended.stderr

    def test_at_home_it_ends_with_its_first_stream(self) -> None:
        with refereed(self.command, cwd=self.cwd) as (referee, process):
            referee.hear_a("hello")
            referee.end()
            process.ended()

    def test_it_comes_back_with_the_latest_secret_and_says_ready_only_where_it_is_asked(self) -> None:
        with self.resumable(keep_ms=60_000) as (referee, process):
            secrets = [SECRET, "another secret", "a third"]
            for secret, later, awaits_ready in zip(
                secrets, [*secrets[1:], "the last"], (False, True, False), strict=True
            ):
                referee.end()
                assert referee.hear() is None
                assert _dialled(referee) == ("", secret)
                referee.say(_welcome(later, 60_000, awaits_ready=awaits_ready))
                referee.say(seat_pb2.PlayResponse(ping=seat_pb2.Ping(ping_id=7)))
                if awaits_ready:
                    referee.hear_a("ready")
                referee.hear_a("pong")
            referee.say(seat_pb2.PlayResponse(goodbye=seat_pb2.Goodbye(grace_ms=1000)))
            assert referee.hear() is None
            referee.end()
            assert process.ended().code == 0

    def test_it_comes_back_after_a_break_before_the_welcome_and_after_a_refusal_for_now(self) -> None:
        busy = seat_pb2.Error(message="not now", hint="wait", fatal=True, retryable=True, retry_after_ms=300)
        with self.resumable(keep_ms=60_000) as (referee, process):
            for response in (None, seat_pb2.PlayResponse(error=busy), None):
                referee.end()
                assert referee.hear() is None
                assert _dialled(referee) == ("", SECRET)
                if response is not None:
                    referee.say(response)
            referee.say(_welcome(SECRET, 60_000, awaits_ready=False))
            referee.say(seat_pb2.PlayResponse(goodbye=seat_pb2.Goodbye(grace_ms=1000)))
            assert referee.hear() is None
            referee.end()
            assert process.ended().code == 0

    def test_a_refusal_is_forgotten_once_nobody_is_there_any_more(self) -> None:
        """The last stream counts: if the referee is gone, the end is an ordinary one."""
        busy = seat_pb2.Error(message="not now", hint="wait", fatal=True, retryable=True)
        with self.resumable(keep_ms=3000) as (referee, process):
            referee.end()
            assert referee.hear() is None
            assert _dialled(referee) == ("", SECRET)
            referee.say(seat_pb2.PlayResponse(error=busy))
            referee.end()
            assert referee.hear() is None
            referee.hear_a("hello")
            referee.stop()
            assert process.ended().code == 0

    def test_it_tells_that_its_session_is_over_and_does_not_come_back(self) -> None:
        """Its seats would be kept for longer than this test waits."""
        refusal = seat_pb2.Error(message="that session is over", hint="start it with a spare token", fatal=True)
        with self.resumable(keep_ms=600_000) as (referee, process):
            referee.end()
            assert referee.hear() is None
            assert _dialled(referee) == ("", SECRET)
            referee.say(seat_pb2.PlayResponse(error=refusal))
            referee.end()
            ended = process.ended()
        assert ended.code == 1
        assert ended.stderr.count("that session is over") == 1

    def test_what_follows_a_goodbye_does_not_matter(self) -> None:
        """A referee that takes the stream for lost may refuse it then; the session is over all the same."""
        refusal = seat_pb2.Error(message="that session is over", fatal=True)
        with self.resumable(keep_ms=600_000) as (referee, process):
            referee.say(seat_pb2.PlayResponse(goodbye=seat_pb2.Goodbye(grace_ms=1000)))
            referee.say(seat_pb2.PlayResponse(error=refusal))
            referee.end()
            assert process.ended().code == 0


def _welcome(secret: str, keep_ms: int, *, awaits_ready: bool) -> seat_pb2.PlayResponse:
    """Return the Welcome of a session that can be resumed."""
    return seat_pb2.PlayResponse(
        welcome=seat_pb2.Welcome(
            protocol_version=1, session_secret=secret, resume_ms=keep_ms, awaits_ready=awaits_ready
        )
    )


def _dialled(referee: SeatReferee) -> tuple[str, str]:
    """Return token and secret with which the bot comes back."""
    hello = referee.hear_a("hello").hello
    return hello.token, hello.session_secret


@pytest.mark.usefixtures("built")
class TestPython(StarterLaws):
    pass


@pytest.mark.toolchain("go", "protoc")
@pytest.mark.usefixtures("built")
class TestGo(StarterLaws):
    pass


@pytest.mark.toolchain("cargo", "protoc")
@pytest.mark.usefixtures("built")
class TestRust(StarterLaws):
    pass


@pytest.mark.toolchain("java", "javac", "mvn")
@pytest.mark.usefixtures("built")
class TestJava(StarterLaws):
    pass


@pytest.mark.toolchain("node", "npm")
@pytest.mark.usefixtures("built")
class TestNode(StarterLaws):
    pass


@pytest.mark.toolchain("cmake", "g++", "protoc", "grpc_cpp_plugin", "pkg-config")
@pytest.mark.usefixtures("built")
class TestCpp(StarterLaws):
    pass
