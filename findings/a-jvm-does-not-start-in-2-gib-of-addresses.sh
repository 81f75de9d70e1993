#!/usr/bin/env bash
# OpenJDK 17, Go 1.26, Node 20, CPython 3.11: the least address space (ulimit -v) in which a program that prints a word
# starts.
#
# One would guess: some tens of MiB, as much as the program uses.
# What happens: a JVM doesn't start in 2 GiB of addresses, nor Go and Node in half a GiB, although each uses less than
# 100 MiB of memory. Python starts in 128 MiB.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
for program in java javac go node python3 prlimit; do command -v "$program" >/dev/null || exit 2; done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'public class Main { public static void main(String[] words) { System.out.println("word"); } }\n' >Main.java
printf 'package main\n\nfunc main() { println("word") }\n' >main.go
javac Main.java && GO111MODULE=off GOTOOLCHAIN=local go build -o go main.go
seen=""
for line in "2048 java Main" "512 ./go" "512 node -e console.log(1)" "128 python3 -c print(1)"; do
  read -ra words <<<"$line"
  if prlimit --core=0 --as=$((words[0] << 20)) -- "${words[@]:1}" >/dev/null 2>&1; then word=starts; else word=fails; fi
  echo "${words[1]} in ${words[0]} MiB: $word"
  seen+="$word "
done
[ "$seen" = "fails fails fails starts " ]
