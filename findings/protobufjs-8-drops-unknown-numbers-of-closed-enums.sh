#!/usr/bin/env bash
# protobufjs 8.8.0 and 7.6.6: a list of a proto2 enum with a number that the program does not know.
#
# One would guess: both keep the number, or put it aside as Python does; in any case, a list keeps its length.
# What happens: 7.6.6 keeps it. 8.8.0 drops it, so a list of three has two items, and a single field has its default.
# The enums of proto3 keep their numbers in both.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --ignore-scripts --no-audit --no-fund seven@npm:protobufjs@7.6.6 eight@npm:protobufjs@8.8.0 ||
  exit 2
cat >look.js <<'JS'
const bytes = Buffer.from([0x08, 1, 0x08, 99, 0x08, 1, 0x10, 99]);
const seen = ['seven', 'eight'].flatMap((name) => ['proto2', 'proto3'].map((syntax) => {
  const source = `syntax = "${syntax}"; enum E { A = 0; B = 1; } message M { repeated E list = 1; optional E one = 2; }`;
  const found = JSON.stringify(require(name).parse(source).root.lookupType('M').decode(bytes));
  console.log(name, syntax, found);
  return found;
}));
const all = '{"list":["B",99,"B"],"one":99}';
process.exit(JSON.stringify(seen) === JSON.stringify([all, all, '{"list":["B","B"]}', all]) ? 0 : 1);
JS
node look.js
