#!/bin/sh
# Makes target/bot: the plugins that go.mod names, the stubs from proto/, then the bot.
set -eu
mkdir -p target
go build -o target/ google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc
PATH="$PWD/target:$PATH" protoc --proto_path=proto --go_out=target --go-grpc_out=target proto/bowerbird/seat/v1/*.proto
go build -o target/bot .
