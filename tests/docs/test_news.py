"""News fragments have a known kind and are short; the changelog includes them where the marker is."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.support.docs.blocks import NEWS
from tests.support.paths import ROOT

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
KINDS = [kind["directory"] for kind in CONFIG["type"]]
NO_SENTENCE_ENDS = r"`[^`]*`|\b(?:e\.g|i\.e)\."
"""Dots that end no sentence: in code, in abbreviations."""


def complaints(name: str, text: str) -> list[str]:
    """Return what is wrong with a fragment, as sentences."""
    found = []
    match = re.fullmatch(r"\+[\w-]+\.(\w+)\.md", name)
    if match is None:
        found.append(f"{name}: the name is not +TOPIC.KIND.md")
    elif match[1] not in KINDS:
        found.append(f"{name}: the kind {match[1]!r} is none of {', '.join(KINDS)}")
    plain = re.sub(NO_SENTENCE_ENDS, "x", text.strip())
    sentences = re.findall(r"[.!?](?=\s|$)", plain)
    if not plain or plain[-1] not in ".!?" or len(sentences) > 2:
        found.append(f"{name}: it has {len(sentences)} sentences, one or two are wanted, each with its full stop")
    if re.search(r"^(#|[-*] |\n)", plain, re.MULTILINE):
        found.append(f"{name}: it has a heading, a list or several paragraphs")
    return found


def test_fragments_have_a_known_kind_and_one_or_two_sentences() -> None:
    fragments = [path for path in NEWS.iterdir() if path.name not in CONFIG["ignore"]]
    found = [each for path in fragments for each in complaints(path.name, path.read_text(encoding="utf-8"))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("+x.added.txt", "A sentence."),
        ("x.md", "A sentence."),
        ("+x.new.md", "A sentence."),
        ("+x.added.md", ""),
        ("+x.added.md", "no full stop"),
        ("+x.added.md", "One. Two. Three."),
        ("+x.added.md", "- One."),
        ("+x.added.md", "One.\n\nTwo."),
    ],
)
def test_fragment_of_another_form_is_found(name: str, text: str) -> None:
    assert len(complaints(name, text)) == 1


def test_dots_in_code_end_no_sentence() -> None:
    assert complaints("+x.added.md", "`bowerbird docs` reads `a. b. c. d`, e.g. one. It prints.\n") == []


def test_changelog_has_the_marker_once() -> None:
    text = (ROOT / CONFIG["filename"]).read_text(encoding="utf-8")
    assert text.count(CONFIG["start_string"]) == 1


def test_readme_of_the_fragments_names_every_kind() -> None:
    text = (NEWS / "README.md").read_text(encoding="utf-8")
    assert all(f"`{kind}`" in text for kind in KINDS)
