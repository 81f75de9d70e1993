#!/usr/bin/env bash
# whr 2.2.0 and whole-history-rating 3.7.1: both are imported as `whr`, both implement Whole-History Rating with w2 =
# 300 as the default, and both write ten wins as create_game("a", "b", "B", 1, 0).
#
# One would guess: the same games give the same ratings, and pip refuses to install both.
# What happens: after ten wins in ten games on one day, the winner has 239 in one and 290 in the other, and the loser
# has the same with a minus. Installed together, the files of one overwrite those of the other.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for package in whr==2.2.0 whole-history-rating==3.7.1; do
  python3 -m venv "$folder/$package"
  "$folder/$package/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "$package" || exit 2
  "$folder/$package/bin/python" -W ignore - <<'PYTHON' >"$folder/seen"
import whr

base = whr.Base() if hasattr(whr, "Base") else whr.WHR()
for _ in range(10):
    base.create_game("a", "b", "B", 1, 0)
base.iterate(100)
print(round(base.ratings_for_player("a")[-1][1]))
PYTHON
  echo "$package: $(cat "$folder/seen")"
  cat "$folder/seen" >>"$folder/both"
done
[ "$(tr '\n' ' ' <"$folder/both")" = "239 290 " ]
