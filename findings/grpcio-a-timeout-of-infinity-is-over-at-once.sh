#!/usr/bin/env bash
# grpcio 1.85.1: the argument timeout of a call.
#
# One would guess: timeout=float("inf") means no deadline, and 1e10 seconds are three centuries.
# What happens: both, and NaN, mean that the deadline has passed: the call ends with DEADLINE_EXCEEDED at once, although
# a server is there and answers. None means no deadline.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
  grpcio==1.85.1 || exit 2
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc

handler = grpc.method_handlers_generic_handler(
    "test.Echo", {"Say": grpc.unary_unary_rpc_method_handler(lambda request, context: request)}
)
server = grpc.server(ThreadPoolExecutor(1), handlers=[handler])
port = server.add_insecure_port("localhost:0")
server.start()
with grpc.insecure_channel(f"localhost:{port}") as channel:
    say, seen = channel.unary_unary("/test.Echo/Say"), []
    for timeout in (None, 60, 1e10, float("inf"), float("nan")):
        try:
            seen.append(say(b"word", timeout=timeout).decode())
        except grpc.RpcError as error:
            seen.append(error.code().name)
        print(timeout, seen[-1])
server.stop(0).wait()
sys.exit(0 if seen == ["word", "word"] + ["DEADLINE_EXCEEDED"] * 3 else 1)
PYTHON
