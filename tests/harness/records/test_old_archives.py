"""Archives that earlier versions wrote are imported, verified and rated; the tournament file in them is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.ratings.standings.rating_list import rating_list
from harness.records.store.store import Store
from harness.tournament.config.tournament_file import stored_tournament
from tests.support.paths import ROOT
from tests.support.records.archives import differences, imported

LADDER = sorted((ROOT / "results" / "ladder").glob("*.tar.gz"))
"""Written by version 1, before machines, voids, processor time and outcomes were in archives."""


@pytest.mark.slow
@pytest.mark.parametrize("archive", LADDER, ids=lambda path: path.name)
def test_an_archive_of_version_1_is_imported_and_agrees_with_its_records(archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    merged = imported(path, archive)
    with Store.open(path) as store:
        run = store.run()
        file = stored_tournament(run.config, archive.parent, "the stored copy")
        results = store.results(run.fingerprint)
    assert merged.new == len(results) > 0
    assert {bot.name for bot in file.bots} >= {bot for game in results for bot in game.bots}
    variant = results[0].variant
    assert rating_list([game for game in results if game.variant == variant]).lines
    assert differences(path, run.fingerprint) == []
