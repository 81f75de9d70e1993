"""The figures of a run in a file beside its archive, such as `autumn.analysis.jsonl.gz` beside `autumn.tar.gz`.

They are not part of the archive, since its digest covers the run and its bytes follow only from the run. Each game is a
line of JSON. The reader trusts nothing in the file: each decision must be in the stored record, and the parts of each
hand must add up. The costs of decisions cannot be checked, so they are kept apart from figures that were computed here
(`AS_IMPORTED`).
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

from bowerbird.engine import RecordError, counted
from bowerbird.harness.extras.analysis.analysis_file import AS_IMPORTED, AnalysisFile, analysis_path, digest_of
from bowerbird.harness.extras.analysis.game_analysis import (
    LONGEST_TEXT,
    Decision,
    GameAnalysis,
    SideHand,
    refuse_impossible,
)
from bowerbird.harness.records.archive.gunzip import Gunzip, GunzipError
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.atomic_file import replacing
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.text.bounded_file import open_regular
from bowerbird.harness.records.text.bounded_json import load_json

SUFFIX = ".analysis.jsonl.gz"

LONGEST_LINE = 1 << 24
"""The maximum length of a game in a file, in bytes."""

_PIECE = 1 << 16


def file_beside(archive: Path) -> Path:
    """Return the path of an archive's figures."""
    return archive.with_name(f"{archive.name.removesuffix('.gz').removesuffix('.tar')}{SUFFIX}")


def write_beside(run: StoredRun, archive: Path) -> str:
    """Write the figures of a run beside its archive. Return a sentence about them, or "" if the run was not analysed.

    The figures are those of the latest judge. Raises StoreError, OSError.
    """
    if not (archive.is_file() and analysis_path(run.store.path).is_file()):
        return ""
    digests = {game: digest_of(text) for game, text in run.record_texts()}
    with AnalysisFile(run.store.path) as figures:
        judges = figures.latest_judges(run.fingerprint, digests)
        if not judges:
            return ""
        path = file_beside(archive)
        with (
            replacing(path) as file,
            gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed,
        ):
            for game, found in sorted(figures.games(run.fingerprint, judges)):
                packed.write(_line(game, digests[game], judges[game], found))
    return f"written: {path}, the analysis of {counted(len(judges), 'game')}; it is not signed"


def _line(game: str, record: str, judge: str, found: GameAnalysis) -> bytes:
    decisions, hands = map(astuple, found.decisions), map(astuple, found.hands)
    values = {"game": game, "record": record, "judge": judge, "decisions": [*decisions], "hands": [*hands]}
    return f"{json.dumps(values, ensure_ascii=False, separators=(',', ':'))}\n".encode()


def take_beside(run: StoredRun, archive: Path) -> str:
    """Store the figures beside an imported archive. Return a sentence about them, or "" if there are none.

    Games without a stored record, with another record or already analysed here are left out. A damaged or impossible
    file is left out entirely, but the run is stored in any case.
    """
    path = file_beside(archive)
    if not path.is_file():
        return ""
    try:
        for _ in _games(run, path):
            pass  # everything is checked before anything is stored
        with AnalysisFile(run.store.path) as figures:
            known, taken = figures.analysed_games(run.fingerprint), 0
            for game, digest, judge, found in _games(run, path):
                if game not in known:
                    figures.save(run.fingerprint, game, digest, f"{judge}{AS_IMPORTED}", found)
                    taken += 1
    except StoreError as error:
        return f"{error}; this analysis was left out"
    return f"{path}: the analysis of {counted(taken, 'game')}, as it came" if taken else ""


def _games(run: StoredRun, path: Path) -> Iterator[tuple[str, str, str, GameAnalysis]]:
    """Yield the game, digest, judge and figures of each line about a record of the run. Raises StoreError."""
    digests = {game: digest_of(text) for game, text in run.record_texts()}
    for number, line in enumerate(_lines(path), 1):
        try:
            game, digest, judge, found = _game(load_json(line))
            if digests.get(game) == digest:
                refuse_impossible(found, run.store.record(game))
                yield game, digest, judge, found
        except (ValueError, TypeError, KeyError, RecordError) as error:
            raise StoreError(f"{path}, line {number}: is not the analysis of a game of this run ({error})") from error


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file. Raises StoreError."""
    with open_regular(path, "analysis of a run") as file:
        source, waiting = Gunzip(file), b""
        try:
            while piece := source.read(_PIECE):
                *lines, waiting = (waiting + piece).split(b"\n")
                yield from lines
                if len(waiting) > LONGEST_LINE:
                    raise StoreError(f"{path}: has a line of more than {LONGEST_LINE:,} bytes")
        except (GunzipError, zlib.error) as error:
            raise StoreError(f"{path}: is damaged, or not the analysis of a run ({error})") from error
        except OSError as error:
            raise StoreError(f"{path}: cannot be read ({error.strerror or error})") from error
        if waiting:
            raise StoreError(f"{path}: ends in the middle of a line")


def _game(values: Any) -> tuple[str, str, str, GameAnalysis]:
    """Return the game, the digest of its record, its judge and its figures. Raises ValueError or similar."""
    game, digest, judge = (_text(values[name]) for name in ("game", "record", "judge"))
    decisions = tuple(_decision(*one) for one in values["decisions"])
    hands = tuple(_side_hand(*one) for one in values["hands"])
    return game, digest, judge.removesuffix(AS_IMPORTED), GameAnalysis(decisions, hands)


def _decision(*cells: Any) -> Decision:
    *places, values = cells
    hand, step, seat, bot, stage, token, best, did, better, loss, error = places
    return Decision(
        hand=_number(hand),
        step=_number(step),
        seat=_number(seat),
        bot=_text(bot),
        stage=_text(stage),
        token=_text(token),
        best=_text(best),
        did=_text(did),
        better=_text(better),
        loss=_number(loss),
        error=_number(error),
        values=tuple((_text(one), _number(worth)) for one, worth in values),
    )


def _side_hand(*cells: Any) -> SideHand:
    hand, seat, side, bot, *parts = cells
    result, par, own, others, rest = map(_number, parts)
    return SideHand(_number(hand), _number(seat), _number(side), _text(bot), result, par, own, others, rest)


def _number(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{str(value)[:40]!r} is not a whole number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable() or len(value) > LONGEST_TEXT:
        raise ValueError(f"{str(value)[:40]!r} is too long or not a text")
    return value
