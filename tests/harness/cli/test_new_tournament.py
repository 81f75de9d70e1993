"""`new-tournament`: the file can be played as it is, and its comments tell the defaults (commands.md)."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.cli.commands.new_tournament import write_tournament
from bowerbird.harness.cli.main import run
from bowerbird.harness.records.values.run import COMMON, OWN
from bowerbird.harness.tournament.config import schema
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, load_tournament, parse_tournament
from bowerbird.harness.tournament.errors import ConfigError
from tests.support.command.bowerbird_command import Bowerbird

KEY = re.compile(r"^(#?)([a-z_0-9]+) = (.*?)(?:  # ([a-z, -]+))?$", re.MULTILINE)
"""A key of the file: "#" if it is commented out, its name, its value, and "example" or the formats that have it."""

REMOTE = "#[[bot]]  # example"


def written(folder: Path) -> str:
    """Return the text of a new tournament file with the defaults of the command."""
    file = folder / "cup.toml"
    write_tournament(file, ("greedy", "random"), ("euchre",), None)
    return file.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("new")
    return folder / "cup.toml", written(folder)


def without_sign(text: str, number: int) -> str:
    """Return the text with the comment sign of its key `number` removed."""
    key = list(KEY.finditer(text))[number]
    return f"{text[: key.start()]}{key[2]} = {key[3]}{text[key.end() :]}"


def with_all_defaults(text: str) -> str:
    """Return the text without the comment sign of each key that shows a default of its format."""
    return KEY.sub(lambda key: key[0] if key[4] else f"{key[2]} = {key[3]}", text)


def equal(one: TournamentFile, other: TournamentFile) -> bool:
    return one == other and (one.time.startup_ms, one.time.margin_ms) == (other.time.startup_ms, other.time.margin_ms)


def test_every_key_stands_in_the_file(plain: tuple[Path, str]) -> None:
    _, text = plain
    main, remote = text.split(REMOTE)
    for table in (schema.TOURNAMENT_TABLE, schema.TIME_TABLE, schema.VARIANT_TABLE, schema.LOCAL_BOT_TABLE):
        assert set(table.names) <= {key[2] for key in KEY.finditer(main)}, table.title
    assert [key[2] for key in KEY.finditer(remote)] == schema.REMOTE_BOT_TABLE.names
    for table in (schema.STOP_TABLE, schema.SPRT_TABLE):
        stops = " ".join(key[3] for key in KEY.finditer(main) if key[2] == "stop")
        for name in table.names:
            assert f"{name} = " in stops
            assert re.search(rf"^# +{name}: [A-Z]", main, re.MULTILINE), f"{name} has no sentence"


def test_a_comment_line_is_no_key_and_fits_the_terminal(plain: tuple[Path, str]) -> None:
    for line in plain[1].splitlines():
        assert KEY.match(line) or line == "" or line.startswith(("[", "# ", REMOTE)) or line == "#"
        assert len(line) <= 78 or KEY.match(line)


def test_every_default_is_accepted_and_changes_nothing(plain: tuple[Path, str]) -> None:
    file, text = plain
    unchanged = parse_tournament(text, file)
    names = []
    for number, key in enumerate(KEY.finditer(text)):
        if key[1] == "#" and key[4] is None:
            assert equal(parse_tournament(without_sign(text, number), file), unchanged), key[2]
            names.append(key[2])
    assert len(names) > 20
    assert equal(parse_tournament(with_all_defaults(text), file), unchanged)


def test_every_example_is_accepted(plain: tuple[Path, str]) -> None:
    """A key of some formats is accepted with one of them. The keys of a remote bot belong together."""
    file, text = plain
    unchanged = parse_tournament(text, file)
    names = []
    for number, key in enumerate(KEY.finditer(text.split(REMOTE)[0])):
        if key[4] is not None:
            found = schema.TOURNAMENT_TABLE.key(key[2])
            changed = without_sign(text, number)
            if found is not None and found.formats:
                changed = changed.replace('#format = "round-robin"', f'format = "{found.formats[0]}"')
            if key[2] == schema.ENTRY_NETWORK.name:
                with pytest.raises(ConfigError, match="'greedy' asks for no network"):
                    parse_tournament(changed, file)
            else:
                parse_tournament(changed, file)
            names.append(key[2])
    assert {"challengers", "rounds", "seeding", "stop", "seed", "beacon"} <= set(names)
    head, remote = text.split(REMOTE)
    guest = KEY.sub(r"\2 = \3", remote)
    with_guest = parse_tournament(f"{head}[[bot]]{guest}", file)
    assert [bot.name for bot in with_guest.bots] == ["greedy", "random", "guest"]
    assert (unchanged.packs, with_guest.packs) == (COMMON, OWN), "with a remote bot each line-up has packs of its own"
    assert replace(with_guest, bots=(), bot_entries=(), variants=(), packs=COMMON) == replace(
        unchanged, bots=(), bot_entries=(), variants=()
    )


def test_the_number_of_deal_sets_shows_its_default(plain: tuple[Path, str]) -> None:
    assert f"\n#sets = {schema.SETS.default}\n" in plain[1]


def test_the_options_of_a_variant_are_left_to_their_command(plain: tuple[Path, str]) -> None:
    assert "bowerbird variants NAME" in plain[1].replace("\n# ", " ")
    assert "stick_dealer" not in plain[1]


def test_the_file_says_nothing_but_defaults(plain: tuple[Path, str]) -> None:
    """Without its comments the file is the smallest tournament file with these bots."""
    _, text = plain
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines == [
        "[tournament]",
        "[time]",
        "[[variant]]",
        'name = "euchre"',
        "[[bot]]",
        'path = "greedy"',
        "[[bot]]",
        'path = "random"',
    ]


def test_bots_variants_and_name_are_those_of_the_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/bot.toml").write_text('name = "mine"\ncommand = ["{python}"]\ntables = 3\n')
    (tmp_path / "cups").mkdir()
    bots = ["mine", "greedy", "greedy", f"{tmp_path}/mine"]
    options = [word for bot in bots for word in ("--bot", bot)]
    arguments = ["cups/x.toml", *options, "--variant", "buck", "--variant", "euchre", "--name", "autumn"]
    assert run(["new-tournament", *arguments]) == 0
    file = load_tournament(tmp_path / "cups/x.toml")
    assert file.name == "autumn"
    assert [bot.name for bot in file.bots] == ["mine", "greedy", "greedy-2", "mine-2"]
    assert [entry.path for entry in file.bot_entries] == ["../mine", "greedy", "greedy", f"{tmp_path}/mine"]
    assert [variant.variant for variant in file.variants] == ["buck", "euchre"]
    assert file.tables == 3
    text = (tmp_path / "cups/x.toml").read_text()
    assert '#lineup = "free-for-all"' in text, "the default is that of the first variant"
    assert equal(parse_tournament(with_all_defaults(text), tmp_path / "cups/x.toml"), file)


def test_bots_of_one_name_are_told_apart_by_their_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("new", "old"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bot.toml").write_text('name = "mine"\ncommand = ["{python}"]\n')
    assert run(["new-tournament", "x.toml", "--bot", "./new", "--bot", "./old"]) == 0
    assert "same name: mine = ./new, mine-2 = ./old" in capsys.readouterr().err


def test_a_folder_beside_the_file_is_not_taken_for_a_bundled_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "greedy").mkdir()
    (tmp_path / "greedy/bot.toml").write_text('name = "mine"\ncommand = ["{python}"]\n')
    assert run(["new-tournament", "x.toml", "--bot", "./greedy", "--bot", "greedy"]) == 0
    assert [bot.name for bot in load_tournament(tmp_path / "x.toml").bots] == ["mine", "greedy"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["cup.toml"], "cup.toml: already exists and was left untouched; name another file"),
        (["."], "already exists"),
        (["nowhere/x.toml"], "nowhere/x.toml: there is no folder nowhere; make it first or name another file"),
        (["x.toml", "--bot", "gredy", "--bot", "random"], "unknown bot 'gredy', did you mean 'greedy'?"),
        (["x.toml", "--bot", "greedy"], "only one bot is named; a tournament has at least 2, so repeat --bot"),
        (["x.toml", "--variant", "bukc"], "unknown variant 'bukc', did you mean 'buck'?"),
        (["x.toml", "--name", "a/b"], "the tournament's name 'a/b' is not allowed"),
        (["a b.toml"], "the tournament's name 'a b' is not allowed"),
    ],
)
def test_a_refusal_is_one_sentence_and_writes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cup.toml").write_text("mine\n")
    assert run(["new-tournament", *arguments]) == 2
    assert sentence in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["cup.toml"]
    assert (tmp_path / "cup.toml").read_text() == "mine\n"


def test_a_bot_that_does_not_play_the_variant_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/bot.toml").write_text('name = "mine"\ncommand = ["{python}"]\nvariants = ["euchre"]\n')
    with pytest.raises(ConfigError, match="bot 'mine' does not play 'buck'"):
        write_tournament(tmp_path / "x.toml", ["mine", "greedy"], ["buck"], None)
    assert not (tmp_path / "x.toml").exists()


def test_the_next_commands_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new-tournament", "cup.toml"]) == 0
    said = capsys.readouterr().out
    assert "tournament cup.toml --dry-run\n" in said
    assert said.endswith("tournament cup.toml\n")
    assert run(["new-tournament", "two.toml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == "two.toml"


@pytest.mark.usefixtures("processes")
def test_the_new_file_plays(tmp_path: Path) -> None:
    bowerbird = Bowerbird(tmp_path)
    bowerbird.done("new-tournament", "cup.toml")
    shown = bowerbird.done("tournament", "cup.toml", "--db", "x.db", "--quiet", "--isolation", "limits")
    assert "(cup): 100 games in 50 deal sets, complete" in shown
    assert bowerbird.wait_until_gone() == []
