"""Archives that earlier versions wrote are imported, verified and rated; the tournament file in them is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.ratings.standings.rating_list import rating_list
from bowerbird.harness.records.archive.archive import open_archive
from bowerbird.harness.records.archive.merge import verify_archive
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.tournament_file import stored_tournament
from bowerbird.harness.tournament.errors import ConfigError
from tests.support.paths import ROOT
from tests.support.records.archives import differences, imported
from tests.support.records.make_version_fixtures import TOURNAMENT_FILES
from tests.support.records.old_databases import ARCHIVE_VERSIONS, archives_of

LADDER = [ROOT / "results" / "ladder" / f"ladder-{rung}.tar.gz" for rung in ("ismcts", "pimc", "pimc-close", "random")]
"""Written by version 1, before machines, voids, processor time and outcomes were in archives."""

ARCHIVES = [archive for version in ARCHIVE_VERSIONS for archive in archives_of(version)]
"""Of each version that wrote archives: a league with faults, and a knockout."""

WITHOUT_RATINGS = [archives_of(version)[1] for version in (2, 3)]
"""Two versions did not store the ratings that seed the bots of a knockout."""

PARAMETERS = [*ARCHIVES, *(pytest.param(archive, marks=pytest.mark.long) for archive in LADDER)]


@pytest.mark.parametrize("archive", PARAMETERS, ids=lambda path: path.name)
def test_an_archive_of_an_old_version_is_imported_and_agrees_with_its_records(archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    merged = imported(path, archive)
    with Store.open(path) as store:
        run = store.run()
        results = run.results()
    assert merged.new == len(results) > 0
    variant = results[0].variant
    assert rating_list([game for game in results if game.variant == variant]).lines
    assert differences(path, run.fingerprint) == []
    verified = verify_archive(archive, digest_of)
    assert (verified.games, verified.differences) == (merged.new, [])


@pytest.mark.parametrize("archive", [*ARCHIVES, *LADDER], ids=lambda path: path.name)
def test_the_tournament_file_in_an_old_archive_is_read(archive: Path) -> None:
    with open_archive(archive) as opened:
        header = opened.run.header
    if archive in WITHOUT_RATINGS:
        with pytest.raises(ConfigError, match="key 'seeding': bot 'ann' has no rating; give each"):
            stored_tournament(header.config, TOURNAMENT_FILES, "the stored copy")
        return
    folder = archive.parent if archive in LADDER else TOURNAMENT_FILES
    file = stored_tournament(header.config, folder, "the stored copy")
    assert [bot.name for bot in file.bots] == [bot.name for bot in header.bots]
