"""The report of a run of real games (commands.md, `bowerbird report`)."""

from __future__ import annotations

import re

from tests.support.command.bowerbird_command import Bowerbird


def test_report_of_a_run_is_written_with_its_games_beside_it(played: Bowerbird) -> None:
    said = played.done("report", "good", "--db", "x.db", "-o", "out.html")
    assert "written: out.html" in said
    assert "2 replays in out-games" in said
    page = (played.folder / "out.html").read_text(encoding="utf-8")
    assert set(re.findall(r'<span class="name" title="([^"]*)">', page)) == {"one", "two"}
    links = set(re.findall(r'href="(out-games/[^"#]*)', page))
    assert any("/pair-" in link for link in links), f"no link to the games of a pair: {sorted(links)}"
    assert [link for link in sorted(links) if not (played.folder / link).exists()] == []
    assert "no run 'bad'" in played.refused("report", "bad", "--db", "x.db", "-o", "out.html")
    played.refused("report", "--db", "x.db", "-o", "x.db/out.html")
