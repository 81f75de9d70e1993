#!/usr/bin/env bash
# pandas 3.1.1, polars 2.1.0, duckdb 2.0.1: JSON lines with whole numbers of 64 bits and one null.
#
# One would guess: a reader keeps a whole number of 64 bits whole, whatever else the column holds.
# What happens: duckdb and polars keep it in types of 128 bits. pandas keeps it in uint64, but makes doubles of the whole
# column once a null is in it: 18446744073709551557 becomes 18446744073709551616.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
  pandas==3.1.1 polars==2.1.0 duckdb==2.0.1 || exit 2
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import io
import sys
import tempfile

import duckdb
import pandas
import polars

SEED = 2**64 - 59
WHOLE = f'{{"seed": {SEED}}}\n{{"seed": 1}}\n'
with_null = WHOLE + '{"seed": null}\n'
with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
    file.write(with_null)
    file.flush()
    [(kind, kept)] = duckdb.sql(f"SELECT typeof(seed), seed FROM read_json('{file.name}') LIMIT 1").fetchall()
    frame = polars.read_ndjson(file.name)
plain, nulled = (pandas.read_json(io.StringIO(text), lines=True)["seed"] for text in (WHOLE, with_null))
print("duckdb:", kind, kept, "polars:", frame.schema["seed"], frame["seed"][0])
print("pandas:", plain.dtype, plain[0], "with a null:", nulled.dtype, int(nulled[0]))
kept_whole = kept == frame["seed"][0] == int(plain[0]) == SEED
sys.exit(0 if kept_whole and nulled.dtype == "float64" and int(nulled[0]) == 2**64 else 1)
PYTHON
