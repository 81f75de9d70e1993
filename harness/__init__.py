"""Everything that runs: referee, tournaments, records, ratings, reports, the command, and the SDK for bots in Python.

gRPC reads at its import how it is to wait. By itself it has threads that wait and hand over what came to the thread
whose it is; a short message then costs up to twice as much as when that thread waits itself, as it did before. What is
set in the environment already stays.
"""

import os

GRPC_WAITS = "-event_engine_client,-event_engine_listener"
"""What is switched off, for GRPC_EXPERIMENTS."""

os.environ.setdefault("GRPC_EXPERIMENTS", GRPC_WAITS)
