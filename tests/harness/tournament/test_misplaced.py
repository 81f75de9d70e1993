"""A typo in the name of a table or key is named itself, before anything that it causes (tournament-file.md)."""

from __future__ import annotations

import pytest

from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.errors import ConfigError
from tests.support.tournament.bot_folders import Yard

GOOD = """\
[tournament]
sets = 1

[time]
bank = "5s"

[[variant]]
name = "buck"
[[variant]]
name = "euchre"

[[bot]]
path = "bots/alpha"
[[bot]]
path = "bots/beta"
"""


def refusal(yard: Yard, text: str) -> str:
    """Return the sentence that refuses a tournament file, without the folder."""
    path = yard.write("cup.toml", text)
    with pytest.raises(ConfigError) as caught:
        load_tournament(path)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.startswith(str(path))
    return sentence.replace(str(path), path.name)


def test_the_file_is_good_before_it_is_changed(yard: Yard) -> None:
    assert load_tournament(yard.write("cup.toml", GOOD)).sets == 1


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[tournament]", "[tournement]", "line 1: unknown table [tournement], did you mean [tournament]?"),
        ("[tournament]", "[Tournament]", "line 1: unknown table [Tournament], did you mean [tournament]?"),
        ("[tournament]", "[tournaments]", "line 1: unknown table [tournaments], did you mean [tournament]?"),
        ("[tournament]", "[turnament]", "line 1: unknown table [turnament], did you mean [tournament]?"),
        ("[tournament]", "[[tournement]]", "line 1: unknown table [[tournement]], did you mean [tournament]?"),
        ("[time]", "[Time]", "line 4: unknown table [Time], did you mean [time]?"),
        ("[time]", "[tiem]", "line 4: unknown table [tiem], did you mean [time]?"),
        ("[time]", "[times]", "line 4: unknown table [times], did you mean [time]?"),
        ("[[variant]]", "[[variants]]", "line 7: unknown table [[variants]], did you mean [[variant]]?"),
        ("[[variant]]", "[[Variant]]", "line 7: unknown table [[Variant]], did you mean [[variant]]?"),
        ("[[variant]]", "[[varaint]]", "line 7: unknown table [[varaint]], did you mean [[variant]]?"),
        ("[[bot]]", "[[bots]]", "line 12: unknown table [[bots]], did you mean [[bot]]?"),
        ("[[bot]]", "[[Bot]]", "line 12: unknown table [[Bot]], did you mean [[bot]]?"),
        (
            "[[bot]]",
            "[[player]]",
            "line 12: unknown table [[player]]; must be [tournament], [time], [[variant]] or [[bot]]",
        ),
        ("[tournament]", "[[tournament]]", "line 1: write [tournament] in single brackets: a file has only one"),
        ("[time]", "[[time]]", "line 4: write [time] in single brackets: a file has only one"),
        (
            "[[bot]]",
            "[bot]",
            "line 12: got [bot]; write [[bot]] in double brackets for each bot",
        ),
        (
            "[[variant]]",
            "[ variant ]  # the game",
            "line 7: got [variant]; write [[variant]] in double brackets for each variant",
        ),
        ("[[bot]]\npath", "[bots.one]\npath", "cup.toml, line 12: unknown table [bots], did you mean [[bot]]?"),
    ],
)
def test_a_wrong_table_is_named(yard: Yard, old: str, new: str, sentence: str) -> None:
    text = GOOD.replace(old, new, 1 if "." in new else -1)
    assert refusal(yard, text).endswith(sentence)


@pytest.mark.parametrize("header", ["bot", "variant"])
def test_one_header_in_single_brackets_is_named(yard: Yard, header: str) -> None:
    """A single one is valid TOML, two are not."""
    table = {"bot": 'path = "bots/alpha"', "variant": 'name = "euchre"'}
    others = "".join(f"[[{name}]]\n{line}\n" for name, line in table.items() if name != header)
    text = f"[{header}]\n{table[header]}\n{others}"
    assert refusal(yard, text) == (
        f"cup.toml, line 1: got [{header}]; write [[{header}]] in double brackets for each {header}"
    )


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("sets = 3", "key 'sets': key 'sets' comes before the first table; it belongs in [tournament]"),
        ('bank = "1s"', "key 'bank': key 'bank' comes before the first table; it belongs in [time]"),
        (
            'name = "cup"',
            "key 'name': key 'name' comes before the first table; it belongs in [tournament], [[variant]] or [[bot]]",
        ),
        ("elo0 = 3", "key 'elo0': key 'elo0' comes before the first table; it belongs in sprt"),
        ("stes = 3", "key 'stes': unknown key 'stes' before the first table, did you mean 'sets'?"),
        ("xyzzy = 3", "key 'xyzzy': unknown key 'xyzzy' before the first table"),
        ('time = "1s"', "key 'time': got \"1s\"; must be a table [time]"),
        ('bot = "greedy"', "key 'bot': got \"greedy\"; must be tables [[bot]]"),
        ('variant = ["euchre"]', "key 'variant': got \"euchre\"; must be a table [[variant]]"),
    ],
)
def test_a_key_before_the_first_table_is_named(yard: Yard, line: str, sentence: str) -> None:
    key = line.partition(" ")[0]
    rest = "\n\n".join(part for part in GOOD.split("\n\n") if not part.startswith((f"[{key}]", f"[[{key}]]")))
    assert refusal(yard, f"{line}\n{rest}") == f"cup.toml, line 1, {sentence}"


@pytest.mark.parametrize(
    ("after", "line", "sentence"),
    [
        ("sets = 1", 'per_decision = "1s"', "unknown key 'per_decision' in [tournament]; it belongs in [time]"),
        ("sets = 1", "every = 16", "unknown key 'every' in [tournament]; it belongs in stop"),
        ("sets = 1", 'path = "greedy"', "unknown key 'path' in [tournament]; it belongs in [[bot]]"),
        ("sets = 1", "memory_mb = 64", "unknown key 'memory_mb' in [tournament]; it belongs in bot.toml"),
        ("sets = 1", "stop = { elo0 = 1 }", "unknown key 'elo0' in stop; it belongs in sprt"),
        ("sets = 1", "stop = { sprt = { every = 1 } }", "unknown key 'every' in sprt; it belongs in stop"),
        ('bank = "5s"', "sets = 3", "unknown key 'sets' in [time]; it belongs in [tournament]"),
        ('name = "euchre"', "sets = 3", "unknown key 'sets' in [[variant]]; it belongs in [tournament]"),
        (
            'name = "euchre"',
            "stick_dealer = true",
            "'stick_dealer' is an option of euchre; write options = { stick_dealer = ... }",
        ),
        ('path = "bots/beta"', 'version = "2"', "unknown key 'version' in [[bot]]; it belongs in bot.toml"),
        ('path = "bots/beta"', "tables = 2", "unknown key 'tables' in [[bot]]; it belongs in bot.toml or [tournament]"),
        ('path = "bots/beta"', 'argumets = ["x"]', "unknown key 'argumets' in [[bot]], did you mean 'arguments'?"),
    ],
)
def test_a_key_in_the_wrong_table_is_told_its_place(yard: Yard, after: str, line: str, sentence: str) -> None:
    text = GOOD.replace(after, f"{after}\n{line}")
    found = refusal(yard, text)
    assert found.endswith(sentence)
    assert f"line {text.splitlines().index(line) + 1}, key '" in found


def test_a_table_inside_another_is_told_its_place(yard: Yard) -> None:
    found = refusal(yard, GOOD.replace("[time]", "[tournament.time]"))
    assert found == "cup.toml, line 4, key 'time': unknown key 'time' in [tournament], did you mean [time]?"


BOT = 'name = "gamma"\ncommand = ["{python}"]\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f"{BOT}[sandbx]\nread = []\n", "line 3: unknown table [sandbx], did you mean [sandbox]?"),
        (f"{BOT}[Sandbox]\nread = []\n", "line 3: unknown table [Sandbox], did you mean [sandbox]?"),
        (f"{BOT}[enviroment]\nX = '1'\n", "line 3: unknown table [enviroment], did you mean [environment]?"),
        (f"{BOT}[environments]\n", "line 3: unknown table [environments], did you mean [environment]?"),
        (f"{BOT}[[sandbox]]\nread = []\n", "line 3: write [sandbox] in single brackets: a file has only one"),
        (f"{BOT}[[environment]]\nX = '1'\n", "line 3: write [environment] in single brackets: a file has only one"),
        (f"[bot]\n{BOT}", "line 1: unknown table [bot]; the keys of bot.toml come before the first table"),
        (f"{BOT}[limits]\nx = 1\n", "line 3: unknown table [limits]; must be [environment] or [sandbox]"),
        (f"{BOT}sandbox = true\n", "line 3, key 'sandbox': got true; must be a table [sandbox]"),
        (f"{BOT}read = []\n", "line 3, key 'read': unknown key 'read' in bot.toml; it belongs in [sandbox]"),
        (f"{BOT}tabels = 3\n", "line 3, key 'tabels': unknown key 'tabels' in bot.toml, did you mean 'tables'?"),
        (
            f"{BOT}[environment]\ntables = 3\n",
            "line 4, key 'tables': only strings are allowed in [environment]; "
            "keys of bot.toml come before its first table",
        ),
        (
            f"{BOT}[sandbox]\ntables = 3\n",
            "line 4, key 'tables': unknown key 'tables' in [sandbox]; it belongs in bot.toml",
        ),
        ('Name = "gamma"\ncommand = ["x"]', "line 1, key 'Name': unknown key 'Name' in bot.toml, did you mean 'name'?"),
        ("", "bot.toml needs a key 'name'"),
    ],
)
def test_a_typo_in_a_bot_file_is_named(yard: Yard, text: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_bot(yard.write("bots/gamma/bot.toml", text))
    assert str(caught.value).endswith(sentence)


def test_a_stranger_cannot_move_the_cursor_with_a_name_of_a_table(yard: Yard) -> None:
    found = refusal(yard, GOOD.replace("[time]", '["\\u001b[2J"]'))
    assert "\x1b" not in found
