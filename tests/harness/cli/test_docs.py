"""`bowerbird docs`: the list of pages, one page, one section (bowerbird.harness.cli.shared.doc_pages)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bowerbird.engine import UnknownVariant
from bowerbird.harness.cli.main import run
from bowerbird.harness.cli.shared import doc_pages
from bowerbird.harness.cli.shared.doc_pages import PROTO, Page, all_pages, find_page, section_text
from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.options import VARIANT
from tests.support.paths import ROOT

PAGE = """# Title of the *page*

| a | table |
|---|---|

The [first](other.md) sentence says `this` much. The second says more.

## V12 `buck`: Buck Euchre

**V12.1 Players.** 4.

**V12.5 Phases.**

- **V12.5.1** First.
- **V12.5.2** Second,
  on two lines.

Of all phases.

**V12.9 End.**

### A part of it
Deeper.

## V1 Another

```
# no heading
```
<a id="bad-luck"></a>
Behind an anchor.
<a id="good-luck"></a>
Behind the next.
"""


@pytest.fixture
def page(tmp_path: Path) -> Page:
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    return Page("page", "reference", path, "", "")


def test_every_page_of_docs_is_listed_once() -> None:
    listed = {page.path.resolve() for page in all_pages() if page.kind != PROTO}
    of_site = ("newsfragments", "docs", "variants")  # `bowerbird docs` lists kinds, `bowerbird variants` prints rules
    written = {path for path in (ROOT / "docs").rglob("*.md") if path.parent.name not in of_site}
    assert listed - {ROOT / "docs" / f"{name}.md" for name in doc_pages.FIRST} == written
    names = [page.name for page in all_pages()]
    assert len(names) == len(set(names))
    assert {"action.proto", "seat.proto", "table.proto", "view.proto"} <= set(names)


def test_a_page_has_a_title_and_a_sentence() -> None:
    assert [page.name for page in all_pages() if not page.title or not page.summary] == []


def test_title_and_first_sentence_are_plain_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "page.md").write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(doc_pages, "docs_folder", lambda: tmp_path)
    [page] = [page for page in all_pages() if page.kind != PROTO]
    assert (page.title, page.summary) == ("Title of the page", "The first sentence says this much.")


@pytest.mark.parametrize("text", ["rules", "rules.md", "reference/rules.md", "RULES.md"])
def test_a_page_is_found_by_its_name_as_typed_or_cited(text: str) -> None:
    assert find_page(text).path.name == "rules.md"


def test_an_unknown_page_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="there is no page 'rulse', did you mean 'rules'"):
        find_page("rulse")


def test_a_word_that_is_no_page_leads_to_the_search() -> None:
    with pytest.raises(InputError, match=r"'bowerbird docs --search swiss' finds it in \d+ sections"):
        find_page("swiss")


def test_a_word_that_is_not_a_variant_leads_to_the_search() -> None:
    with pytest.raises(UnknownVariant, match=r"'bowerbird docs --search jambone' finds it in \d+ sections"):
        VARIANT.convert("jambone", None, None)
    with pytest.raises(UnknownVariant, match="did you mean 'buck'"):
        VARIANT.convert("bukc", None, None)


def test_a_search_lists_the_sections_with_the_word_and_headings_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs", "--search", "Pairing", "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)
    in_heading = ["pairing" in hit["section"].lower() for hit in hits]
    assert in_heading == sorted(in_heading, reverse=True)
    assert any(in_heading)
    assert not all(in_heading)
    for hit in hits[:5]:
        assert "pairing" in section_text(find_page(hit["page"]), hit["section"]).lower()


def test_a_search_in_vain_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs", "--search", "xyzzy"]) == 2
    assert "no page has 'xyzzy'" in capsys.readouterr().err


@pytest.mark.parametrize("wanted", ["V12", "v12", "V12 buck: Buck Euchre", "v12-buck-buck-euchre", "V12 b"])
def test_a_section_reaches_to_the_next_heading_of_its_level(page: Page, wanted: str) -> None:
    text = section_text(page, wanted)
    assert text.startswith("## V12 `buck`")
    assert text.endswith("Deeper.")


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("V12.9", "**V12.9 End.**"),
        ("v12.5.1", "- **V12.5.1** First."),
        ("V12.5.2", "- **V12.5.2** Second,\n  on two lines.\n\nOf all phases."),
        ("bad-luck", '<a id="bad-luck"></a>\nBehind an anchor.'),
        ("good.luck", '<a id="good-luck"></a>\nBehind the next.'),
        ("A part", "### A part of it\nDeeper."),
    ],
)
def test_a_clause_or_an_anchor_is_printed_alone(page: Page, wanted: str, text: str) -> None:
    assert section_text(page, wanted) == text


def test_a_clause_holds_its_own_clauses(page: Page) -> None:
    text = section_text(page, "V12.5")
    assert text.startswith("**V12.5 Phases.**")
    assert text.endswith("Of all phases.")


@pytest.mark.parametrize("wanted", ["V12.7", "V12.5.9", "V2", "no heading", "V"])
def test_what_is_no_section_is_refused(page: Page, wanted: str) -> None:
    with pytest.raises(InputError, match=r"^page: unknown section "):
        section_text(page, wanted)


def test_an_unknown_section_is_refused_with_the_nearest(page: Page) -> None:
    with pytest.raises(InputError, match="unknown section 'V1 Anothr', did you mean 'V1 Another'"):
        section_text(page, "V1 Anothr")


def test_the_command_lists_and_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["docs"]) == 0
    assert "  seat.proto" in capsys.readouterr().out
    assert run(["docs", "rules", "V12.9"]) == 0
    assert capsys.readouterr().out.startswith("**V12.9 End.**")
    assert run(["docs", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert all(Path(page["path"]).is_file() for page in listed)
    assert {page["name"] for page in listed} >= {"rules", "notation"}
