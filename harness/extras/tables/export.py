"""Writes the tidy tables of a run into a folder, row by row. Either all files appear, complete, or none does."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from bowerbird.harness.extras.tables.columns import BOOLEAN, INTEGER, TABLES, TEXT, Cell, Column, Row
from bowerbird.harness.extras.tables.tidy_rows import rows_of
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.atomic_file import replacing
from bowerbird.harness.records.store.store import StoredRun

CSV, PARQUET = "csv", "parquet"
FORMS = (CSV, PARQUET)

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""The first characters of a string that spreadsheets may interpret as a formula."""

ROWS_AT_ONCE = 20_000
"""The number of rows in a group of a Parquet file, which are in memory together."""


class TableWriter(Protocol):
    """A writer of the rows of one table."""

    def add(self, row: Row) -> None:
        """Write a row."""


def write_tables(
    run: StoredRun, folder: Path, form: str, progress: Callable[[int, int], None] | None = None
) -> dict[str, int]:
    """Write the tables of a run as `FOLDER/TABLE.FORM`, and return how many rows each has.

    The tables have the games that count, as stored at the start.

    Existing files are replaced at the end. Raises StoreError if Parquet cannot be written without its extra,
    RecordError for a damaged record, OSError.
    """
    opened = _csv if form == CSV else _parquet
    if form == PARQUET:
        _require_pyarrow()
    folder.mkdir(exist_ok=True)
    counts = dict.fromkeys(TABLES, 0)
    with run.store.snapshot(), ExitStack() as stack:
        files = {name: stack.enter_context(replacing(folder / f"{name}.{form}")) for name in TABLES}
        writers: dict[str, TableWriter] = {}
        with ExitStack() as tables:
            for name, columns in TABLES.items():
                writers[name] = tables.enter_context(opened(files[name], columns))
            games = run.game_ids()
            noted = run.games_with_notes()
            for done, game in enumerate(games, start=1):
                for name, row in rows_of(run.store.record(game), run.store.notes(game) if game in noted else ()):
                    writers[name].add(row)
                    counts[name] += 1
                if progress is not None:
                    progress(done, len(games))
    return counts


def _require_pyarrow() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ModuleNotFoundError as error:
        raise StoreError("Parquet needs the extra bowerbird[data]: pip install 'bowerbird[data]'") from error


class _CsvWriter:
    def __init__(self, file: io.TextIOBase) -> None:
        self._writer = csv.writer(file, lineterminator="\n")

    def add(self, row: Row) -> None:
        self._writer.writerow([_csv_cell(cell) for cell in row])


def _csv_cell(cell: Cell) -> Cell:
    """Return a cell for CSV. A string that begins like a formula gets an apostrophe in front."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, str) and cell.startswith(FORMULA_STARTS):
        return f"'{cell}"
    return cell


@contextmanager
def _csv(file: BinaryIO, columns: tuple[Column, ...]) -> Iterator[TableWriter]:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    csv.writer(text, lineterminator="\n").writerow([column.name for column in columns])
    yield _CsvWriter(text)
    text.flush()
    text.detach()  # the caller closes the file


class _ParquetWriter:
    def __init__(self, writer: Any, schema: Any) -> None:  # pyarrow has no type annotations
        self._writer = writer
        self._schema = schema
        self._rows: list[Row] = []

    def add(self, row: Row) -> None:
        self._rows.append(row)
        if len(self._rows) >= ROWS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        import pyarrow

        if not self._rows:
            return
        cells = zip(*self._rows, strict=True)
        arrays = [pyarrow.array(column, field.type) for column, field in zip(cells, self._schema, strict=True)]
        self._writer.write_table(pyarrow.Table.from_arrays(arrays, schema=self._schema))
        self._rows.clear()


@contextmanager
def _parquet(file: BinaryIO, columns: tuple[Column, ...]) -> Iterator[TableWriter]:
    import pyarrow
    from pyarrow import parquet

    types = {TEXT: pyarrow.string(), INTEGER: pyarrow.int64(), BOOLEAN: pyarrow.bool_()}
    fields = [
        pyarrow.field(
            column.name,
            types[column.type],
            nullable=column.is_optional,
            metadata={"description": column.meaning, "unit": column.unit},
        )
        for column in columns
    ]
    schema = pyarrow.schema(fields)
    with parquet.ParquetWriter(file, schema) as writer:
        table = _ParquetWriter(writer, schema)
        yield table
        table.flush()
