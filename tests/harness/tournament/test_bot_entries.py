"""`[[bot]] remote = true`: the tournament file itself holds what a bot.toml would say."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.tournament.config.bot_entries import check_all_local, folders_of_equal_names
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.bot_paths import find_bot
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.errors import ConfigError, RemoteBotError
from bowerbird.harness.tournament.preparation.build import prepare
from tests.support.tournament.bot_folders import Yard

FILE = """
[tournament]
name = "autumn"
[[variant]]
name = "euchre"
[[bot]]
path = "bots/alpha"
[[bot]]
remote = true
name = "guest"
"""


def refusal(path: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        load_tournament(path)
    return str(caught.value)


def test_a_remote_bot_needs_a_name_and_nothing_else(yard: Yard) -> None:
    guest = load_tournament(yard.write("autumn.toml", FILE)).bots[1]
    assert (guest.name, guest.remote, guest.version, guest.variants) == ("guest", True, "0", ("*",))
    assert guest.fingerprint == "remote", "its files are not known"
    assert guest.command == ()


def test_what_a_bot_toml_would_say_is_taken_from_the_entry(yard: Yard) -> None:
    told = 'version = "3"\nauthor = "Ada"\ntables = 5\nvariants = ["euchre", "buck"]\n'
    guest = load_tournament(yard.write("autumn.toml", FILE + told)).bots[1]
    assert (guest.version, guest.author, guest.tables, guest.variants) == ("3", "Ada", 5, ("euchre", "buck"))


def test_a_remote_bot_needs_no_build_and_no_program(yard: Yard) -> None:
    guest = load_tournament(yard.write("autumn.toml", FILE)).bots[1]
    assert prepare(guest, lambda name: pytest.fail(f"{name} was built")) == guest


def test_the_resolved_copy_reads_back_the_same(yard: Yard) -> None:
    file = load_tournament(yard.write("autumn.toml", FILE + 'version = "3"\n'))
    text = resolved_text(file)
    again = load_tournament(yard.write("autumn.toml", text))
    assert resolved_text(again) == text
    assert [(bot.name, bot.version, bot.remote) for bot in again.bots] == [("alpha", "0", False), ("guest", "3", True)]


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ('path = "bots/beta"', "line 11, key 'path': bot 'guest' is remote and runs elsewhere; leave out 'path'"),
        ('arguments = ["-x"]', "bot 'guest' is remote and runs elsewhere; leave out 'arguments'"),
        ('variants = ["euchr"]', "key 'variants': unknown variant 'euchr', did you mean 'euchre'?"),
        ("tables = 0", "key 'tables': got 0; must be a whole number from 1 to 1024"),
        ('vesion = "1"', "unknown key 'vesion' in [[bot]], did you mean 'version'?"),
    ],
)
def test_what_a_remote_bot_cannot_have_is_refused(yard: Yard, written: str, sentence: str) -> None:
    assert sentence in refusal(yard.write("autumn.toml", f"{FILE}{written}\n"))


def test_remote_is_true_or_false(yard: Yard) -> None:
    wrong = FILE.replace("remote = true", 'remote = "yes"')
    assert "line 9, key 'remote': got \"yes\"; must be true or false" in refusal(yard.write("autumn.toml", wrong))


def test_a_remote_bot_without_a_name_is_refused(yard: Yard) -> None:
    assert "key 'name'" in refusal(yard.write("autumn.toml", FILE.replace('name = "guest"', "")))


def test_remote_bots_are_played_by_host_alone(yard: Yard) -> None:
    file = load_tournament(yard.write("autumn.toml", FILE))
    with pytest.raises(RemoteBotError, match="bot 'guest' is remote; play this file with `bowerbird host`"):
        check_all_local(file.bots)
    check_all_local(file.bots[:1])


def test_equal_names_of_different_folders_say_which_folder_each_is(yard: Yard) -> None:
    old, new = yard.bot("old", 'name = "greedy"'), yard.bot("new", 'name = "greedy"')
    typed = [str(old.parent), "random", str(new), "greedy"]
    bots = [load_bot(find_bot(text)) for text in typed]
    assert folders_of_equal_names(typed, bots) == f"greedy = {old.parent}, greedy-2 = {new}, greedy-3 = bundled greedy"


def test_copies_of_one_bot_need_no_explanation(yard: Yard) -> None:
    folder = yard.bot("mine").parent
    typed = [str(folder), "random", str(folder / "bot.toml"), "random"]
    assert folders_of_equal_names(typed, [load_bot(find_bot(text)) for text in typed]) == ""
