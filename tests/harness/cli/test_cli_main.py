"""Start and end of the command (commands.md, In general)."""

from __future__ import annotations

import errno
import re
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import click
import pytest

from bowerbird.harness.cli import main
from bowerbird.harness.cli.shared.errors import ExitCode, InputError, describe_error
from bowerbird.harness.ratings.pairs import NumericalError, RatingError
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import LONGEST_SENTENCE
from tests.support.deadline import DEADLINE_S

HEAVY = (
    "bowerbird.engine",
    "grpc",
    "google.protobuf",
    "rich",
    "sqlite_utils",
    "trio",
    "bowerbird.harness.records",
    "bowerbird.harness.tournament",
)
LATER = {
    "grpc",
    "numpy",
    "scipy",
    "sqlite_utils",
    "rich",
    "bowerbird.harness.referee.remote.admission",
    "bowerbird.harness.tournament.executors.pool",
}
"""Modules that only some runs need, or that are needed only after the bots have started."""


def _modules_after(code: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after `code`; its last line of output lists them."""
    program = f"import sys\n{code}\nprint()\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=DEADLINE_S, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.usefixtures("processes")
def test_help_loads_click_alone() -> None:
    loaded = _modules_after("from bowerbird.harness.cli.main import run; run(['--help'])")
    assert "click" in loaded
    assert not loaded & set(HEAVY), "bowerbird --help must feel instant; import these where they are used"


FIRST_CARDS = """
from bowerbird.harness.cli.entry import main
from bowerbird.harness.referee.game.table import Table

start = Table.start


def listing(table):
    Table.start = start
    print("loaded", *sys.modules, flush=True)
    start(table)


Table.start = listing
sys.argv[0] = "bowerbird"
main()
"""
"""The command, which prints the modules that are loaded when its first table begins."""


@pytest.mark.usefixtures("processes")
def test_a_match_begins_without_what_only_some_runs_need(tmp_path: Path) -> None:
    """gRPC is loaded when a spectator comes, the code that rates and draws when games are over."""
    chosen = ["--sets", "1", "--deals", "--quiet", "--isolation", "none", "--db", str(tmp_path / "x.db")]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{FIRST_CARDS}", "match", "random", "random", *chosen],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=True,
    )
    [loaded] = [set(line.split()) for line in done.stdout.splitlines() if line.startswith("loaded ")]
    assert "trio" in loaded
    assert not loaded & LATER, "these are imported before the first card; import them where they are used"


AT_THE_END = """
import atexit, sys
from bowerbird.harness.cli.entry import main

atexit.register(lambda: print("loaded", *sys.modules))
sys.argv[0] = "bowerbird"
main()
"""
"""The command, which prints the modules that are loaded when it ends."""

FOUR = """
[tournament]
name = "four"
unit = "deals"
sets = 1
isolation = "none"
[[variant]]
name = "two-handed"
[[variant]]
name = "buck-three-handed"
"""


@pytest.mark.usefixtures("processes")
def test_small_runs_are_rated_without_scipy(tmp_path: Path) -> None:
    """Importing it takes longer than everything else that `standings` of a small run does."""
    bots = ((path, name) for path in ("random", "greedy") for name in (path, f"{path}-b"))
    entries = "".join(f'[[bot]]\npath = "{path}"\nname = "{name}"\n' for path, name in bots)
    (tmp_path / "four.toml").write_text(FOUR + entries)
    match = ["match", "random", "greedy", "--sets", "1", "--deals", "--isolation", "none", "--db", "two.db"]
    for words in (
        match,
        ["standings", "--db", "two.db"],
        ["tournament", "four.toml", "--db", "four.db"],
        ["standings", "--db", "four.db", "--full"],
        ["standings", "--db", "four.db", "--json"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", AT_THE_END, *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=True,
        )
        loaded = done.stdout.splitlines()[-1].split()
        assert "bowerbird.harness.ratings.distributions" in loaded, words
        assert "scipy" not in loaded, f"{words} imports scipy; let `distributions` or `matrices` import it for many"


def _with_options(name: str) -> dict[str, click.Command]:
    """Return a command, or the commands of a group that only groups, by what a person types."""
    command = import_module(main.module_of(name)).command
    if isinstance(command, click.Group) and not command.invoke_without_command:
        return {f"{name} {one}": found for one, found in command.commands.items()}
    return {name: command}


WITH_OPTIONS = {typed: one for name in main.commands() for typed, one in _with_options(name).items()}


@pytest.mark.parametrize("command", sorted(WITH_OPTIONS))
def test_every_listed_command_exists_and_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([*command.split(), "--help"]) == ExitCode.SUCCESS
    shown = capsys.readouterr().out
    assert f"bowerbird {command}" in shown
    assert "--debug" in shown


def test_commands_that_print_a_result_can_print_json() -> None:
    """All except those that keep showing something until they are ended, and one that prints only JSON."""
    without = [
        typed
        for typed, command in WITH_OPTIONS.items()
        if "--json" not in {option for each in command.params for option in each.opts}
    ]
    assert without == ["play", "serve", "league run", "league epoch", "mcp", "datasette"]


def test_no_command_shows_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([]) == ExitCode.SUCCESS
    shown = capsys.readouterr().out
    listed = re.findall(r"^  ([a-z-]+)  ", shown.partition("Options:")[0], re.MULTILINE)
    assert listed == list(main.commands()), "each command stands below one heading"
    assert re.findall(r"^(\S.*):$", shown, re.MULTILINE) == [*main.groups(), "Options"]
    assert len(main.groups()) <= 6, "a person takes in six groups at a glance"


def _groups() -> list[str]:
    """Return the groups that do nothing without a command."""
    found = {name: main.cli.get_command(click.Context(main.cli), name) for name in main.commands()}
    return [name for name, one in found.items() if isinstance(one, click.Group) and one.no_args_is_help]


def test_some_groups_need_a_command() -> None:
    assert {"keys", "league", "cluster"} <= {*_groups()}


@pytest.mark.parametrize("group", _groups())
def test_a_group_without_a_command_prints_its_help_line_by_line(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([group, "--help"]) == ExitCode.SUCCESS
    told = capsys.readouterr().out
    assert main.run([group]) == ExitCode.USAGE
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", told)


def test_version_is_the_distributions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["--version"]) == ExitCode.SUCCESS
    assert capsys.readouterr().out.startswith("bowerbird ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["stadings"], "unknown command 'stadings', did you mean 'standings'?"),
        (["xyzzy"], "'bowerbird --help' lists all"),
        (["league", "nosuch"], "known are 'run', 'list', 'invite'"),
        (["runs", "--jsom"], "unknown option '--jsom', did you mean '--json'?"),
        (["runs", "--xyzzy"], "'bowerbird runs --help' lists the options"),
        (["match", "greedy", "random", "--games", "5"], "--sets sets how many"),
        (["test", "greedy", "random", "--rounds", "5"], "--max-sets limits the deal sets"),
        (["tournament", "x.toml", "--games", "5"], "the key 'sets' in the file"),
        (["match", "greedy", "--variant", "buck"], "needs at least two"),
        (["match", "greedy", "gredy", "--variant", "buck", "--option", "start"], "--option 'start'"),
        (["export", "x", "--format", "yaml"], "'toml', 'json'"),
    ],
)
def test_wrong_usage_is_one_sentence_and_code_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(arguments) == ExitCode.USAGE
    shown = capsys.readouterr()
    assert shown.out == ""
    assert sentence in shown.err
    assert len(shown.err.splitlines()) == 1, f"one sentence, no more: {shown.err}"


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (InputError("no."), ExitCode.USAGE),
        (StoreError("x.db: no."), ExitCode.USAGE),
        (click.UsageError("no."), ExitCode.USAGE),
        (FileNotFoundError(2, "No such file or directory", "x.toml"), ExitCode.USAGE),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
        (click.Abort(), ExitCode.INTERRUPTED),
        (BaseExceptionGroup("trio", [KeyboardInterrupt()]), ExitCode.INTERRUPTED),
        (BaseExceptionGroup("trio", [ExceptionGroup("again", [StoreError("no.")])]), ExitCode.USAGE),
        (OSError(errno.ENOSPC, "No space left on device"), ExitCode.USAGE),
        (RatingError("no."), ExitCode.USAGE),
        (NumericalError("no."), ExitCode.DEFECT),
        (KeyError("x"), ExitCode.DEFECT),
        (AssertionError(), ExitCode.DEFECT),
    ],
)
def test_every_error_has_its_ending(error: BaseException, ending: ExitCode) -> None:
    assert describe_error(error)[0] is ending


def test_interrupt_while_an_extension_module_loads_is_an_interrupt() -> None:
    def failed(message: str, cause: BaseException) -> ImportError:
        error = ImportError(message)
        error.__cause__ = cause
        return error

    interrupted = failed("no scipy", failed("initialization failed", KeyboardInterrupt()))
    assert describe_error(interrupted) == (ExitCode.INTERRUPTED, "")
    assert describe_error(failed("no scipy", OSError("libopenblas.so")))[0] is ExitCode.DEFECT


def test_engine_errors_of_bad_input_are_the_users() -> None:
    from bowerbird import engine

    for error in (engine.UnknownVariant, engine.InvalidOption, engine.RecordError):
        assert describe_error(error("no.")) == (ExitCode.USAGE, "no.")
    assert describe_error(engine.IllegalAction("a bot's, never the user's"))[0] is ExitCode.DEFECT


def test_defect_says_how_to_get_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(**_: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr("bowerbird.harness.cli.commands.runs.command.callback", broken)
    assert main.run(["runs"]) == ExitCode.DEFECT
    sentence = capsys.readouterr().err
    assert "KeyError" in sentence
    assert "--debug" in sentence
    assert "Traceback" not in sentence
    assert main.run(["runs", "--debug"]) == ExitCode.DEFECT
    assert "Traceback" in capsys.readouterr().err
    assert main.run(["--debug", "runs"]) == ExitCode.DEFECT
    assert "Traceback" in capsys.readouterr().err


def test_shell_completion_offers_the_commands() -> None:
    from click.shell_completion import ShellComplete

    completion = ShellComplete(main.cli, {}, "bowerbird", "_BOWERBIRD_COMPLETE")
    offered = {item.value for item in completion.get_completions([], "st")}
    assert offered == {"standings"}
    assert "--variant" in {item.value for item in completion.get_completions(["match"], "--v")}


@pytest.mark.usefixtures("processes")
def test_an_interrupt_while_the_command_is_loaded_ends_it_as_any_other(tmp_path: Path) -> None:
    """commands.md, Exit codes: 130, and no traceback."""
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from bowerbird.harness.cli.entry import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    assert (done.returncode, done.stderr) == (ExitCode.INTERRUPTED, "")


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("flushed", ["line by line", "at the end"])
def test_reader_that_has_had_enough_ends_the_command_in_peace(flushed: str) -> None:
    unbuffered = ["-u"] if flushed == "line by line" else []
    program = (
        "import sys; from bowerbird.harness.cli.main import module_of, run; "
        "sys.stdin.read(); sys.exit(run(['variants']))"
    )
    with subprocess.Popen(
        [sys.executable, *unbuffered, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        _, complaint = process.communicate("", timeout=DEADLINE_S)
    assert complaint == ""
    assert process.returncode == ExitCode.SUCCESS


@pytest.mark.parametrize("error", [BrokenPipeError(errno.EPIPE, "Broken pipe"), SystemExit(1)])
def test_reader_that_leaves_under_trio_has_had_enough_too(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A nursery wraps exceptions raised in it."""

    def raising(*_arguments: object, **_settings: object) -> None:
        raise BaseExceptionGroup("trio", [BaseExceptionGroup("again", [error])])

    with tempfile.TemporaryFile("w") as stdout:
        monkeypatch.setattr(main.cli, "main", raising)
        monkeypatch.setattr(sys, "stdout", stdout)
        assert main.run(["check-bot", "random"]) == ExitCode.SUCCESS


def test_an_error_shows_foreign_text_harmlessly_and_not_endlessly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cup.toml"
    name = "./\\u001b[31mRED\\u202e\\n" + "x" * 100_000
    file.write_text(f'[tournament]\nsets = 1\n[[variant]]\nname = "buck"\n[[bot]]\npath = "{name}"\n')
    assert main.run(["tournament", str(file), "--db", str(tmp_path / "x.db")]) == ExitCode.USAGE
    sentence = capsys.readouterr().err
    assert "\\u001b[31mRED\\u202e\\n" in sentence
    assert sentence.count("\n") == 1
    assert len(sentence) < LONGEST_SENTENCE + 100
