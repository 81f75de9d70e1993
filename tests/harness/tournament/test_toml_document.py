"""The line of each key in a TOML file: every error names it (tournament-file.md)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bowerbird.harness.tournament.config.toml.document import TomlDocument, key_lines, read_toml
from bowerbird.harness.tournament.errors import ConfigError

TEXT = '''# a comment
[tournament]
name = "autumn" # [not.a.header]
sets = 50

[time]
per_decision = "1s"

[[variant]]
name = "buck"
options = { start = 20 }
[[variant]]
name = "euchre"
[variant.options]
target = 5
"stick_dealer" = true

[[bot]]
path = "bots/greedy"
arguments = [
  "--name", # ] = [
  "x = 3",
  """
[bot]
y = 4
""",
]
environment.deep.KEY = 'it''s'
tables = 3
'''.replace("'it''s'", "'its'")


def test_every_key_has_its_line() -> None:
    tomllib.loads(TEXT)
    lines = key_lines(TEXT)
    assert lines["tournament",] == 2
    assert lines["tournament", "sets"] == 4
    assert lines["time", "per_decision"] == 7
    assert lines["variant", 0] == 9
    assert lines["variant", 0, "options"] == 11
    assert lines["variant", 1, "name"] == 13
    assert lines["variant", 1, "options", "target"] == 15
    assert lines["variant", 1, "options", "stick_dealer"] == 16
    assert lines["bot", 0, "arguments"] == 20
    assert lines["bot", 0, "environment", "deep", "KEY"] == 28
    assert lines["bot", 0, "tables"] == 29, "a value of several lines was not stepped over"


def test_what_looks_like_a_key_inside_a_value_is_none() -> None:
    lines = key_lines(TEXT)
    assert not {path for path in lines if "x" in path or "y" in path or "not" in path}
    assert [path for path in lines if path[0] == "bot" and len(path) == 2] == [("bot", 0)]


def test_a_key_in_an_inline_table_is_placed_at_the_key_that_holds_it() -> None:
    source = TomlDocument("autumn.toml", tomllib.loads(TEXT), key_lines(TEXT))
    assert source.location(("variant", 0, "options", "start")) == "autumn.toml, line 11, key 'start'"
    assert source.location(("tournament", "nowhere")) == "autumn.toml, line 2, key 'nowhere'"
    assert source.location(("nowhere",)) == "autumn.toml, key 'nowhere'"


def test_a_file_that_is_not_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "autumn.toml"
    path.write_text("[tournament]\nsets = \n")
    with pytest.raises(ConfigError, match=r"autumn\.toml: not valid TOML: .*line 2"):
        read_toml(path)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [("9" * 5000, "a number has too many digits"), ("[" * 5000 + "]" * 5000, "lists or tables are nested too deeply")],
    ids=["digits", "lists"],
)
def test_what_the_parser_cannot_take_is_refused_in_one_sentence(tmp_path: Path, value: str, sentence: str) -> None:
    path = tmp_path / "autumn.toml"
    path.write_text(f"sets = {value}\n")
    with pytest.raises(ConfigError, match=rf"autumn\.toml: {sentence}$"):
        read_toml(path)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: there is no such file"):
        read_toml(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="this is a folder; must be a TOML file"):
        read_toml(tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(ConfigError, match=r"bytes\.toml: not UTF-8 text \(byte 8\)"):
        read_toml(tmp_path / "bytes.toml")
