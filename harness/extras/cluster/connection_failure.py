"""Turns Dask's errors into a sentence that says why a cluster cannot be reached."""

from __future__ import annotations

import os
import ssl
import struct
from collections.abc import Iterator
from socket import gaierror

from bowerbird.harness.extras.cluster.address import ClusterAddress
from bowerbird.harness.records.quoting import shown


def nobody_listens(address: ClusterAddress, error: OSError) -> str:
    """Return the sentence for an address where nothing listens."""
    return f"cluster {address}: no Dask scheduler listens there ({_reason(error)}); start one with: dask scheduler"


def connection_failure(address: ClusterAddress, error: Exception) -> str:
    """Return the sentence for a cluster that did not start, or a scheduler that listens but cannot be used."""
    if address.local_workers:
        return f"cluster {address}: the workers cannot be started ({_reason(error)})"
    if not address.is_encrypted:
        return (
            f"cluster {address}: no Dask scheduler answers there over plain TCP ({_reason(error)}); if it has "
            "certificates, use tls:// and --cluster-tls FOLDER"
        )
    if isinstance(error, TypeError):  # Dask's own configuration has no certificates either
        return (
            f"cluster {address}: tls:// needs the cluster's certificates; name their folder with --cluster-tls FOLDER"
        )
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return (
                f"cluster {address}: the scheduler's certificate is from another authority, or is not valid now "
                f"({cause.verify_message}); scheduler, workers and runs need the files of one folder"
            )
        if _is_plain(cause):
            return f"cluster {address}: the scheduler does not use TLS; start it with: dask scheduler --protocol tls"
    return f"cluster {address}: no Dask scheduler answers there ({_reason(error)})"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_plain(error: BaseException) -> bool:
    """Return whether a server answered without TLS.

    If its answer has already arrived, Tornado does not even start TLS.
    """
    return (isinstance(error, ssl.SSLError) and error.reason == "WRONG_VERSION_NUMBER") or (
        isinstance(error, ValueError) and "cannot convert to SSL" in str(error)
    )


def _reason(error: Exception) -> str:
    """Return the operating system's reason for an error, or else the text of the error."""
    for cause in _causes(error):
        if isinstance(cause, gaierror) and cause.strerror:
            return cause.strerror
        if isinstance(cause, OSError) and cause.errno and not isinstance(cause, ssl.SSLError):
            return os.strerror(cause.errno)
        if isinstance(cause, TimeoutError):
            return "no answer"
        if isinstance(cause, MemoryError | struct.error):  # Dask reads any eight bytes as the length of a message
            return "it speaks another protocol"
    return shown(str(error).partition("\n")[0] or type(error).__name__)
