"""The pages on files are right: their lists of keys match the schema, and their examples can be read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from bowerbird.harness.extras.league.league_file import load_league
from bowerbird.harness.resources import bundled_bots
from bowerbird.harness.tournament.config import schema
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.fingerprint import EXCLUDED
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.preparation.build import TIMEOUT_S
from tests.support.docs.file_pages import BOT_PAGE, LEAGUE_PAGE, PARTS, TOURNAMENT_PAGE, decided_list, key_list
from tests.support.docs.parts import part
from tests.support.paths import DOCS

HOW_TO_PAGE = DOCS / "how-to" / "run-a-league.md"


def examples(page: Path) -> list[str]:
    """Return the TOML blocks of a page."""
    return re.findall(r"^```toml\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


FILES = [text for text in examples(TOURNAMENT_PAGE) if "[[bot]]" in text]
PARTS_OF_FILES = [text for text in examples(TOURNAMENT_PAGE) if "[[bot]]" not in text]
LINES = [line for text in PARTS_OF_FILES for line in text.splitlines() if line != "[tournament]"]


@pytest.mark.parametrize(("page", "name"), [(page, name) for page, parts in PARTS.items() for name in parts])
def test_a_list_of_keys_is_that_of_the_schema(page: Path, name: str) -> None:
    assert part(page, name) == key_list(PARTS[page][name]), "regenerate it: python -m tests.support.docs.file_pages"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the bot `mybot` of the examples."""
    (tmp_path / "mybot").mkdir()
    (tmp_path / "mybot/bot.toml").write_text('name = "mybot"\ncommand = ["{python}", "bot.py"]\n', encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("text", FILES, ids=range(len(FILES)))
def test_a_whole_tournament_file_is_read(folder: Path, text: str) -> None:
    file = folder / "autumn.toml"
    file.write_text(text, encoding="utf-8")
    assert len(load_tournament(file).bots) >= 2


def test_no_part_of_a_file_has_a_key_twice() -> None:
    for text in PARTS_OF_FILES:
        tomllib.loads(text)


@pytest.mark.parametrize("line", LINES)
def test_a_line_of_the_tournament_is_read(folder: Path, line: str) -> None:
    """A key that only some formats have is read with the first of them."""
    key = schema.TOURNAMENT_TABLE.key(line.partition(" ")[0])
    assert key is not None
    format_ = f'format = "{key.formats[0]}"\n' if key.formats else ""
    bots = "".join(f'[[bot]]\npath = "{path}"\n' for path in ("./mybot", "greedy", "random"))
    file = folder / "autumn.toml"
    file.write_text(f'[tournament]\n{format_}{line}\n[[variant]]\nname = "euchre"\n{bots}', encoding="utf-8")
    load_tournament(file)


def test_there_are_examples() -> None:
    assert len(FILES) >= 4
    assert len(LINES) >= 9


@pytest.mark.parametrize("number", range(len(examples(BOT_PAGE))))
def test_an_example_of_a_bot_file_is_read(tmp_path: Path, number: int) -> None:
    bot = tmp_path / "ada"
    for made in (bot, tmp_path / "tables", tmp_path / "model"):
        made.mkdir()
    (tmp_path / "tables/openings.bin").touch()
    (bot / "bot.toml").write_text(examples(BOT_PAGE)[number], encoding="utf-8")
    assert load_bot(bot).name in ("mybot", "ada")


def test_what_a_league_decides_is_that_of_the_schema() -> None:
    again = "regenerate it: python -m tests.support.docs.file_pages"
    assert part(LEAGUE_PAGE, "decided-keys") == decided_list(), again


@pytest.mark.parametrize("text", [*examples(LEAGUE_PAGE), examples(HOW_TO_PAGE)[0]], ids=["reference", "how-to"])
def test_an_example_of_a_league_file_is_read(folder: Path, text: str) -> None:
    file = folder / "autumn.toml"
    file.write_text(text, encoding="utf-8")
    found, wrong = load_league(file).bots()
    assert (len(found) >= 2, wrong) == (True, [])


def test_words_and_bots_on_the_page_are_those_of_the_code() -> None:
    text = TOURNAMENT_PAGE.read_text(encoding="utf-8")
    for name, key in (("format", schema.FORMAT), ("lineup", schema.LINEUP)):
        table = text.split(f"| `{name}` |")[1].split("\n\n")[0]
        assert tuple(re.findall(r"^\| `([a-z-]+)` ", table, re.MULTILINE)) == key.allowed
    [shown] = re.findall(r"among the bundled bots: (.*?)\.", text, re.DOTALL)
    assert re.findall(r"`([a-z-]+)`", shown) == list(bundled_bots())


def test_what_a_build_may_write_is_what_the_fingerprint_leaves_out() -> None:
    text = " ".join(BOT_PAGE.read_text(encoding="utf-8").split())
    [shown] = re.findall(r"write only to (.*?), to names", text)
    assert set(re.findall(r"`([a-z_]+)`", shown)) == EXCLUDED
    assert f"at most {TIMEOUT_S // 60:g} minutes" in text


@pytest.mark.parametrize("page", [TOURNAMENT_PAGE, BOT_PAGE], ids=lambda page: page.name)
def test_lines_fit_into_80_columns(page: Path) -> None:
    long = [line for line in page.read_text(encoding="utf-8").splitlines() if len(line) > 80 and line[0] != "|"]
    assert not long
