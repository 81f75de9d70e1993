#!/usr/bin/env bash
# grpcio 1.85.1 (Python): a call of a stream that the server ends with UNAUTHENTICATED, after one answer.
#
# One would guess: `code()` of the call, which waits for its status, returns UNAUTHENTICATED soon, whether or not the
# client has read the answer.
# What happens: it does only if the answer is read. Otherwise `code()` waits until the deadline of the call and returns
# DEADLINE_EXCEEDED, and without a deadline for ever.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check --only-binary :all: grpcio==1.85.1 || exit 2
cat >look.py <<'PYTHON'
from concurrent.futures import ThreadPoolExecutor

import grpc


def play(requests, context):
    next(requests)
    yield b"an answer"
    context.abort(grpc.StatusCode.UNAUTHENTICATED, "no")


handler = grpc.method_handlers_generic_handler("test.Echo", {"Play": grpc.stream_stream_rpc_method_handler(play)})
server = grpc.server(ThreadPoolExecutor(4))
server.add_generic_rpc_handlers((handler,))
port = server.add_insecure_port("127.0.0.1:0")
server.start()
seen = {}
with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
    for reads in (True, False):
        call = channel.stream_stream("/test.Echo/Play")(iter([b""]), timeout=10)
        if reads:
            try:
                list(call)
            except grpc.RpcError:
                pass
        seen[reads] = call.code().name
server.stop(None)
print("with the answer read:", seen[True])
print("without:", seen[False])
raise SystemExit(seen != {True: "UNAUTHENTICATED", False: "DEADLINE_EXCEEDED"})
PYTHON
venv/bin/python look.py
