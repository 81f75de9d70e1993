"""What `bowerbird tournament FILE --dry-run` says of the time (tournament-file.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bowerbird.harness.cli.dry_run import print_dry_run
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from tests.support.tournament.bot_folders import Yard


def test_a_dry_run_says_of_the_longest_time_what_it_leaves_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    yard = Yard(tmp_path)
    yard.bot("alpha")
    yard.bot("beta")
    file = load_tournament(yard.tournament("sets = 1", variants='[[variant]]\nname = "two-handed"\n'))
    print_dry_run(file, tmp_path / "none.db", resume=False, as_json=False)
    said = " ".join(capsys.readouterr().out.split())
    assert re.search(r"if bots answer at once, at most about [\d.]+ \w+ without voids and restarts", said), said
