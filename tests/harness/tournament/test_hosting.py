"""What the runs of a season share: a listener, a certificate, invitations."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bowerbird.harness.referee.remote.admission import Admission
from bowerbird.harness.referee.remote.certificate import Certificate, self_signed
from bowerbird.harness.tournament.errors import HostingError, MissingBotsError
from bowerbird.harness.tournament.preparation.hosting import (
    Hosting,
    Season,
    inherited,
    season_certificate,
    write_invitations,
)
from bowerbird.harness.tournament.preparation.season_tokens import SeasonTokens
from tests.support.deadline import DEADLINE_S

NAME = "play.example.org"


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    return self_signed([NAME])


def test_a_listener_is_inherited_and_passed_on_to_nobody() -> None:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        descriptor = os.dup(opened.fileno())
        os.set_inheritable(descriptor, True)
        with inherited(descriptor) as listener:
            assert listener.getsockname() == opened.getsockname()
            assert not os.get_inheritable(descriptor)
        with socket.create_connection(opened.getsockname()):
            opened.accept()[0].close()  # it continues where one process has closed it


@pytest.mark.usefixtures("processes")
def test_a_process_finds_the_listener_that_it_was_given() -> None:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        number = opened.fileno()
        program = (
            "from bowerbird.harness.tournament.preparation.hosting import inherited\n"
            f"connection, _ = inherited({number}).accept()\n"
            "connection.sendall(b'here')\n"
        )
        with (
            socket.create_connection(opened.getsockname(), timeout=DEADLINE_S) as waiting,
            subprocess.Popen([sys.executable, "-c", program], pass_fds=[number]) as child,
        ):
            assert waiting.recv(16) == b"here", "it has waited in the backlog"
        assert child.returncode == 0


@pytest.mark.parametrize("kind", ["closed", "file", "udp", "unix", "not listening"])
def test_another_descriptor_is_refused_in_a_sentence_and_left_open(tmp_path: Path, kind: str) -> None:
    match kind:
        case "udp":
            number = socket.socket(socket.AF_INET, socket.SOCK_DGRAM).detach()
        case "unix":
            number = socket.socket(socket.AF_UNIX).detach()
        case "not listening":
            number = socket.socket().detach()
        case _:
            number = os.open(tmp_path, os.O_RDONLY)
    if kind == "closed":
        os.close(number)
    with pytest.raises(HostingError, match=f"descriptor {number} is not a socket"):
        inherited(number)
    if kind != "closed":
        os.close(number)  # raises OSError if it is not open


def test_the_certificate_of_a_season_is_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "season"
    made = season_certificate([NAME], folder)
    assert season_certificate([NAME], folder) == made
    assert season_certificate(["localhost"], folder) == made, "a bot may be tried on the referee's machine"
    for file in folder.iterdir():
        assert file.stat().st_mode & 0o777 == 0o600, file


def test_a_certificate_that_was_half_made_is_made_again(tmp_path: Path) -> None:
    """The process ended between the two files."""
    first = season_certificate([NAME], tmp_path)
    (tmp_path / "certificate.pem").unlink()
    second = season_certificate([NAME], tmp_path)
    assert second.fingerprint != first.fingerprint
    second.server_context()


def test_a_certificate_for_other_names_is_kept_and_the_way_out_said(tmp_path: Path) -> None:
    made = season_certificate([NAME], tmp_path)
    with pytest.raises(
        HostingError, match=r"'other\.example\.org' would refuse .*; to start over with another .* remove "
    ):
        season_certificate(["other.example.org"], tmp_path)
    assert season_certificate([NAME], tmp_path) == made


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("for_season", [True, False])
def test_an_invitation_is_an_environment_for_a_shell(
    tmp_path: Path, certificate: Certificate, for_season: bool
) -> None:
    [made] = write_invitations(
        tmp_path / "x", {"ada": ("one", "two")}, f"{NAME}:4711", certificate, for_season=for_season
    )
    script = f'. {shlex.quote(str(made.file))}; printf "%s %s" "$BOWERBIRD_ADDRESS" "$BOWERBIRD_TOKEN"'
    assert subprocess.check_output(["/bin/sh", "-c", script], text=True) == f"{NAME}:4711 one"
    text = made.file.read_text()
    assert "# BOWERBIRD_TOKEN=two" in text
    assert ("while true; do python bot.py; sleep 5; done" in text) == for_season
    assert ("Restart=always" in text) == for_season
    assert ("A token works once" in text) == (not for_season)
    assert made.file.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("processes")
def test_the_loop_of_an_invitation_starts_a_bot_again(tmp_path: Path, certificate: Certificate) -> None:
    """The author copies it."""
    [made] = write_invitations(tmp_path, {"ada": ("one",)}, f"{NAME}:4711", certificate, for_season=True)
    [line] = [line for line in made.file.read_text().splitlines() if "while true" in line]
    loop = line.removeprefix("#   ").replace("python bot.py", 'echo "$BOWERBIRD_TOKEN"').replace("sleep 5", "exit 7")
    finished = subprocess.run(["/bin/sh", "-c", loop], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stdout) == (7, "one\n"), finished.stderr


class _NobodyIsHere(Admission):
    """An admission to which no bot comes."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.asked: list[tuple[object, ...]] = []

    async def gather(self, *asked: object) -> tuple[str, ...]:
        self.asked.append(asked)
        return ("ada", "grace")

    def tell(self, sentence: str) -> None:
        self.told.append(sentence)


@pytest.mark.parametrize("in_season", [True, False])
async def test_missing_bots_are_named_as_data(tmp_path: Path, certificate: Certificate, in_season: bool) -> None:
    season = Season(SeasonTokens(tmp_path), frozenset({"grace"}), grace_s=2.0) if in_season else None
    admission = _NobodyIsHere()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        hosting = Hosting(
            listener, certificate, f"{NAME}:1", 9.0, tmp_path, lambda invitations, trust, commitment: None, season
        )
        with pytest.raises(MissingBotsError, match="bot 'ada', 'grace' did not dial in") as raised:
            await hosting.gather(admission)
    assert raised.value.missing == ("ada", "grace")
    assert admission.asked == [(9.0, frozenset({"grace"}), 2.0) if in_season else (9.0,)]
    assert len(admission.told) == in_season
