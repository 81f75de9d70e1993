"""Bots made with the SDK as processes of a referee (protocol.md, The order of messages and Errors and statuses)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import grpc
import pytest

from bowerbird.seat.v1 import seat_pb2
from tests.support.referee.seat_referee import TOKEN, python_bot, refereed, started

pytestmark = pytest.mark.usefixtures("processes")

FIRST = "def act(self, decision):\n    return 0"


def goodbye() -> seat_pb2.PlayResponse:
    reason = seat_pb2.GOODBYE_REASON_FINISHED
    return seat_pb2.PlayResponse(goodbye=seat_pb2.Goodbye(reason=reason, grace_ms=1000))


def error(message: str, hint: str, *, fatal: bool) -> seat_pb2.PlayResponse:
    code = seat_pb2.ERROR_CODE_TOKEN
    return seat_pb2.PlayResponse(error=seat_pb2.Error(code=code, message=message, hint=hint, fatal=fatal))


def test_hello_carries_the_token_and_what_the_bot_can_do(tmp_path: Path) -> None:
    body = 'name = "mine"\nversion = "3"\ncapabilities = Capabilities(max_tables=5, max_batch=6, wants_events=True)'
    with refereed(python_bot(tmp_path, f"{body}\n{FIRST}")) as (referee, _):
        hello = referee.welcome()
        assert hello == seat_pb2.Hello(
            token=TOKEN,
            protocol_versions=[1],
            bot_name="mine",
            bot_version="3",
            capabilities=seat_pb2.Capabilities(
                max_tables=5, max_batch=6, wants_events=True, resume=True, features=["lone", "low", "misdeal", "show"]
            ),
        )


@pytest.mark.parametrize("address", ["", "localhost:0"], ids=["unix", "tcp"])
def test_goodbye_ends_the_process_with_code_0(tmp_path: Path, address: str) -> None:
    with refereed(python_bot(tmp_path, FIRST), address=address) as (referee, process):
        referee.welcome()
        referee.say(goodbye())
        assert referee.hear() is None
        referee.end()
        assert process.ended().code == 0


def test_a_referee_that_leaves_its_side_open_after_goodbye_does_not_hold_the_bot(tmp_path: Path) -> None:
    with refereed(python_bot(tmp_path, FIRST)) as (referee, process):
        referee.welcome()
        referee.say(goodbye())
        assert process.ended().code == 0


def test_the_end_of_the_stream_ends_the_process_with_code_0(tmp_path: Path) -> None:
    with refereed(python_bot(tmp_path, FIRST)) as (referee, process):
        referee.welcome()
        referee.end()
        assert process.ended().code == 0


def test_a_stream_that_ends_before_its_welcome_is_told(tmp_path: Path) -> None:
    with refereed(python_bot(tmp_path, FIRST)) as (referee, process):
        referee.hear_a("hello")
        referee.end()
        ended = process.ended()
        assert ended.code == 1
        assert "ended the stream before its Welcome" in ended.stderr


def test_a_referee_that_is_killed_ends_the_process_with_code_0(tmp_path: Path) -> None:
    with refereed(python_bot(tmp_path, FIRST)) as (referee, process):
        referee.welcome()
        referee.stop()
        ended = process.ended()
        assert ended.code == 0
        assert "the stream to the referee ended" in ended.stderr


def test_started_by_hand_it_says_how_it_is_started(tmp_path: Path) -> None:
    with started(python_bot(tmp_path, FIRST)) as process:
        ended = process.ended()
        assert ended.code == 1
        assert ended.stderr == (
            "BOWERBIRD_ADDRESS is not set: this program is started by bowerbird; try "
            "`bowerbird match FOLDER random --variant euchre`, or bowerbird.sdk.play in a program of your own\n"
        )


def test_started_by_hand_in_its_folder_it_says_the_whole_command(tmp_path: Path) -> None:
    (tmp_path / "my bot").mkdir()
    (tmp_path / "my bot" / "bot.toml").touch()
    with started(python_bot(tmp_path / "my bot", FIRST)) as process:
        assert f"try `bowerbird match '{tmp_path}/my bot' random --variant euchre`" in process.ended().stderr


def test_a_bot_that_cannot_play_says_so_before_it_dials(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text("from bowerbird.harness.sdk import Bot, run\n\nclass MyBot(Bot):\n    pass\n\nrun(MyBot)\n")
    with started([sys.executable, str(script)], {"BOWERBIRD_ADDRESS": f"unix:{tmp_path}/nobody"}) as process:
        ended = process.ended()
        assert (ended.code, ended.stderr) == (1, "MyBot is a class, not a bot: write MyBot()\n")


def test_what_a_bot_prints_is_in_its_log_when_it_is_killed(tmp_path: Path) -> None:
    body = "def prepare(self):\n    import os\n    print('thinking')\n    os.kill(os.getpid(), 9)"
    with refereed(python_bot(tmp_path, f"{body}\n{FIRST}")) as (referee, process):
        referee.hear_a("hello")
        referee.say(seat_pb2.PlayResponse(welcome=seat_pb2.Welcome(protocol_version=1, awaits_ready=True)))
        ended = process.ended()
        assert (ended.code, ended.stdout) == (-9, "thinking\n")


def test_without_a_referee_it_says_where_it_looked(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/nobody"
    with started(python_bot(tmp_path, FIRST), {"BOWERBIRD_ADDRESS": address}) as process:
        ended = process.ended()
        assert ended.code == 1
        assert ended.stderr.startswith(f"no referee answers at BOWERBIRD_ADDRESS={address}: ")
        assert "Traceback" not in ended.stderr


def test_a_protocol_that_is_not_spoken_is_refused_before_dialling(tmp_path: Path) -> None:
    with refereed(python_bot(tmp_path, FIRST), {"BOWERBIRD_PROTOCOLS": "2,3"}) as (_, process):
        ended = process.ended()
        assert ended.code == 1
        assert ended.stderr == "the referee speaks protocol 2,3 (BOWERBIRD_PROTOCOLS); this bot speaks 1\n"


def test_a_bot_that_cannot_say_hello_says_nothing_else_first(tmp_path: Path) -> None:
    """A referee takes any other first message for a stranger's."""
    with refereed(python_bot(tmp_path, f"version = 3\n{FIRST}")) as (referee, process):
        ended = process.ended()
        assert (ended.code, "TypeError" in ended.stderr) == (1, True)
        assert referee._heard.empty()


def test_a_version_that_the_bot_did_not_offer_is_refused(tmp_path: Path) -> None:
    with refereed(python_bot(tmp_path, FIRST)) as (referee, process):
        referee.hear_a("hello")
        referee.say(seat_pb2.PlayResponse(welcome=seat_pb2.Welcome(protocol_version=99)))
        assert referee.hear() is None
        referee.end()
        ended = process.ended()
        assert (ended.code, ended.stderr) == (1, "the referee chose protocol 99; this bot speaks 1\n")


def test_a_fatal_error_is_told_in_one_sentence(tmp_path: Path) -> None:
    with refereed(python_bot(tmp_path, FIRST)) as (referee, process):
        referee.hear_a("hello")
        referee.say(error("the token is wrong", "a token works once", fatal=True))
        referee.end()
        ended = process.ended()
        sentence = "the referee ended the session: the token is wrong (a token works once)\n"
        assert (ended.code, ended.stderr) == (1, sentence)


def test_an_error_that_is_not_fatal_is_logged_and_play_goes_on(tmp_path: Path) -> None:
    with refereed(python_bot(tmp_path, FIRST)) as (referee, process):
        referee.welcome()
        referee.say(error("that was late", "", fatal=False))
        referee.say(seat_pb2.PlayResponse(ping=seat_pb2.Ping(ping_id=7)))
        assert referee.hear_a("pong").pong.ping_id == 7
        referee.end()
        assert "the referee says: that was late" in process.ended().stderr


def test_a_bot_that_raises_tells_both_sides(tmp_path: Path) -> None:
    body = "def prepare(self):\n    raise RuntimeError('no model here')"
    with refereed(python_bot(tmp_path, f"{body}\n{FIRST}")) as (referee, process):
        referee.hear_a("hello")
        referee.say(seat_pb2.PlayResponse(welcome=seat_pb2.Welcome(protocol_version=1, awaits_ready=True)))
        fault = referee.hear_a("bot_fault").bot_fault
        assert fault.message == "RuntimeError: no model here"
        assert "in prepare" in fault.detail
        assert referee.hear() is None
        referee.end()
        ended = process.ended()
        assert ended.code == 1
        assert "Traceback" in ended.stderr
        assert "RuntimeError: no model here" in ended.stderr


def test_noise_on_stdout_is_harmless(tmp_path: Path) -> None:
    body = "def prepare(self):\n    print('noise ' * 4000, flush=True)"
    with refereed(python_bot(tmp_path, f"{body}\n{FIRST}")) as (referee, process):
        referee.welcome()
        referee.say(goodbye())
        referee.end()
        ended = process.ended()
        assert ended.code == 0
        assert ended.stdout.startswith("noise ")


def test_unknown_messages_and_fields_are_ignored(tmp_path: Path) -> None:
    """Rule 9: field 500 of PlayResponse, alone and inside a Welcome, as a later v1 may send it."""
    later = bytes([500 << 3 & 0x7F | 0x82, 500 >> 4, 4]) + b"more"
    assert seat_pb2.PlayResponse.FromString(later).WhichOneof("message") is None
    welcome = seat_pb2.Welcome(protocol_version=1, awaits_ready=True).SerializeToString() + later
    with refereed(python_bot(tmp_path, FIRST)) as (referee, process):
        referee.hear_a("hello")
        referee.say(later)
        referee.say(bytes([0x0A, len(welcome)]) + welcome)
        referee.hear_a("ready")
        referee.say(goodbye())
        referee.end()
        assert process.ended().code == 0


@pytest.mark.toolchain("openssl")
def test_over_tls_it_trusts_the_authority_that_it_was_given(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "ca.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    make += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(make, check=True, capture_output=True)
    credentials = grpc.ssl_server_credentials([(key.read_bytes(), certificate.read_bytes())])
    command = python_bot(tmp_path, FIRST)
    trusting = {"BOWERBIRD_CA": str(certificate)}
    with refereed(command, trusting, address="localhost:0", credentials=credentials) as (referee, process):
        referee.welcome()
        referee.say(goodbye())
        referee.end()
        assert process.ended().code == 0
    with refereed(command, address="localhost:0", credentials=credentials) as (_, process):
        assert process.ended().code == 1, "a plain-text bot must not get through to a TLS referee"


def test_a_certificate_authority_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with refereed(python_bot(tmp_path, FIRST), {"BOWERBIRD_CA": "/nowhere/ca.pem"}) as (_, process):
        ended = process.ended()
        assert ended.code == 1
        assert ended.stderr.startswith("the certificate authority that BOWERBIRD_CA names cannot be read: ")
        assert "/nowhere/ca.pem" in ended.stderr


def test_a_certificate_authority_without_a_certificate_is_named(tmp_path: Path) -> None:
    trust = tmp_path / "trust.pem"
    trust.write_text("no certificate")
    environment = {"BOWERBIRD_ADDRESS": "localhost:1", "BOWERBIRD_CA": str(trust)}
    with started(python_bot(tmp_path, FIRST), environment) as process:
        ended = process.ended()
        assert ended.code == 1
        assert ended.stderr.startswith(
            f"BOWERBIRD_CA={trust} holds no certificate: the PEM file that came with the token"
        )
