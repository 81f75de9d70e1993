"""A bridge takes answers as Ruby, PHP and Lua write them (clients.md, Over a bridge)."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from bowerbird.bots.bridge.messages import Answer, parse_answer

WRITTEN = {
    "PHP": rb'{"id":3,"action":"pass","note":"\u00fc\/\u2660"}',
    "Ruby": '{"id":3.0,"action":"pass","note":"ü/♠"}'.encode(),
    "Lua": '{"action":"pass","note":"ü/♠","id":3}'.encode(),
}
"""Their JSON of id 3, "pass" and a note; in Ruby of a float."""


@pytest.mark.parametrize("language", WRITTEN)
def test_an_answer_is_read_as_the_language_writes_it(language: str) -> None:
    answer = parse_answer(WRITTEN[language], 3, "the program")
    assert (answer.action, answer.note) == ("pass", "ü/♠")


@pytest.mark.parametrize("empty", ["{}", "[]"])
def test_an_answer_with_an_empty_list_or_object_is_read(empty: str) -> None:
    """cjson writes {} for both, PHP []: a field that is not known may be either."""
    answer = parse_answer(f'{{"id": 3, "action": "pass", "seen": {empty}}}'.encode(), 3, "the program")
    assert isinstance(answer, Answer)
    assert answer.action == "pass"


PROGRAMS = {
    "ruby": ["ruby", "-rjson", "-e", "print JSON.generate({id: 3.0, action: 'pass', note: 'ü/♠'})"],
    "php": ["php", "-r", 'echo json_encode(["id" => 3.0, "action" => "pass", "note" => "ü/♠"]);'],
    "lua5.4": [
        "lua5.4",
        "-e",
        'local c = require("cjson"); assert(c.decode("null") == c.null and c.null ~= nil and c.encode({}) == "{}");'
        'io.write(c.encode({id = 3.0, action = "pass", note = "ü/♠"}))',
    ],
}


@pytest.fixture
def installed(processes: None) -> dict[str, list[str]]:
    """Return the programs whose language this machine has. None need be there: the texts above are theirs."""
    return {name: command for name, command in PROGRAMS.items() if shutil.which(name)}


def test_languages_that_are_installed_still_write_so(installed: dict[str, list[str]]) -> None:
    for name, command in installed.items():
        done = subprocess.run(command, capture_output=True, check=False)
        if b"module 'cjson' not found" in done.stderr:
            continue
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {"id": 3, "action": "pass", "note": "ü/♠"}, name
        assert parse_answer(done.stdout, 3, name).action == "pass"
