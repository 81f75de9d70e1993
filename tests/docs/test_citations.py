"""Every citation and every link in the repository leads somewhere, and no other form of citation is accepted.

`python -m tests.support.docs.citations` lists what does not resolve, by page.
"""

from __future__ import annotations

import ast
import re
from importlib import import_module
from itertools import groupby
from pathlib import Path

import click
import pytest

from bowerbird.harness.cli.main import commands, module_of
from tests.support.docs import citations
from tests.support.docs.citations import Unresolved, pages, segments, unresolved, unresolved_citations, unresolved_links
from tests.support.docs.markdown import read_page, slug
from tests.support.paths import ROOT

SHOWN = ("engine", "harness", "bowerbird", "bots")
"""Packages whose strings a user may see."""
NAMES = pages().keys() - {"index.md"}


def test_citations_and_links_resolve() -> None:
    """Those that lead nowhere are reported with page, file, line and the nearest anchor."""
    found = [f"{page}: {one}" for page, group in groupby(unresolved(), key=lambda one: one.page) for one in group]
    assert not found, "\n".join(found)


def test_names_of_pages_are_unique() -> None:
    names = [path.name for path in citations.tracked() if citations.is_page(path) and path.suffix == ".md"]
    assert sorted(names) == sorted(pages())


# What a user is shown.


def strings(path: Path) -> list[tuple[int, str]]:
    """Return the strings of a module that are not docstrings, with the lines at which they begin."""
    return [
        (one.line, ast.literal_eval(one.text)) for one in segments(path) if not one.is_prose and one.text[0] in "\"'"
    ]


def test_no_message_names_a_page_without_the_command_that_shows_it() -> None:
    """There is no checkout beside a wheel: a message says `bowerbird docs PAGE`."""
    named = [
        f"{path.relative_to(ROOT)}:{line}: {text!r}"
        for path in citations.checked_files()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in SHOWN
        if any(page in path.read_text(encoding="utf-8") for page in NAMES)  # others need not be taken apart
        for line, text in strings(path)
        if any(page in text for page in NAMES) and "bowerbird docs" not in text
    ]
    assert not named


@pytest.mark.parametrize("name", list(commands()))
def test_help_names_no_page_as_a_file(name: str) -> None:
    command = import_module(module_of(name)).command
    text = command.get_help(click.Context(command, info_name=name))
    assert not [page for page in NAMES if page in text]
    for page in re.findall(r"bowerbird docs (\w[\w-]*)", " ".join(text.split())):
        assert page == "PAGE" or f"{page}.md" in pages()


def test_pages_that_travel_in_a_wheel_link_only_to_what_travels_with_them() -> None:
    """A wheel holds docs/ and proto/ side by side. The rest is in the repository, and is named without a link."""
    travelling = (ROOT / "docs", ROOT / "proto")
    outside = [
        f"{path.relative_to(ROOT)}:{line}: {target}"
        for path in sorted((ROOT / "docs").rglob("*.md"))
        for line, target in read_page(path).links()
        if "://" not in target
        and not any((path.parent / target.partition("#")[0]).resolve().is_relative_to(each) for each in travelling)
    ]
    assert not outside


# The check itself.


def found_in(tmp_path: Path, text: str, name: str = "module.py") -> list[Unresolved]:
    """Return what leads nowhere in a file with this text and this path in the repository."""
    file = tmp_path / Path(name).name
    file.write_text(text, encoding="utf-8")
    found = list(unresolved_citations(file, name))
    return found + (list(unresolved_links(file, name)) if name.endswith(".md") else [])


GOOD = [
    *(
        "rules.md",
        "see rules.md.",
        "rules.md V12",
        "rules.md V12.9a and A14",
        "rules.md V1.3 to V1.8, A3, T1 to T4, L2",
    ),
    *("rules.md A5c", "rules.md Part B", "rules.md says what may be done", "faults.md row 12", "faults.md rows 6 to 9"),
    *("rows 16 and 17 of faults.md", "notation.md, Shuffling", 'notation.md, "Record of a game"', "(notation.md)"),
    *("notation.md, Shuffling: the key", "notation.md, Shuffling and Results", "protocol.md, The bot's environment"),
    *("protocol.md, When the\n    connection breaks", "V12.5.3", "E19; D4", "L4 and B4.2", "docs/reference/rules.md"),
    *("rules.md, notation.md", "README.md", "P-256, SHA-256, UTF-8, V8::Engine, x.A99", "0xA99 and /V99"),
]
BAD = [
    *(
        "rules.md V12.99",
        "rules.md V99",
        "rules.md 12",
        "rules.md rule 9",
        "protocol.md, contract 6",
        "rules.md Part X",
    ),
    *("rules.md V1.3 to V1.99", "rules.md V12 and A99", "faults.md row 99", "faults.md 12", "faults.md rows 6 to 99"),
    *(
        "rules.md row 3",
        "row 99 of faults.md",
        "notation.md, Shufling",
        'notation.md, "Nothing"',
        "notation.md Shuffling",
    ),
    *("notation.md, Shuffling, 7", "rule.md", "RULES.md", "PROTOCOL.md, Clocks", "docs/rules.md", "V12.9z", "A99"),
    *("T9", "E99", "notation.md section 3", "notation.md#no-such", "commands.md, `bowerbird nothing`"),
]


@pytest.mark.parametrize("text", GOOD)
def test_a_good_citation_resolves(text: str, tmp_path: Path) -> None:
    assert not found_in(tmp_path, f'"""Text ({text})."""\n')
    comment = "# " + text.replace("\n", "\n# ")
    assert not found_in(tmp_path, f"x = 1\n{comment}\n")


@pytest.mark.parametrize("text", BAD)
def test_a_bad_citation_is_found(text: str, tmp_path: Path) -> None:
    [one] = found_in(tmp_path, f'"""Text.\n\n({text}).\n"""\n')
    assert (one.file, one.line) == ("module.py", 3)
    comment = "# " + text.replace("\n", "\n# ")
    assert len(found_in(tmp_path, f"x = 1\n{comment}\n")) == 1


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("rules.md V12.99", "V12.9"),
        ("notation.md, Shufling", "Shuffling"),
        ("notations.md", "notation.md"),
        ("notation.md#shufling", "#shuffling"),
    ],
)
def test_the_nearest_anchor_is_named(text: str, nearest: str, tmp_path: Path) -> None:
    [one] = found_in(tmp_path, f'"""{text}"""\n')
    assert one.nearest == nearest
    assert nearest in str(one)


def test_strings_of_code_cite_by_name_only(tmp_path: Path) -> None:
    """A99 may be anything there, and "notes.md" a file of a test; a page that is named must have what is cited."""
    assert not found_in(tmp_path, 'x = "A99", "notes.md", "rules.md V12"\n')
    assert found_in(tmp_path, 'x = "rules.md V99"\n')


@pytest.mark.parametrize(("name", "mark"), [("a.proto", "//"), ("a.js", "//"), ("a.rs", "///"), ("a.toml", "#")])
def test_comments_of_other_languages_are_read(name: str, mark: str, tmp_path: Path) -> None:
    """A citation may be broken over two lines."""
    assert found_in(tmp_path, f"{mark} See rules.md\n{mark} V99.\n", name)
    assert not found_in(tmp_path, f"{mark} See rules.md\n{mark} V12.\n", name)


def test_relative_numbers_of_a_variant_are_read(tmp_path: Path) -> None:
    """`# V12.1`, then `# 5.3, 7`: V12.5.3 and V12.7."""
    text = "f(\n    1,  # V12.1\n    2,  # 5.3, 7\n    3,  # 5.9\n)\n"
    [one] = found_in(tmp_path, text, "engine/variants/some.py")
    assert (one.line, one.text) == (4, "V12.5.9")


@pytest.mark.parametrize(
    ("link", "is_good"),
    [
        *(("page.md", True), ("page.md#a-heading", True), ("#a-heading", True), ("page.md#two", True)),
        *(("https://example.org/x#y", True), ("pages.md", False), ("page.md#nothing", False), ("folder/", False)),
    ],
)
def test_links_are_followed(link: str, is_good: bool, tmp_path: Path) -> None:
    text = f'# A heading\n\n<a id="two"></a>\n\nA [link\nwith a break]({link}).\n\n```\n[no link](nowhere.md)\n```\n'
    assert bool(found_in(tmp_path, text, "page.md")) != is_good


def test_anchors_of_headings_are_those_of_github() -> None:
    assert slug("`runs resume`: go on, [again](x.md)") == "runs-resume-go-on-again"
    assert slug("gRPC without a gRPC library") == "grpc-without-a-grpc-library"
    assert slug("bot.toml") == "bottoml"


def test_two_rules_with_one_number_are_refused(tmp_path: Path) -> None:
    page = tmp_path / "rules.md"
    page.write_text("## V1 a\n\n**V1.1 A.** x\n\n**V1.1 B.** y\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"rules.md:5: a second rule V1.1"):
        read_page(page)
