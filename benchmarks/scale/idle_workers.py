"""Workers in one process that connect to a scheduler and wait: `python -m benchmarks.scale.idle_workers ADDRESS TLS N`.

To the scheduler each is a worker like any other, with its own connection and heartbeats. TLS is the folder with the
certificates. The program prints "ready" when all are connected, and ends when standard input does.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from distributed import Worker
from distributed.security import Security

from bowerbird.harness.extras.cluster.tls import AUTHORITY, CERTIFICATE, KEY


async def wait(address: str, tls: Path, count: int) -> None:
    """Start the workers and keep them until standard input ends."""
    authority, certificate, key = (str(tls / name) for name in (AUTHORITY, CERTIFICATE, KEY))
    security = Security(require_encryption=True, tls_ca_file=authority, tls_worker_cert=certificate, tls_worker_key=key)
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=tls))
        for number in range(count):
            worker = Worker(
                address,
                nthreads=1,
                name=f"idle-{number}",
                security=security,
                memory_limit=0,
                dashboard=False,
                local_directory=folder,
            )
            await stack.enter_async_context(worker)
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(wait(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
