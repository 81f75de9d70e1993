#!/bin/sh
# Generates the messages and the client in target/ from the contract.
set -eu
mkdir -p target
protoc --proto_path=../../proto --ruby_out=target --grpc_out=target \
  --plugin=protoc-gen-grpc="$(command -v grpc_ruby_plugin)" ../../proto/bowerbird/seat/v1/*.proto
