"""The certificates of a cluster: one authority, and one certificate that its scheduler, workers and runs all present.

Dask's TLS is mutual. Each side accepts every certificate of the authority and checks neither name nor address, so the
key in the folder opens the whole cluster.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.harness.referee.remote.certificate import BACKDATED
from bowerbird.harness.tournament.errors import MachinesError

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from distributed.security import Security

AUTHORITY, CERTIFICATE, KEY = "ca.pem", "certificate.pem", "key.pem"
"""The files in a folder of certificates."""

VALIDITY = timedelta(days=5 * 365)
"""How long the certificates are valid.

Nobody can make more with the same authority, so all must be replaced together.
"""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """A folder with the three certificate files."""

    folder: Path

    @classmethod
    def find(cls, folder: Path) -> TlsFiles:
        """Return the certificate files in a folder. Raises MachinesError if one is missing or cannot be used."""
        for name in (AUTHORITY, CERTIFICATE, KEY):
            if not (folder / name).is_file():
                made = f"make it with: bowerbird cluster certificates {folder}"
                raise MachinesError(f"--cluster-tls {folder}: there is no {name} in it; {made}")
        found = cls(folder)
        try:
            context = ssl.create_default_context(cafile=folder / AUTHORITY)
            context.load_cert_chain(folder / CERTIFICATE, folder / KEY, password="")
        except OSError as error:  # ssl.SSLError is an OSError
            reason = error.strerror or str(error)
            raise MachinesError(f"--cluster-tls {folder}: its files cannot be used ({reason})") from None
        return found

    def security(self) -> Security:
        """Return the files as a Dask setting that requires encryption."""
        from distributed.security import Security

        authority, certificate, key = (str(self.folder / name) for name in (AUTHORITY, CERTIFICATE, KEY))
        return Security(
            require_encryption=True,
            tls_ca_file=authority,
            tls_client_cert=certificate,
            tls_client_key=key,
        )

    @property
    def options(self) -> tuple[str, ...]:
        """The options of `dask scheduler` and `dask worker` for the files."""
        named = {"--tls-ca-file": AUTHORITY, "--tls-cert": CERTIFICATE, "--tls-key": KEY}
        return tuple(word for option, name in named.items() for word in (option, str(self.folder / name)))


def make_certificates(folder: Path) -> TlsFiles:
    """Make an authority, and a certificate with its key, valid for `VALIDITY`, in a new or empty folder.

    Only this user can read the folder and the key. The authority's key is not kept. Raises MachinesError if the folder
    is not empty, a file cannot be written, or the library `cryptography` is missing.
    """
    made = _pem_files()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise MachinesError(f"{folder}: the folder is not empty; use a new one")
        folder.chmod(0o700)
        for name, content in made.items():
            descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "wb") as file:
                file.write(content)
    except OSError as error:
        raise MachinesError(f"{error.filename or folder}: certificates cannot be written: {error.strerror}") from None
    return TlsFiles(folder)


def _pem_files() -> Mapping[str, bytes]:
    """Return the content of each file by name."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
        from cryptography.x509.oid import ExtendedKeyUsageOID
    except ModuleNotFoundError as error:
        raise MachinesError(f"certificates need the library {error.name!r}: pip install 'bowerbird[cluster]'") from None
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    signer = _name("authority")
    identifier = x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key())
    authority = _signed(
        _begun(signer, signer, authority_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(identifier, critical=False),
        authority_key,
    )
    certificate = _signed(
        _begun(_name("member"), signer, key)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False
        )
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False),
        authority_key,
    )
    return {
        AUTHORITY: authority.public_bytes(Encoding.PEM),
        CERTIFICATE: certificate.public_bytes(Encoding.PEM),
        KEY: key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    }


def _name(role: str) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Bowerbird cluster {role}")])


def _begun(subject: x509.Name, issuer: x509.Name, key: EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    from cryptography import x509

    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + VALIDITY)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _signed(certificate: x509.CertificateBuilder, key: EllipticCurvePrivateKey) -> x509.Certificate:
    from cryptography.hazmat.primitives import hashes

    return certificate.sign(key, hashes.SHA256())
