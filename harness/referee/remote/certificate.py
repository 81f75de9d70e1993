"""The referee's TLS certificate, and the PEM file with which bots trust it.

Keys are P-256: every gRPC implementation accepts them, while P-521 fails in some (faults.md, gRPC server).
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
"""How long before its creation a certificate is already valid, for bots whose clocks are slow."""

VALIDITY = timedelta(days=90)
SEASON_VALIDITY = timedelta(days=730)
"""How long a certificate kept for a season is valid."""

LONGEST_COMMON_NAME = 64


class CertificateError(Exception):
    """A certificate cannot be made, read or used; `args[0]` is one sentence."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate with its key.

    `chain` and `key` are PEM texts of the referee; `trust` is the PEM text that bots get. `fingerprint` is the SHA-256
    of the first certificate of the chain, as `openssl x509 -fingerprint -sha256` shows it.
    """

    chain: bytes
    key: bytes = field(repr=False)
    trust: bytes
    fingerprint: str

    def server_context(self) -> ssl.SSLContext:
        """Return the TLS settings of the referee. Raises CertificateError if key and certificate do not match."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.options |= ssl.OP_NO_RENEGOTIATION  # HTTP/2 forbids it (RFC 9113, 9.2.1)
        context.set_alpn_protocols(["h2"])
        with tempfile.TemporaryDirectory(prefix="bowerbird-") as folder:
            # The ssl module takes both from files only. Only this user can read the folder.
            chain, key = Path(folder, "chain.pem"), Path(folder, "key.pem")
            chain.write_bytes(self.chain)
            key.write_bytes(self.key)
            try:
                context.load_cert_chain(chain, key, password=_no_password)
            except (ssl.SSLError, ValueError) as error:
                raise CertificateError(f"certificate and key cannot be used together: {_reason(error)}") from error
        return context

    def check(self, name: str) -> None:
        """Do a TLS handshake in memory for a bot that dials `name`. Raises CertificateError if it would refuse."""
        client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            client.load_verify_locations(cadata=self.trust.decode("ascii"))
            _do_handshake(client, self.server_context(), name)
        except (ssl.SSLError, UnicodeDecodeError) as error:
            raise CertificateError(f"bots that dial {name!r} would refuse the certificate: {_reason(error)}") from error


def self_signed(names: Sequence[str], validity: timedelta = VALIDITY) -> Certificate:
    """Make a key and a certificate for `names` (host names or IP addresses), which bots trust directly.

    It is valid for `validity` from now on.

    Raises CertificateError for a name that a certificate cannot contain, and if the library `cryptography` is missing.
    """
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
    except ModuleNotFoundError as error:
        raise CertificateError(
            "a certificate cannot be made without the library 'cryptography' (pip install cryptography); "
            "--certificate and --key do without it"
        ) from error
    alternatives: list[x509.GeneralName] = []
    for name in names:
        try:
            alternatives.append(x509.IPAddress(ipaddress.ip_address(name)))
        except ValueError:
            if not name.isascii():
                raise CertificateError(f"{name!r} cannot be part of a certificate; write it in ASCII") from None
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
        .not_valid_after(now + validity)
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


def load_certificate(certificate: Path, key: Path, trust: Path | None = None) -> Certificate:
    """Read the organiser's PEM files: the chain, its key, and the certificates to trust (None for the chain).

    Raises CertificateError if `certificate` holds none, OSError if a file cannot be read.
    """
    chain = certificate.read_bytes()
    try:
        fingerprint = fingerprint_of(chain)
    except ValueError as error:
        raise CertificateError(f"{certificate}: not a certificate in PEM form") from error
    return Certificate(chain, key.read_bytes(), trust.read_bytes() if trust is not None else chain, fingerprint)


def fingerprint_of(chain: bytes) -> str:
    """Return the SHA-256 of the first certificate of a PEM text, in hex with colons; raise ValueError without one."""
    first, found, _ = chain.decode("ascii", "replace").partition(ssl.PEM_FOOTER)
    start = first.find(ssl.PEM_HEADER)
    if not found or start < 0:
        raise ValueError("not a certificate in PEM form")
    der = ssl.PEM_cert_to_DER_cert(f"{first[start:]}{ssl.PEM_FOOTER}\n")
    digits = hashlib.sha256(der).hexdigest().upper()
    return ":".join(digits[index : index + 2] for index in range(0, len(digits), 2))


def _do_handshake(client: ssl.SSLContext, server: ssl.SSLContext, name: str) -> None:
    """Do a whole handshake in memory. Raises ssl.SSLError if one side refuses the other."""
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
    """Return the message of the TLS library without its error codes."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, ssl.SSLError) and error.reason:
        return error.reason.replace("_", " ").lower()
    return str(error)


def _no_password() -> str:
    """Refuse to ask for a password. This is called only if the key is encrypted. Raises ValueError."""
    raise ValueError("the key has a password; save it without one")
