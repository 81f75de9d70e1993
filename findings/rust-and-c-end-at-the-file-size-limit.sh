#!/usr/bin/env bash
# Rust 1.95, C++ (g++ 12), Go 1.26, CPython 3.11, Node 20: a file that grows over the limit of file sizes.
#
# One would guess: either the signal of the limit (SIGXFSZ) ends all of them, or all get the error EFBIG.
# What happens: Go, Python and Node ignore the signal and get the error. Programs in Rust and C++ leave it at its default
# and end.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
for program in rustc g++ go python3 node prlimit; do command -v "$program" >/dev/null || exit 2; done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'fn main() { println!("{:?}", std::fs::write("big", vec![0u8; 1 << 21]).is_err()) }\n' >main.rs
printf '#include <cstdio>\n#include <vector>\nint main() { std::vector<char> big(1 << 21); FILE *file = fopen("big", "w"); puts(fwrite(big.data(), 1, big.size(), file) < big.size() ? "true" : "false"); }\n' >main.cpp
printf 'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc main() { fmt.Println(os.WriteFile("big", make([]byte, 1<<21), 0o600) != nil) }\n' >main.go
rustc -o rust main.rs && g++ -o cpp main.cpp && GO111MODULE=off GOTOOLCHAIN=local go build -o go main.go
cat >main.py <<'PYTHON'
try:
    open("big", "wb").write(bytes(1 << 21))
except OSError:
    print("true")
PYTHON
echo 'try { require("fs").writeFileSync("big", Buffer.alloc(1 << 21)) } catch { console.log("true") }' >main.js
seen=""
for command in "./rust" "./cpp" "./go" "python3 main.py" "node main.js"; do
  read -ra words <<<"$command"
  status=0
  said=$(prlimit --core=0 --fsize=1048576 -- "${words[@]}" 2>/dev/null) || status=$?
  echo "${words[0]}: exit status $status, error seen: ${said:-none}"
  seen+="$status "
  rm -f big
done
[ "$seen" = "153 153 0 0 0 " ]
