"""What a reader copies from a page works: commands parse, files are read, programs compile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click
import pytest

from bowerbird.harness.cli.main import cli, run
from bowerbird.harness.cli.shared.errors import ExitCode
from bowerbird.harness.extras.compliance.requirements import REQUIREMENTS
from bowerbird.harness.extras.league.league_file import load_league
from bowerbird.harness.records.values.run import GameId
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from tests.support.docs.blocks import GUIDES, PAGES, blocks, named_commands, shown_commands
from tests.support.docs.page_sessions import SESSIONS
from tests.support.paths import DOCS, ROOT

PLACEHOLDERS = "[]…|"
"""Characters in placeholders: `[RUN]`, `RUN|FILE`, `…`."""

NEEDED = {
    "[[variant]]": '[[variant]]\nname = "euchre"\n',
    "[[bot]]": '[[bot]]\npath = "./mybot"\n',
}
"""What a tournament file needs, by heading; added to blocks that show part of one."""

BOT = 'name = "{name}"\ncommand = ["{{python}}", "bot.py"]\ntables = 64\n'


def by_page(cases: Sequence[tuple[Path, object]]) -> list[str]:
    """Return each case's page name, for the ids of tests."""
    return [page.name for page, _ in cases]


def command_of(words: Sequence[str]) -> tuple[click.Command, list[str]]:
    """Return the command that `words` call, and its arguments. Raises UsageError for an unknown command."""
    found: click.Command = cli
    rest = ["autumn.toml" if word == "FILE" else word for word in words]  # `league` takes a file here
    while isinstance(found, click.Group) and rest and not rest[0].startswith("-"):
        with click.Context(found) as context:
            name, below, rest = found.resolve_command(context, rest)
        assert name is not None
        assert below is not None
        found = below
    return found, rest


def parsed(words: Sequence[str]) -> None:
    """Parse a command line without running it: options, their values, and the number of arguments.

    Files need not exist. Raises UsageError, as the command would.
    """
    command, arguments = command_of(words[: words.index(">")] if ">" in words else words)
    with click.Context(command) as context:
        values, rest, _ = command.make_parser(context).parse_args(list(arguments))
        if rest and not isinstance(command, click.Group):
            raise click.UsageError(f"{rest[0]} is one argument too many")
        for parameter in command.params:
            value = values.get(parameter.name or "")
            if value and isinstance(value, (str, tuple, list)):
                if not isinstance(parameter.type, click.Path):
                    parameter.type_cast_value(context, value)
            elif value is not True and parameter.required and not {"-h", "--help"} & set(words):
                raise click.MissingParameter(ctx=context, param=parameter)


COMMANDS = [(page, words) for page in PAGES for words in shown_commands(page)]


@pytest.mark.parametrize(
    ("page", "words"), COMMANDS, ids=[f"{page.name}-{' '.join(words)}" for page, words in COMMANDS]
)
def test_a_command_line_that_is_shown_parses(page: Path, words: list[str]) -> None:
    parsed(words)


@pytest.mark.parametrize(
    "wrong",
    [
        "mach greedy random --variant buck",
        "match greedy random --varaint buck",
        "match greedy random --variant buck --sets many",
        "verify one two",
        "runs resum demo",
        "new-bot mybot --lang pyhton",
    ],
)
def test_a_command_line_with_a_slip_does_not_parse(wrong: str) -> None:
    with pytest.raises(click.UsageError):
        parsed(wrong.split())


TESTS = [(page, words) for page, words in COMMANDS if words[0] == "test" and len(words) > 2]


@pytest.mark.parametrize(("page", "words"), TESTS, ids=[f"{page.name}-{' '.join(words)}" for page, words in TESTS])
def test_a_sequential_test_that_is_shown_has_options_that_fit(
    page: Path, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only its bots are missing; the command looks for them after it has checked its options."""
    monkeypatch.chdir(tmp_path)
    assert run(["test", "./one", "./other", *words[3:]]) == ExitCode.USAGE
    assert "one: there is no such bot" in capsys.readouterr().err


REPLAYS = [(page, words[1]) for page, words in COMMANDS if words[0] == "replay" and len(words) > 1]


@pytest.mark.parametrize(("page", "game"), REPLAYS, ids=[f"{page.name}-{game}" for page, game in REPLAYS])
def test_a_replay_that_is_shown_names_one_game(page: Path, game: str) -> None:
    """Many games share the beginning of an id."""
    assert game.startswith("-") or "." in game or str(GameId.parse(game)) == game


NAMED = [(page, words) for page in PAGES for words in named_commands(page)]


@pytest.mark.parametrize(("page", "words"), NAMED, ids=[f"{page.name}-{' '.join(words)}" for page, words in NAMED])
def test_a_command_that_is_named_has_these_options(page: Path, words: list[str]) -> None:
    command, rest = command_of([word for word in words if not set(word) & set(PLACEHOLDERS)])
    options = {option for parameter in command.params for option in parameter.opts} | {"-h", "--help"}
    assert {word for word in rest if word.startswith("-")} <= options


FILES = [(page, one.text) for page in [*GUIDES, PAGES[2]] for one in blocks(page) if one.language == "toml"]


@pytest.mark.parametrize(("page", "text"), FILES, ids=by_page(FILES))
def test_a_file_that_is_shown_is_read(page: Path, text: str, tmp_path: Path) -> None:
    """Parts of files are completed by what the whole file needs."""
    for name in ("mybot", "other"):
        (tmp_path / name).mkdir()
        asks = '[sandbox]\nnetwork = "*"\n' if "network = " in text else ""
        (tmp_path / name / "bot.toml").write_text(BOT.format(name=name) + asks, encoding="utf-8")
    if "[league]" not in text and any(heading in text for heading in ("[tournament]", "[time]", "[[bot]]")):
        missing = "".join(part for heading, part in NEEDED.items() if heading not in text)
        other = '[[bot]]\npath = "./other"\n' if text.count("[[bot]]") < 2 else ""
        file = tmp_path / "autumn.toml"
        file.write_text("\n".join((text, missing, other)), encoding="utf-8")
        assert load_tournament(file).bots
    elif "[league]" in text:
        file = tmp_path / "autumn.toml"
        file.write_text(text, encoding="utf-8")
        assert load_league(file).bots()[1] == []
    else:
        file = tmp_path / "mybot" / "bot.toml"
        file.write_text(text if "command = " in text else BOT.format(name="mybot") + text, encoding="utf-8")
        (tmp_path / "model").mkdir()
        assert load_bot(file).name == "mybot"


TARGETS = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_target_of_make_that_a_block_shows_exists(page: Path) -> None:
    shown = [
        target
        for one in blocks(page)
        if one.language in ("", "sh")
        for target in re.findall(r"^(?:\$ )?make ([a-z-]+)", one.text, re.MULTILINE)
    ]
    assert set(shown) <= set(TARGETS)


PROGRAMS = [(page, one.text) for page in PAGES for one in blocks(page) if one.language == "python"]


@pytest.mark.parametrize(("page", "text"), PROGRAMS, ids=by_page(PROGRAMS))
def test_a_program_that_is_shown_compiles_and_imports_the_public_package_alone(page: Path, text: str) -> None:
    compile(text, page.name, "exec")
    for module in ("engine", "harness", "bots"):
        assert f"from {module}" not in text
        assert f"import {module}" not in text


SAID = [
    (page, int(number), sentence)
    for page in GUIDES
    for one in blocks(page)
    for number, sentence in re.findall(r"^ ?(\d+)  (?:pass|fail)  (.+?\.)(?=  |$)", one.text, re.MULTILINE)
    if " at every seat" not in sentence
]
"""Sentences of the protocol, without the sentences of single variants."""


@pytest.mark.parametrize(
    ("page", "number", "sentence"), SAID, ids=[f"{page.name}-{number}" for page, number, _ in SAID]
)
def test_a_sentence_of_check_bot_that_is_shown_is_its_own(page: Path, number: int, sentence: str) -> None:
    assert {one.number: one.text for one in REQUIREMENTS}[number] == sentence


RUN_BY = {
    "README.md": "e2e/test_e2e_readme.py",
    "HACKING.md": "docs/test_shown_code.py",  # targets of make and generators; CI calls them
    "index.md": "e2e/test_e2e_demo.py",
    "bot-in-another-language.md": "e2e/test_e2e_bot_pages.py",
    "tune-a-bot.md": "e2e/test_e2e_bot_pages.py",
    "first-study.md": "e2e/test_e2e_study_pages.py",
    "study-tables.md": "examples/test_tables_example.py",
    "export-data.md": "e2e/test_e2e_study_pages.py",
    "correct-a-run.md": "e2e/test_e2e_correct_a_run.py",
    "host-remote-bots.md": "e2e/test_e2e_starters.py",
    "run-a-league.md": "e2e/test_e2e_league.py",
    "cluster.md": "e2e/test_e2e_cluster.py",
    "write-a-client.md": "e2e/test_e2e_transcript.py",
    "play.md": "e2e/test_e2e_play.py",
    "serve-pages.md": "harness/extras/serve/test_served_pages.py",
    "train-a-bot.md": "examples/test_train_example.py",
    "openspiel.md": "bots/test_openspiel_bot.py",
    "seat-a-program.md": "bots/test_bridge_page.py",
    "seat-a-chat-model.md": "e2e/test_e2e_network.py",
    "seat-an-agent.md": "e2e/test_e2e_mcp.py",
    "egn.md": "harness/extras/egn/test_egn_commands.py",
    "commands.md": "docs/test_shown_code.py",  # examples in the help: parsed, and each command has its own tests
}
"""Pages whose commands are run by a test other than the sessions, with that test."""


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.is_relative_to(DOCS) or page.parent == ROOT], ids=lambda page: page.name
)
def test_the_commands_of_a_page_are_run_by_a_named_test(page: Path) -> None:
    """A new page with commands needs a Session in tests/support/docs/page_sessions.py, or a row here."""
    if any(True for _ in shown_commands(page)):
        in_sessions = page in {session.page for session in SESSIONS}
        assert in_sessions != (page.name in RUN_BY)
        assert in_sessions or (ROOT / "tests" / RUN_BY[page.name]).is_file()
