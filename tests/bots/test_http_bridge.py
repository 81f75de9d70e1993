"""`bowerbird.bots.http` in front of real services: what fails there is told as the service's fault (bridges.md)."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.bots.http.endpoint import Address
from bowerbird.harness.extras.compliance.check import check
from bowerbird.harness.extras.compliance.config import CheckConfig, Timeouts
from bowerbird.harness.extras.compliance.requirements import requirements_for
from bowerbird.harness.extras.compliance.results import Verdict
from bowerbird.harness.records.values.game_record import NO_ISOLATION, TimeControl
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT
from tests.support.referee.offence import Offence, offend
from tests.support.referee.tables import bot

pytestmark = pytest.mark.usefixtures("processes")

SERVICE = ROOT / "tests" / "support" / "bots" / "foreign_service.py"

GENEROUS = TimeControl(per_decision_ms=1000, bank_ms=500, margin_ms=1000, startup_ms=30_000)
"""For a service that is late: the bridge says so before the referee's margin ends."""


@contextmanager
def serving(mode: str, folder: Path) -> Iterator[str]:
    """Run the service with a defect and yield its URL."""
    port = folder / "port"
    process = subprocess.Popen([sys.executable, str(SERVICE), mode, str(port)])
    try:
        until = time.monotonic() + DEADLINE_S
        while not port.exists():
            assert time.monotonic() < until, "the service did not start"
            time.sleep(0.02)
        if mode == "refuses":
            process.kill()
            process.wait()
        yield f"http://127.0.0.1:{port.read_text()}/play"
    finally:
        process.kill()
        process.wait()


def played(mode: str, folder: Path, *arguments: str, clock: TimeControl | None = None, **environment: str) -> Offence:
    workspace = folder / "play"
    workspace.mkdir()
    with serving(mode, folder) as url:
        command = (sys.executable, "-P", "-m", "bowerbird.bots.http", url, *arguments)
        return offend(workspace, bot("bad", command=command, tables=2, **environment), time=clock)


@pytest.mark.parametrize(
    ("mode", "kind", "detail"),
    [
        ("500", "PROTOCOL", "answered 500 Internal Server Error: '<h1>Internal\\x1b[31m error</h1>'"),
        ("redirect", "PROTOCOL", "answered 302 Found"),
        ("garbage", "PROTOCOL", "answered '\\ufffd\\ufffd best: pass', which is not JSON"),
        ("illegal", "ILLEGAL", "action 'play 2x'"),
        ("not http", "PROTOCOL", "sent an answer that is not HTTP"),
        ("large", "PROTOCOL", "answered with more than 65,536 bytes"),
        ("cut off", "PROTOCOL", "broke off its answer"),
        ("hangs up", "PROTOCOL", "closed the connection without an answer"),
        ("dies", "PROTOCOL", "the service at http://127.0.0.1:"),  # it refuses, or closes as it dies
        ("refuses", "NEVER_STARTED", "cannot be reached: Connection refused"),
        ("500 at start", "NEVER_STARTED", "answered 500 Internal Server Error"),
    ],
)
def test_what_a_service_does_wrong_is_the_fault_of_its_bot(tmp_path: Path, mode: str, kind: str, detail: str) -> None:
    fault = played(mode, tmp_path).fault
    assert (fault.kind, detail in fault.detail) == (kind, True), fault


@pytest.mark.parametrize("mode", ["late", "drips", "endless"])
def test_an_answer_that_never_ends_is_late(tmp_path: Path, mode: str) -> None:
    offence = played(mode, tmp_path, clock=GENEROUS)
    assert (offence.fault.kind, offence.fault.detail) == ("TIMEOUT", "no answer in time")
    assert "has not answered decision 0 after 1500 ms" in offence.story.stderr


@pytest.mark.parametrize("mode", ["good", "closes each"])
def test_a_service_plays_whether_it_keeps_the_connection_or_not(tmp_path: Path, mode: str) -> None:
    assert played(mode, tmp_path).record.faults == ()


def test_a_token_reaches_the_service_and_no_record(tmp_path: Path) -> None:
    offence = played("asks for a token", tmp_path, "--token-variable", "SECRET", SECRET="pass-word")
    assert offence.record.faults == ()
    assert "pass-word" not in repr(offence)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"pass-word" in path.read_bytes()]


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("ftp://here/", "is not the address of a service"),
        ("localhost:80", "is not the address of a service"),
        ("http://ada:secret@here/", "the URL contains a password"),
        ("http://here:99999/", "Port out of range"),
    ],
)
def test_a_wrong_url_is_refused_in_a_sentence_that_holds_no_password(url: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as caught:
        Address.of(url)
    assert "secret" not in str(caught.value)


FEW = ("euchre", "two-handed", "hasenpfeffer")
"""The bridge over standard streams, which tells a bot the same in the same words, is checked with every variant."""


def test_the_example_of_a_service_conforms(tmp_path: Path) -> None:
    folder = ROOT / "examples" / "bridges" / "http-service"
    with subprocess.Popen([sys.executable, "-c", FREE_PORT], stdout=subprocess.PIPE, text=True) as asked:
        assert asked.stdout is not None
        port = asked.stdout.read().strip()
    service = subprocess.Popen([sys.executable, str(folder / "service.py"), port])
    try:
        command = (sys.executable, "-P", "-m", "bowerbird.bots.http", f"http://127.0.0.1:{port}/")
        wait_for(int(port))
        spec = replace(bot("http-service", command=command, tables=4), variants=FEW)
        patience = Timeouts(startup=30, answer=20, exit=10, variant=120)
        found = check(requirements_for(spec), CheckConfig(spec, NO_ISOLATION, patience), lambda _sentence: None)
    finally:
        service.kill()
        service.wait()
    assert {sentence.verdict for sentence in found} == {Verdict.PASS}, found


FREE_PORT = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"


def wait_for(port: int) -> None:
    import socket

    until = time.monotonic() + DEADLINE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except ConnectionRefusedError:
            assert time.monotonic() < until, "the service did not start"
            time.sleep(0.05)
        else:
            return
