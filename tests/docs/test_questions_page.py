"""The index by question leads to an answer for each question, and to every guide."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bowerbird.harness.cli.shared.doc_pages import KINDS
from tests.support.docs.markdown import read_page
from tests.support.docs.pages import rows
from tests.support.paths import DOCS

QUESTIONS = DOCS / "questions.md"
GUIDES = [page for kind in KINDS if kind != "reference" for page in sorted((DOCS / kind).glob("*.md"))]

PICTURE = DOCS / "internals" / "way-of-data.svg"


def test_every_row_asks_a_question_and_names_an_answer() -> None:
    found = rows(QUESTIONS.read_text(encoding="utf-8"))
    assert len(found) > 50
    for question, answer in found:
        assert re.search(r"[?.]$", question)
        assert "?" in question, question
        assert "](" in answer, question


def test_no_question_is_asked_twice() -> None:
    asked = [question for question, _ in rows(QUESTIONS.read_text(encoding="utf-8"))]
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_every_guide_answers_a_question(page: Path) -> None:
    linked = {target.partition("#")[0].rpartition("/")[2] for _, target in read_page(QUESTIONS).links()}
    assert page.name in linked, "add a row to questions.md for each question that the page answers"


def test_the_front_page_leads_to_the_questions() -> None:
    assert "questions.md" in {target for _, target in read_page(DOCS / "index.md").links()}


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_a_picture_on_a_page_is_there_and_has_words_in_its_place(page: Path) -> None:
    for words, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).is_file()
        assert len(words) > 20, "a terminal and a screen reader have the words alone"


def test_the_picture_of_the_way_of_data_reads_in_dark_and_light_and_loads_nothing() -> None:
    text = PICTURE.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    svg = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{svg}title") is not None
    assert root.find(f"{svg}desc") is not None
    light, _, dark = text.partition("@media (prefers-color-scheme: dark)")
    coloured = r"\.(\w+) \{[^}]*(?:fill|stroke): #"
    assert set(re.findall(coloured, light)) == set(re.findall(coloured, dark)), "each colour has its dark one"
    assert not re.findall(r"href|url\((?!#)", text)
