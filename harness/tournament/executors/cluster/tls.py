"""The certificates of a cluster: one authority, and one certificate that its scheduler, workers and runs all show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.tournament.errors import ClusterError

if TYPE_CHECKING:
    from distributed.security import Security

AUTHORITY, CERTIFICATE, KEY = "ca.pem", "certificate.pem", "key.pem"
"""The files in a folder of certificates."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """A folder with the three files."""

    folder: Path

    @classmethod
    def find(cls, folder: Path) -> TlsFiles:
        """Return the files of a folder. Raises ClusterError if one is missing."""
        for name in (AUTHORITY, CERTIFICATE, KEY):
            if not (folder / name).is_file():
                made = f"bowerbird cluster certificates {folder} makes it"
                raise ClusterError(f"--cluster-tls {folder}: there is no {name} in it; {made}")
        return cls(folder)

    def security(self) -> Security:
        """Return them as Dask takes them, with encryption required."""
        from distributed.security import Security

        authority, certificate, key = (str(self.folder / name) for name in (AUTHORITY, CERTIFICATE, KEY))
        return Security(
            require_encryption=True,
            tls_ca_file=authority,
            tls_client_cert=certificate,
            tls_client_key=key,
        )
