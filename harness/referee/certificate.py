"""What a referee shows to bots that dial in over TLS: a certificate and what they need to trust it.

P-256 keys: every gRPC implementation takes them, and P-521 fails in some (FAULTS.md, gRPC server).
"""

from __future__ import annotations

import hashlib
import ipaddress
import ssl
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

BACKDATED = timedelta(hours=1)
"""For bots whose clock is slow."""

VALID = timedelta(days=90)
LONGEST_COMMON_NAME = 64


class CertificateError(Exception):
    """A certificate cannot be made, read or used; `args[0]` is one sentence."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """`chain` and `key` are the referee's PEM texts, `trust` is the one that bots get.

    `fingerprint` is that of the first certificate: SHA-256 in hex, as `openssl x509 -fingerprint -sha256` shows it.
    """

    chain: bytes
    key: bytes = field(repr=False)
    trust: bytes
    fingerprint: str

    def server_context(self) -> ssl.SSLContext:
        """How the referee shakes hands. Raises CertificateError if key and certificate do not belong together."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["h2"])
        with tempfile.TemporaryDirectory(prefix="bowerbird-") as folder:
            # The ssl module takes both from files alone. Only this user may read what mkdtemp makes.
            chain, key = Path(folder, "chain.pem"), Path(folder, "key.pem")
            chain.write_bytes(self.chain)
            key.write_bytes(self.key)
            try:
                context.load_cert_chain(chain, key, password=_no_password)
            except (ssl.SSLError, ValueError) as error:
                raise CertificateError(f"certificate and key cannot be used together: {_reason(error)}") from error
        return context

    def check(self, name: str) -> None:
        """Shake hands with ourselves as a bot that dials `name` will. Raises CertificateError if it would refuse."""
        client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            client.load_verify_locations(cadata=self.trust.decode("ascii"))
            _shake_hands(client, self.server_context(), name)
        except (ssl.SSLError, UnicodeDecodeError) as error:
            raise CertificateError(f"bots that dial {name!r} would refuse the certificate: {_reason(error)}") from error


def self_signed(names: Sequence[str]) -> Certificate:
    """A new key and a certificate for these names and addresses, which bots trust by having it.

    Raises CertificateError for a name that cannot stand there, and where the library that makes them is not installed.
    """
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
    except ImportError as error:
        raise CertificateError(
            "a certificate cannot be made without the library 'cryptography' (pip install 'bowerbird[host]'); "
            "with --certificate and --key it is not needed"
        ) from error
    alternatives: list[x509.GeneralName] = []
    for name in names:
        try:
            alternatives.append(x509.IPAddress(ipaddress.ip_address(name)))
        except ValueError:
            if not name.isascii():
                raise CertificateError(f"{name!r} cannot stand in a certificate, write it in ASCII") from None
            alternatives.append(x509.DNSName(name))
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0][:LONGEST_COMMON_NAME])])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return Certificate(pem, secret, pem, fingerprint_of(pem))


def load(certificate: Path, key: Path, trust: Path | None = None) -> Certificate:
    """The organiser's own: PEM files of the chain, its key, and what bots are to trust (the chain if left out).

    Raises CertificateError, and OSError for a file that cannot be read.
    """
    chain = certificate.read_bytes()
    try:
        fingerprint = fingerprint_of(chain)
    except ValueError as error:
        raise CertificateError(f"{certificate}: this is no certificate in PEM form") from error
    return Certificate(chain, key.read_bytes(), trust.read_bytes() if trust is not None else chain, fingerprint)


def fingerprint_of(chain: bytes) -> str:
    """SHA-256 of the first certificate of a PEM text, in hex with colons. Raises ValueError if there is none."""
    first, found, _ = chain.decode("ascii", "replace").partition(ssl.PEM_FOOTER)
    start = first.find(ssl.PEM_HEADER)
    if not found or start < 0:
        raise ValueError("no certificate in PEM form")
    der = ssl.PEM_cert_to_DER_cert(f"{first[start:]}{ssl.PEM_FOOTER}\n")
    digits = hashlib.sha256(der).hexdigest().upper()
    return ":".join(digits[index : index + 2] for index in range(0, len(digits), 2))


def _shake_hands(client: ssl.SSLContext, server: ssl.SSLContext, name: str) -> None:
    """A whole handshake in memory. Raises ssl.SSLError where one side refuses the other."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(to_client, to_server, server_hostname=name),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    while ends:
        for end in list(ends):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            ends.remove(end)


def _reason(error: Exception) -> str:
    """What the TLS library says, without its own codes."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, ssl.SSLError) and error.reason:
        return error.reason.replace("_", " ").lower()
    return str(error)


def _no_password() -> str:
    """Asked for only where the key is encrypted; nobody is there to type it."""
    raise ValueError("the key has a password, write it without one")
