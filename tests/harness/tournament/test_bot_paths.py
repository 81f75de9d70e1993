"""A bot is found by a bundled name or a path, on the command line and in files alike (tournament-file.md, The bots)."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.resources import bundled_bots
from bowerbird.harness.tournament.config.bot_paths import find_bot
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.resume_rules import check_resume
from bowerbird.harness.tournament.config.tournament_file import load_tournament, quick_match
from bowerbird.harness.tournament.errors import ConfigError, RunConflictError
from bowerbird.harness.tournament.plan import make_plan
from tests.support.paths import ROOT
from tests.support.tournament.bot_folders import Yard

SEED = bytes(32)


def entries(*paths: str) -> str:
    return "".join(f'[[bot]]\npath = "{path}"\n' for path in paths)


def test_a_bundled_name_is_a_bundled_bot_wherever_the_file_is(yard: Yard) -> None:
    file = load_tournament(yard.tournament(bots=entries("greedy", "random")))
    assert [bot.source for bot in file.bots] == [bundled_bots()["greedy"], bundled_bots()["random"]]
    assert [bot.name for bot in file.bots] == ["greedy", "random"]


def test_bundled_bots_are_found_by_name_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert {"greedy", "random", "node-random"} <= set(bundled_bots())
    assert find_bot("greedy") == ROOT / "bots" / "greedy" / "bot.toml"


def test_bot_may_be_a_folder_or_a_file(tmp_path: Path) -> None:
    manifest = tmp_path / "bot.toml"
    manifest.write_text("")
    assert find_bot(str(tmp_path)) == find_bot(str(manifest)) == manifest


def test_a_bundled_bot_comes_before_a_folder_of_its_name(yard: Yard) -> None:
    own = yard.write("greedy/bot.toml", 'name = "mine"\ncommand = ["{python}"]\n')
    file = load_tournament(yard.tournament(bots=entries("greedy", "./greedy", "greedy/bot.toml") + 'name = "b"\n'))
    assert [bot.source for bot in file.bots] == [bundled_bots()["greedy"], own, own]


def test_a_folder_written_as_one_word_is_found_and_stored_as_a_folder(yard: Yard) -> None:
    """A later Bowerbird may bundle a bot of this name."""
    own = yard.write("mybot/bot.toml", 'name = "mybot"\ncommand = ["{python}"]\n')
    file = load_tournament(yard.tournament(bots=entries("mybot", "greedy")))
    assert file.bots[0].source == own
    stored = tomllib.loads(resolved_text(file))
    assert [bot["path"] for bot in stored["bot"]] == ["./mybot", "greedy"]
    assert load_tournament(yard.write("again.toml", resolved_text(file))) == replace(file, name="autumn")


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("gredy", "unknown bot 'gredy', did you mean 'greedy'?"),
        ("mybto", "unknown bot 'mybto', did you mean 'mybot'?"),
        (
            "zzz",
            "unknown bot 'zzz'; name a bundled bot (champion, greedy, human, ismcts, llm, node-random, openspiel, "
            "pimc, random) or a folder with a bot.toml",
        ),
        ("bots/alhpa", "did you mean 'alpha'?"),
        ("nowhere/x", "must be a bundled bot, a folder with a bot.toml or a bot.toml"),
        ("mybot/bot.py", "mybot/bot.py: must be the bot's folder or its bot.toml, not its program"),
        ("bots", "bots: there is no bot.toml in this folder"),
        ("./greedy", "greedy: there is no such bot; must be a bundled bot, a folder with a bot.toml or a bot.toml"),
    ],
)
def test_a_bot_that_is_not_there_is_named_with_what_is(yard: Yard, path: str, sentence: str) -> None:
    yard.write("mybot/bot.toml", 'name = "mybot"\ncommand = ["{python}"]\n')
    yard.write("mybot/bot.py", "")
    with pytest.raises(ConfigError) as caught:
        load_tournament(yard.tournament(bots=entries("bots/alpha", path)))
    assert "autumn.toml, line 9, key 'path': " in str(caught.value)
    assert str(caught.value).endswith(sentence)


def test_a_match_takes_the_path_it_is_given(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    """`./greedy` on the command line is a folder, even where its text has become the path "greedy"."""
    own = yard.write("greedy/bot.toml", 'name = "mine"\ncommand = ["{python}"]\n')
    monkeypatch.chdir(yard.folder)
    match = quick_match([Path("./greedy"), Path("./bots/alpha")], {"euchre": {}}, sets=1)
    assert match.bots[0].source.resolve() == own


def test_a_run_that_was_stored_before_bundled_names_can_be_resumed(yard: Yard) -> None:
    """Its config has the path as it was typed then. The path is not part of a run: the fingerprint of the files is."""
    yard.write("mybot/bot.toml", 'name = "mybot"\ncommand = ["{python}"]\n')
    new = make_plan(load_tournament(yard.tournament(bots=entries("mybot", "bots/alpha"))), SEED).header
    stored = replace(new, config=new.config.replace('"./mybot"', '"mybot"'))
    assert stored.config != new.config
    check_resume(stored, new)


def test_a_stored_folder_with_the_name_of_a_bundled_bot_is_told_how_to_name_it(yard: Yard) -> None:
    yard.write("greedy/bot.toml", 'name = "greedy"\ncommand = ["{python}"]\n')
    before = make_plan(load_tournament(yard.tournament(bots=entries("./greedy", "bots/alpha"))), SEED).header
    stored = replace(before, config=before.config.replace('"./greedy"', '"greedy"'))
    now = make_plan(load_tournament(yard.tournament(bots=entries("greedy", "bots/alpha"))), SEED).header
    with pytest.raises(RunConflictError, match=r"\(path = \"greedy\" is the bundled bot, './greedy' a folder\)"):
        check_resume(stored, now)
    check_resume(stored, before)
