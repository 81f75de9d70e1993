#!/usr/bin/env bash
# tonic 0.14.9 (Rust) with a server of grpcio 1.85.1 (Python), which is called by both.
#
# One would guess: a reply of more than 4 MiB ends with RESOURCE_EXHAUSTED, and the client's own deadline with
# DEADLINE_EXCEEDED, as in grpcio and most libraries.
# What happens: tonic says OUT_OF_RANGE and CANCELLED.
#
# Prints what it saw; exits with 1 if that is no longer so. Compiles for minutes.
set -euo pipefail
command -v cargo >/dev/null || exit 2
folder=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check --only-binary :all: grpcio==1.85.1 || exit 2
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "look"
version = "1.0.0"
edition = "2021"

[dependencies]
prost = "=0.14.4"
tokio = { version = "=1.54.1", features = ["macros", "rt"] }
tonic = { version = "=0.14.9", default-features = false, features = ["channel", "codegen"] }
tonic-prost = "=0.14.9"
TOML
cat >src/main.rs <<'RUST'
use std::time::Duration;
use tonic::{client::Grpc, codegen::http::uri::PathAndQuery, transport::Endpoint, Request};
use tonic_prost::ProstCodec;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let channel = Endpoint::from_shared(std::env::args().nth(1).unwrap()).unwrap().connect().await.unwrap();
    for (path, limit) in [("/test.Echo/Large", 60_000), ("/test.Echo/Slow", 200)] {
        let mut client = Grpc::new(channel.clone());
        client.ready().await.unwrap();
        let mut request = Request::new(());
        request.set_timeout(Duration::from_millis(limit));
        let codec = ProstCodec::<(), ()>::default();
        println!("{:?}", client.unary(request, PathAndQuery::from_static(path), codec).await.unwrap_err().code());
    }
}
RUST
cargo build --quiet || exit 2
cat >server.py <<'PYTHON'
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import grpc

over = threading.Event()


def slow(request, context):
    context.add_callback(over.set)
    over.wait()
    return b""


handlers = {
    "Large": grpc.unary_unary_rpc_method_handler(lambda request, context: bytes(5 << 20)),
    "Slow": grpc.unary_unary_rpc_method_handler(slow),
}
server = grpc.server(ThreadPoolExecutor(4), handlers=[grpc.method_handlers_generic_handler("test.Echo", handlers)])
port = server.add_insecure_port("127.0.0.1:0")
server.start()
with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
    for name, timeout in (("Large", 60), ("Slow", 0.2)):
        try:
            channel.unary_unary(f"/test.Echo/{name}")(b"", timeout=timeout)
        except grpc.RpcError as error:
            print(error.code().name, file=sys.stderr)
over.clear()
print(port, flush=True)
sys.stdin.read()
server.stop(0).wait()
PYTHON
mkfifo input
venv/bin/python server.py <input >port 2>grpcio & server=$!
exec 3>input
for _ in $(seq 300); do [ -s port ] && break; sleep 0.1; done
target/debug/look "http://127.0.0.1:$(cat port)" >tonic
exec 3>&-
echo "grpcio: $(tr '\n' ' ' <grpcio)"
echo "tonic:  $(tr '\n' ' ' <tonic)"
[ "$(tr '\n' ' ' <grpcio)$(tr '\n' ' ' <tonic)" = "RESOURCE_EXHAUSTED DEADLINE_EXCEEDED OutOfRange Cancelled " ]
