"""The certificates of a cluster: whoever has the folder gets in, and nobody else."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from bowerbird.harness.extras.cluster.tls import AUTHORITY, CERTIFICATE, KEY, TlsFiles, make_certificates
from bowerbird.harness.tournament.errors import MachinesError

ALL = {AUTHORITY, CERTIFICATE, KEY}


def handshake(client: TlsFiles, server: TlsFiles) -> None:
    """Do a handshake in memory with the settings that Dask makes. Raises ssl.SSLError if a side refuses the other."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        context(client, "client").wrap_bio(to_client, to_server),
        context(server, "scheduler").wrap_bio(to_server, to_client, server_side=True),
    ]
    for _ in range(10):
        for end in [*ends]:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            ends.remove(end)
    assert not ends, "both sides have ended the handshake"


def context(files: TlsFiles, role: str) -> ssl.SSLContext:
    """Return Dask's settings, strict in what a certificate must hold, as Python is by default from 3.13 on."""
    options: Any = files.security()  # Dask makes its attributes at run time
    options.tls_scheduler_cert, options.tls_scheduler_key = options.tls_client_cert, options.tls_client_key
    made = (options.get_connection_args("client") if role == "client" else options.get_listen_args("scheduler"))[
        "ssl_context"
    ]
    assert isinstance(made, ssl.SSLContext)
    made.verify_flags |= ssl.VERIFY_X509_STRICT
    return made


def test_the_members_of_a_cluster_accept_each_other(tmp_path: Path) -> None:
    files = make_certificates(tmp_path / "one")
    handshake(files, files)


def test_a_member_of_another_cluster_is_refused(tmp_path: Path) -> None:
    one, other = make_certificates(tmp_path / "one"), make_certificates(tmp_path / "other")
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(one, other)


def test_folder_and_key_are_for_their_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "tls"
    make_certificates(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == dict.fromkeys(ALL, 0o600)


def test_the_key_of_the_authority_is_not_kept(tmp_path: Path) -> None:
    folder = make_certificates(tmp_path / "tls").folder
    authority = x509.load_pem_x509_certificate((folder / AUTHORITY).read_bytes())
    key = load_pem_private_key((folder / KEY).read_bytes(), None)
    assert {path.name for path in folder.iterdir()} == ALL
    assert key.public_key() != authority.public_key()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / KEY).write_text("precious")
    with pytest.raises(MachinesError, match=r"the folder is not empty; use a new one$"):
        make_certificates(tmp_path)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["precious"]


def test_a_place_that_is_a_file_is_refused_with_its_name(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.touch()
    with pytest.raises(MachinesError, match=f"^{place}: certificates cannot be written: File exists$"):
        make_certificates(place)


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_folder_without_one_of_the_files_is_refused(tmp_path: Path, name: str) -> None:
    folder = make_certificates(tmp_path / "tls").folder
    (folder / name).unlink()
    advice = f"there is no {name} in it; make it with: bowerbird cluster certificates {folder}"
    with pytest.raises(MachinesError, match=advice):
        TlsFiles.find(folder)


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_file_that_holds_something_else_is_refused(tmp_path: Path, name: str) -> None:
    folder = make_certificates(tmp_path / "tls").folder
    (folder / name).write_text("no certificate")
    with pytest.raises(MachinesError, match=f"^--cluster-tls {folder}: its files cannot be used"):
        TlsFiles.find(folder)


def test_a_key_of_another_certificate_is_refused(tmp_path: Path) -> None:
    folder = make_certificates(tmp_path / "tls").folder
    (folder / KEY).write_bytes((make_certificates(tmp_path / "other").folder / KEY).read_bytes())
    with pytest.raises(MachinesError, match="its files cannot be used"):
        TlsFiles.find(folder)
