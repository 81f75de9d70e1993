#!/usr/bin/env bash
# Go 1.26, CPython 3.11, Node 20, OpenJDK 17: a soft limit of one second of processor time under a hard one of three.
#
# One would guess: the signal of the soft limit (SIGXCPU) ends all of them.
# What happens: it ends Python, Node and Java, which leave it at its default. Go takes every signal, ignores this one,
# and runs into the hard limit, where the kernel kills it. If both limits are equal, all are killed.
#
# Prints what it saw; exits with 1 if that is no longer so. Takes six seconds of processor time.
set -euo pipefail
for program in go python3 node java prlimit; do command -v "$program" >/dev/null || exit 2; done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'package main\n\nfunc main() {\n\tfor {\n\t}\n}\n' >main.go
printf 'public class Main { public static void main(String[] words) { for (;;) {} } }\n' >Main.java
GO111MODULE=off GOTOOLCHAIN=local go build -o spin main.go
seen=""
for command in "./spin" "python3 -c while(True):pass" "node -e for(;;){}" "java Main.java"; do
  read -ra words <<<"$command"
  status=0
  prlimit --core=0 --cpu=1:3 -- "${words[@]}" >/dev/null 2>&1 || status=$?
  echo "${words[0]} ended by signal $((status - 128))"
  seen+="$((status - 128)) "
done
[ "$seen" = "9 24 24 24 " ]
