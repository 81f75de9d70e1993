"""The report of a run of real games (commands.md, `bowerbird report`)."""

from __future__ import annotations

import json

from tests.support.command.bowerbird_command import Bowerbird


def test_report_of_a_run_is_written_with_its_games_beside_it(played: Bowerbird) -> None:
    said = played.done("report", "good", "--db", "x.db", "-o", "out.html")
    assert "written: out.html" in said
    assert "2 replays in out-games" in said
    page = (played.folder / "out.html").read_text(encoding="utf-8")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert {bot["name"] for bot in data["bots"]} == {"one", "two"}
    assert (played.folder / "out-games" / data["pairs"][0][2]).exists()
    assert "no run 'bad'" in played.refused("report", "bad", "--db", "x.db", "-o", "out.html")
    played.refused("report", "--db", "x.db", "-o", "x.db/out.html")
