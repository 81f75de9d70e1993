"""Checks a built site without a network: what pages load, where their links lead, and that all pages are there.

`python -m tests.support.docs.site FOLDER` lists what is wrong, and exits with 1 if there is anything.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from tests.support.chromium import Page
from tests.support.paths import DOCS

LOADING = {"src", "srcset", "poster", "data", "background"}
"""Attributes from which a browser loads something."""

LINK_KINDS_THAT_LOAD_NOTHING = {"next", "prev", "index", "search", "canonical"}

_STYLE_LOAD = re.compile(r"""url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)""")


@dataclass
class Document(HTMLParser):
    """A page of the site as the check sees it: what it loads, its links with their lines, and its ids."""

    loads: list[str] = field(default_factory=list)
    links: list[tuple[int, str]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    title: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take up the attributes of an element."""
        found = {name: value or "" for name, value in attrs}
        self.ids |= {found[name] for name in ("id", "name") if name in found and (name == "id" or tag == "a")}
        self.loads += [found[name] for name in LOADING & found.keys()]
        if tag == "link" and not LINK_KINDS_THAT_LOAD_NOTHING & set(found.get("rel", "").split()):
            self.loads.append(found.get("href", ""))
        if tag == "a" and "href" in found:
            self.links.append((self.getpos()[0], found["href"]))
        self.loads += [one or other for one, other in _STYLE_LOAD.findall(found.get("style", ""))]


def read_document(file: Path) -> Document:
    """Return a page of the site."""
    document = Document()
    document.feed(file.read_text(encoding="utf-8"))
    document.close()
    return document


def problems(site: Path) -> list[str]:
    """Return a sentence for everything that is wrong with the site in a folder."""
    documents = {file: read_document(file) for file in sorted(site.rglob("*.html"))}
    if not documents:
        return [f"{site}: there is no page; make docs builds them"]
    found = [*_missing(site), *_loads_of_styles(site)]
    for file, document in documents.items():
        found += _problems_of(file, document, documents, site)
    return found


def _problems_of(file: Path, document: Document, documents: dict[Path, Document], site: Path) -> Iterator[str]:
    name = file.relative_to(site)
    for load in document.loads:
        parts = urlsplit(load)
        if parts.scheme == "data":
            continue
        if parts.scheme or parts.netloc:
            yield f"{name}: loads {load} from outside"
        elif parts.path and not (file.parent / unquote(parts.path)).resolve().is_file():
            yield f"{name}: loads {load}, which is not there"
    for line, link in document.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (file.parent / unquote(parts.path)).resolve() if parts.path else file.resolve()
        if not target.is_file():
            yield f"{name}:{line}: links to {link}, which is not there"
        elif parts.fragment and target.suffix == ".html":
            page = documents.get(target)
            if page is not None and unquote(parts.fragment) not in page.ids:
                yield f"{name}:{line}: links to {link}, but that page has no such anchor"


def _missing(site: Path) -> Iterator[str]:
    """Yield the pages of docs/ that the site does not have."""
    for page in sorted(DOCS.rglob("*.md")):
        if {"newsfragments", "_build"} & set(page.parts):
            continue
        made = site / page.relative_to(DOCS).with_suffix(".html")
        if not made.is_file():
            yield f"{made.relative_to(site)}: is not there"
    if not (site / "searchindex.js").is_file():
        yield "searchindex.js: is not there, so that nothing can be searched"


def _loads_of_styles(site: Path) -> Iterator[str]:
    for file in sorted(site.rglob("*.css")):
        for one, other in _STYLE_LOAD.findall(file.read_text(encoding="utf-8")):
            load = one or other
            if urlsplit(load).scheme not in ("", "data") or load.startswith("//"):
                yield f"{file.relative_to(site)}: loads {load} from outside"


def found_pages(page: Page, site: Path, words: str) -> list[str]:
    """Return the pages that the site's own search finds for these words, best first, with their titles."""
    page.open(site / "search.html", f"?q={quote(words)}")
    found: list[str] = page.ask(
        "new Promise(done => { const look = () => { const said = document.querySelector('.search-summary')?.innerText;"
        " /finished|did not match/.test(said) ? done([...document.querySelectorAll('ul.search li > a')]"
        ".map(one => `${one.getAttribute('href').split('?')[0]} ${one.innerText}`)) : setTimeout(look, 50) }; look() })"
    )
    return found


def main(arguments: list[str]) -> int:
    """Print what is wrong with the site in the folder that is named. Return the exit code."""
    [folder] = arguments
    found = problems(Path(folder).resolve())
    for one in found:
        print(one)
    if found:
        print(f"{len(found)} problems in {folder}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
