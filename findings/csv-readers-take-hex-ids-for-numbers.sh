#!/usr/bin/env bash
# pandas 3.1.1 (read_csv), polars 2.1.0, duckdb 2.0.1: a CSV file with a column of ids in hex, one of versions.
#
# One would guess: an id of ten hex digits is text in every row, and "1.10" stays what it is.
# What happens: where all ids of a file happen to look like numbers, all three read numbers: 12345e6789 is infinity. In
# pandas and polars 0123456789 loses its zero, duckdb keeps it as text. 1.10 becomes 1.1 in all, which is another version.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
  pandas==3.1.1 polars==2.1.0 duckdb==2.0.1 || exit 2
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys
import tempfile
from pathlib import Path

import duckdb
import pandas
import polars

FILES = ["id,version\n12345e6789,1.10\n", "id,version\n0123456789,1.10\n"]
seen = []
for text in FILES:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "ids.csv")
        file.write_text(text)
        rows = [
            tuple(pandas.read_csv(file).iloc[0]),
            polars.read_csv(file).row(0),
            duckdb.read_csv(str(file)).fetchall()[0],
        ]
    print(*rows)
    seen.append(rows)
INFINITY, NUMBER, TEXT = (float("inf"), 1.1), (123456789, 1.1), ("0123456789", 1.1)
sys.exit(0 if seen == [[INFINITY] * 3, [NUMBER, NUMBER, TEXT]] else 1)
PYTHON
