#!/bin/sh
# Makes target/release/bot. It is built in target/, where Cargo keeps its lock: a lock names a host.
set -eu
mkdir -p target/package
cp -RL Cargo.toml build.rs src proto target/package/
cargo build --release --manifest-path target/package/Cargo.toml --target-dir target
