"""The referee's certificate (faults.md, gRPC server: P-256), and the errors for certificates that bots would refuse."""

from __future__ import annotations

import dataclasses
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from bowerbird.harness.referee.remote.certificate import Certificate, CertificateError, load_certificate, self_signed


@pytest.fixture(scope="module")
def made() -> Certificate:
    return self_signed(["play.example.org", "127.0.0.1", "::1"])


def test_the_key_is_p256_and_the_certificate_no_authority(made: Certificate) -> None:
    certificate = x509.load_pem_x509_certificate(made.chain)
    key = certificate.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert key.curve.name == "secp256r1"
    assert not certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert certificate.not_valid_before_utc < datetime.now(UTC), "a bot's clock may be slow"


@pytest.mark.parametrize("name", ["play.example.org", "127.0.0.1", "::1"])
def test_bots_accept_it_for_each_of_its_names(made: Certificate, name: str) -> None:
    made.check(name)


def test_bots_refuse_it_for_any_other_name(made: Certificate) -> None:
    with pytest.raises(CertificateError, match=r"bots that dial 'other\.example\.org' would refuse .* mismatch"):
        made.check("other.example.org")


def test_the_fingerprint_is_that_of_the_certificate(made: Certificate) -> None:
    digest = x509.load_pem_x509_certificate(made.chain).fingerprint(hashes.SHA256())
    assert made.fingerprint == digest.hex(":").upper()


def test_keys_differ_and_are_not_shown(made: Certificate) -> None:
    other = self_signed(["play.example.org"])
    assert other.key != made.key
    assert made.key.decode() not in repr(made)
    with pytest.raises(CertificateError, match="key values mismatch"):
        dataclasses.replace(made, key=other.key).server_context()


def test_an_organisers_own_certificate_is_read(made: Certificate, tmp_path: Path) -> None:
    chain, key, trust = tmp_path / "chain.pem", tmp_path / "key.pem", tmp_path / "trust.pem"
    chain.write_bytes(b"some text before\n" + made.chain)
    key.write_bytes(made.key)
    trust.write_bytes(made.trust)
    assert load_certificate(chain, key).fingerprint == made.fingerprint
    load_certificate(chain, key, trust).check("127.0.0.1")


def test_trust_that_does_not_lead_to_the_certificate_is_found_before_bots_find_it(made: Certificate) -> None:
    other = self_signed(["play.example.org"])
    with pytest.raises(CertificateError, match="would refuse the certificate: self-signed certificate"):
        dataclasses.replace(made, trust=other.trust).check("play.example.org")


def test_a_file_without_a_certificate_is_refused(made: Certificate, tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_bytes(made.key)
    with pytest.raises(CertificateError, match=r"key\.pem: not a certificate in PEM form"):
        load_certificate(tmp_path / "key.pem", tmp_path / "key.pem")


def test_a_name_that_cannot_stand_in_a_certificate_is_refused() -> None:
    with pytest.raises(CertificateError, match=r"'bö\.example' cannot be part of a certificate"):
        self_signed(["bö.example"])


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(CertificateError, match=r"pip install cryptography"):
        self_signed(["localhost"])
