"""Pages that are made from code are up to date, and the index pages name every page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bowerbird.engine import rules_of, variant_names
from bowerbird.harness.cli.shared.doc_pages import KINDS
from bowerbird.harness.resources import bundled_bots as bots_of_the_wheel
from bowerbird.seat.v1 import action_pb2, seat_pb2, table_pb2, view_pb2
from bowerbird.watch.v1 import watch_pb2
from tests.support.docs import bundled_bots, champion, protocol_messages, variant_pages
from tests.support.docs.markdown import read_page
from tests.support.docs.pages import rows
from tests.support.docs.parts import part
from tests.support.paths import DOCS

ANEW = "regenerate it: make pages"


def test_the_page_of_messages_is_that_of_the_proto_files() -> None:
    for page in protocol_messages.PAGES:
        assert page.path.read_text(encoding="utf-8") == protocol_messages.page_text(page), ANEW


def test_every_message_field_and_enum_is_on_the_page_of_messages() -> None:
    """Counted from the stubs, which are generated in another way."""
    seat, watch = (page.path.read_text(encoding="utf-8") for page in protocol_messages.PAGES)
    for module in (seat_pb2, table_pb2, view_pb2, action_pb2, watch_pb2):
        text = watch if module is watch_pb2 else seat
        for message in module.DESCRIPTOR.message_types_by_name.values():
            shown = text.split(f"\n### {message.name}\n")[1].split("\n### ")[0]
            found = {(cells[0].strip("`"), int(cells[1])) for cells in rows(shown)}
            assert found == {(field.name, field.number) for field in message.fields}, message.name
        for enum in module.DESCRIPTOR.enum_types_by_name.values():
            shown = text.split(f"\n### {enum.name}\n")[1].split("\n### ")[0]
            found = {(cells[0].strip("`"), int(cells[1])) for cells in rows(shown)}
            assert found == {(value.name, value.number) for value in enum.values}, enum.name


@pytest.mark.parametrize(("page", "name"), [(page, name) for page, parts in champion.PARTS.items() for name in parts])
def test_the_pages_of_champion_have_its_levels_and_figures(page: Path, name: str) -> None:
    assert part(page, name) == champion.PARTS[page][name](), ANEW


@pytest.mark.parametrize(("name", "words"), [("pimc", "ahead in 15 of 21"), ("quick", "ahead in 16 of 21")])
def test_what_the_page_of_champion_says_of_pimc_is_measured(name: str, words: str) -> None:
    figures = champion.MEASURED_PARTS[name]()
    assert words in figures
    assert "behind in none" in figures


def test_pages_of_variants_are_those_of_the_engine() -> None:
    for page, text in variant_pages.pages().items():
        assert page.is_file(), f"{page.name} is missing: {ANEW}"
        assert page.read_text(encoding="utf-8") == text, f"{page.name} is out of date: {ANEW}"


def test_there_is_no_page_of_a_variant_that_is_gone() -> None:
    assert {path.stem for path in variant_pages.FOLDER.glob("*.md")} == set(variant_names())


@pytest.mark.parametrize("name", variant_names())
def test_the_page_of_a_variant_has_everything_that_the_command_says(name: str) -> None:
    """Each word of `bowerbird variants NAME` is on the page: no paragraph of it is lost."""
    page = variant_pages.page_of(name).read_text(encoding="utf-8")
    said = rules_of(name).describe.partition("rules.\n\n")[2].partition("\nOptions\n")[0]
    words = set(re.findall(r"[A-Za-z]{3,}", said)) - {"bowerbird", "variants"}
    assert words <= set(re.findall(r"[A-Za-z]{3,}", page))
    for option in rules_of(name).options:
        assert f"\n| `{option}` |" in page


def test_the_page_of_bundled_bots_has_each_of_them_and_the_table_of_the_ladder() -> None:
    page = bundled_bots.PAGE.read_text(encoding="utf-8")
    named = {cells[0].strip("`") for cells in rows(page.partition("## What they do")[2].partition("## How strong")[0])}
    assert named == set(bots_of_the_wheel())
    assert part(bundled_bots.PAGE, "ladder") == bundled_bots.ladder(), ANEW


@pytest.mark.parametrize("kind", KINDS)
def test_the_index_of_a_kind_names_each_page_of_it_once(kind: str) -> None:
    index = read_page(DOCS / f"{kind}.md")
    linked = [target for _, target in index.links()]
    assert sorted(linked) == sorted(f"{kind}/{page.name}" for page in (DOCS / kind).glob("*.md"))
    for cells in rows("\n".join(index.lines)):
        assert cells[1].endswith("?"), "an index says which question a page answers"


def test_the_front_page_leads_to_every_kind() -> None:
    linked = {target for _, target in read_page(DOCS / "index.md").links()}
    assert {f"{kind}.md" for kind in KINDS} <= linked


def test_entries_of_the_glossary_are_in_order() -> None:
    glossary = read_page(DOCS / "reference" / "glossary.md")
    for section in (heading for heading in glossary.headings if heading.level == 2):
        entries = [line[4:].lower() for line in glossary.section(section) if line.startswith("### ")]
        assert entries == sorted(entries)
