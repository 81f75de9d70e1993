"""The page on the command line is right: every command has a section, and each section is made from its help."""

from __future__ import annotations

import re

import pytest

from bowerbird.harness.cli import main
from bowerbird.harness.cli.shared.errors import ExitCode
from bowerbird.harness.cli.shared.options import DEFAULT_DB
from bowerbird.harness.process_settings import BLAS_VARIABLE, GRPC_VARIABLE
from bowerbird.harness.referee.isolation.launch import ADDRESS
from bowerbird.harness.referee.process.output import LOG_LIMIT
from tests.support.docs.commands import PAGE, commands, empty_section, part_of, rendered, section_names

TEXT = PAGE.read_text(encoding="utf-8")


def test_every_command_has_a_section_in_the_order_of_the_help() -> None:
    assert section_names(TEXT) == list(commands())
    assert set(main.commands()) <= set(section_names(TEXT))


def test_sections_are_made_from_the_help() -> None:
    assert rendered(TEXT) == TEXT, "regenerate it: python -m tests.support.docs.commands"


def test_a_section_keeps_what_is_written_by_hand_and_a_new_command_gets_one() -> None:
    by_hand = "Without Node and npm"
    assert by_hand in TEXT
    name = "verify"
    start = TEXT.index(f"## bowerbird {name}\n")
    end = TEXT.index("\n## ", start) + 1
    again = rendered(TEXT[:start] + TEXT[end:])
    assert section_names(again) == section_names(TEXT)
    assert by_hand in again
    assert part_of(name, commands()[name]) in again
    assert empty_section(name) not in again


@pytest.mark.parametrize("name", commands())
def test_every_option_of_a_command_is_in_its_section(name: str) -> None:
    part = part_of(name, commands()[name])
    shown = [parameter for parameter in commands()[name].params if not getattr(parameter, "hidden", False)]
    options = [option for parameter in shown for option in parameter.opts if option.startswith("--")]
    assert [option for option in options if option not in part] == [
        option for option in options if option in ("--debug", "--help")
    ]


def test_exit_codes_are_those_of_the_command() -> None:
    table = TEXT.partition("## Exit codes\n")[2].partition("\n## ")[0]
    assert [int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)] == [code.value for code in ExitCode]


def test_files_and_variables_are_those_of_the_code() -> None:
    assert f"| `{DEFAULT_DB}` |" in TEXT
    assert LOG_LIMIT == 1 << 20
    assert "up to 1 MiB each" in TEXT
    assert f"| `{GRPC_VARIABLE}` |" in TEXT
    assert f"| `{BLAS_VARIABLE}` |" in TEXT
    assert f"`{ADDRESS}`" in TEXT
    assert "_BOWERBIRD_COMPLETE=bash_source" in TEXT
