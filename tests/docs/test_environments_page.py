"""environments.md: its tables agree with the code, its programs run, and its errors are the real ones."""

from __future__ import annotations

import re

import pytest

from tests.support.docs.blocks import blocks
from tests.support.docs.environments import PAGE, PARTS
from tests.support.docs.parts import part

PROGRAMS = [block.text for block in blocks(PAGE) if block.language == "python"]


@pytest.mark.parametrize("name", PARTS)
def test_the_generated_tables_are_up_to_date(name: str) -> None:
    assert part(PAGE, name) == PARTS[name](), "regenerate it: make pages"


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_the_programs_of_the_page_run(program: str) -> None:
    for library in ("gymnasium", "pettingzoo"):
        if library in program:
            pytest.importorskip(library, reason=f"{library} is not installed; the extra rl adds it")
    exec(compile(program, str(PAGE), "exec"), {"__name__": "page"})


def test_every_error_that_the_page_names_is_public() -> None:
    from bowerbird import engine
    from bowerbird.envs import vector

    named = set(re.findall(r"`([A-Z]\w+Error|IllegalAction|InvalidOption|UnknownVariant)`", PAGE.read_text("utf-8")))
    known = {*dir(engine), *dir(vector), "OpponentError", "OptionsError", "ValueError"}
    assert named <= known, named - known
