#!/usr/bin/env bash
# protobuf-go 1.36.12 and protobuf 7.36.1 (Python): "deterministic" bytes of a google.protobuf.Struct, whose fields are
# a map.
#
# One would guess: both write the same deterministic bytes for the same message, so you can hash or sign them.
# What happens: both sort the keys, but Go by their text and Python in its own order, so the bytes differ.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
command -v go >/dev/null || exit 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check --only-binary :all: protobuf==7.36.1 || exit 2
cat >main.go <<'GO'
package main

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

func main() {
	made, _ := structpb.NewStruct(map[string]any{"bb": 1, "a": 2, "é": 3, "Z": 4, "ab": 5})
	bytes, _ := proto.MarshalOptions{Deterministic: true}.Marshal(made)
	fmt.Printf("%x\n", bytes)
}
GO
go mod init look >/dev/null 2>&1
go get google.golang.org/protobuf@v1.36.12 >/dev/null 2>&1 || exit 2
go run . >go.txt
venv/bin/python - >python.txt <<'PYTHON'
from google.protobuf.struct_pb2 import Struct

made = Struct()
made.update({"bb": 1, "a": 2, "é": 3, "Z": 4, "ab": 5})
print(made.SerializeToString(deterministic=True).hex())
PYTHON
echo "Go:     $(cat go.txt)"
echo "Python: $(cat python.txt)"
! cmp -s go.txt python.txt
