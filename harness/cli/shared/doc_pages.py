"""The pages of docs/ and the .proto files, for `bowerbird docs`: their list and their sections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bowerbird.engine import counted
from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.resources import docs_folder, proto_folder

KINDS = ("tutorials", "how-to", "reference", "explanation", "internals")
"""The folders of pages in docs/, in the order of the list."""

FIRST = ("index", "questions")
"""The pages in docs/ itself, which index the others."""

PROTO = "protocol files"

_FENCE = re.compile(r"^ *(```|~~~)")
_HEADING = re.compile(r"^(#{1,6}) +(.+?) *#*$")
_ANCHOR = re.compile(r'<a (?:id|name)="([^"]+)"></a>')
_CLAUSE = re.compile(r"(?:- )?\*\*([a-z]\d+(?:\.\d+)*)\b|\| ([a-z]\d+(?:\.\d+)*) \|", re.IGNORECASE)
"""The number of a clause, at the beginning of its text, item or row: **V12.9 End.**, - **T3**, | E12 |."""
_LINK = re.compile(r"!?\[([^]]*)\](?:\([^)]*\)|\[[^]]*\])")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of docs/, or a .proto file.

    kind: its folder in docs/, or PROTO. summary: its first sentence, "" if it has none.
    """

    name: str
    kind: str
    path: Path
    title: str
    summary: str

    def text(self) -> str:
        """Return the whole page."""
        return self.path.read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class _Section:
    """A part of a page that begins with a heading: its lines from `first` up to but not including `end`."""

    title: str
    first: int
    end: int


def all_pages() -> tuple[Page, ...]:
    """Return every page: index and questions first, then folder by folder, then the .proto files."""
    found = [_page(path, "") for name in FIRST if (path := docs_folder() / f"{name}.md").is_file()]
    for kind in KINDS:
        found += [_page(path, kind) for path in sorted((docs_folder() / kind).glob("*.md"))]
    found += [_proto(path) for path in sorted(proto_folder().glob("bowerbird/*/*/*.proto"))]
    return tuple(found)


def find_page(text: str) -> Page:
    """Return the page with this name, as typed or cited: rules, rules.md or reference/rules.md.

    Raises InputError, with the nearest match, if there is none.
    """
    pages = {page.name: page for page in all_pages()}
    name = text.rpartition("/")[2].removesuffix(".md").lower()
    if name not in pages:
        from bowerbird.engine import did_you_mean

        meant = did_you_mean(name, pages, near=0.75)
        where = meant or where_found(name) or "; bowerbird docs lists the pages"
        raise InputError(f"there is no page {name!r}{where}")
    return pages[name]


def where_found(word: str) -> str:
    """Return a hint about searching the pages for a word, to end an error; "" if no page contains the word."""
    found = len(search(word))
    return f"; 'bowerbird docs --search {word}' finds it in {counted(found, 'section')}" if found else ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A section in which a word was found.

    section: its heading. line: the first line that contains the word, as plain text; "" if only the heading contains
        it.
    """

    page: str
    section: str
    line: str


def search(word: str) -> list[Hit]:
    """Return the sections whose heading or text contains a word, ignoring case; matching headings come first."""
    wanted = word.lower()
    headed: list[Hit] = []
    others: list[Hit] = []
    for page in all_pages():
        lines = page.text().splitlines()
        spans = [(at, title) for at, _, title in _headings(lines)] or [(0, page.title)]
        for (first, title), last in zip(spans, [*(at for at, _ in spans[1:]), len(lines)], strict=True):
            line = next((one for one in lines[first + 1 : last] if wanted in one.lower()), "")
            hit = Hit(page.name, title, _plain(line.strip("#|-* ")))
            if wanted in title.lower():
                headed.append(hit)
            elif line:
                others.append(hit)
    return headed + others


def link_commands(page: Page) -> Callable[[str], str | None]:
    """Return a function that turns the target of a link on `page` into something that a reader can type.

    The function returns a command, or else an address or the path of a file. It returns None for a section of the same
    page, and for anything that is not installed.
    """
    names = {each.path.resolve(): each.name for each in all_pages()}

    def command(target: str) -> str | None:
        if "://" in target:
            return target
        path, _, section = target.partition("#")
        if not path:
            return None
        file = (page.path.parent / path).resolve()
        if file in names:
            return f"bowerbird docs {names[file]} {section}".rstrip()
        if file.is_relative_to(docs_folder()) and file.suffix == ".md" and file.exists():
            return _index_command(file)
        return str(file) if file.exists() else None

    return command


def _index_command(file: Path) -> str:
    """Return the command for a page that only the web site has: the summary of a variant, or the index of a kind."""
    is_variant = file.parent == docs_folder() / "reference" / "variants"
    return f"bowerbird variants {file.stem}" if is_variant else "bowerbird docs"


def section_text(page: Page, wanted: str) -> str:
    """Return the section of a page that `wanted` names, up to the next heading of its level.

    wanted: a heading, a unique beginning of it, its number (V12, A7), the number of a clause in it (V12.9), or the name
        of an anchor. Case is ignored. Raises InputError, with the nearest heading, if there is none.
    """
    lines = page.text().splitlines()
    sections = list(_sections(lines))
    key = _plain(wanted).lower()
    found = _named(sections, key)
    if found is None:
        span = _clause(lines, sections, key) or _anchored(lines, sections, key)
        if span is not None:
            return "\n".join(lines[slice(*span)]).rstrip()
        from bowerbird.engine import unknown

        words = [_first_word(section.title) for section in sections]
        raise InputError(f"{page.name}: {unknown('section', wanted, [*(each.title for each in sections), *words])}")
    return "\n".join(lines[found.first : found.end]).rstrip()


def _named(sections: Sequence[_Section], key: str) -> _Section | None:
    """Return the section with this title, number or slug, or the only one whose title begins with `key`.

    The title of a command matches with or without `bowerbird`.
    """
    titles = [(section.title.lower(), section) for section in sections]
    exact = [section for title, section in titles if key in (title, _slug(title), title.removeprefix("bowerbird "))]
    numbered = [section for title, section in titles if key == _first_word(title)]
    begun = [section for title, section in titles if title.startswith(key)]
    return next(iter(exact or numbered or (begun if len(begun) == 1 else [])), None)


def _clause(lines: Sequence[str], sections: Sequence[_Section], key: str) -> tuple[int, int] | None:
    """Return the lines of a clause such as V12.9, T3 or V12.12.8, which ends at the next clause outside it."""
    headings = {section.first for section in sections}
    numbers = {at: (found[1] or found[2]).lower() for at, line in enumerate(lines) if (found := _CLAUSE.match(line))}
    first = next((at for at, number in numbers.items() if number == key), None)
    if first is None:
        return None
    later = (
        at
        for at in range(first + 1, len(lines))
        if at in headings
        or _ANCHOR.match(lines[at])
        or (not numbers.get(at, key).startswith(f"{key}.") and at in numbers)
    )
    return first, next(later, len(lines))


def _anchored(lines: Sequence[str], sections: Sequence[_Section], key: str) -> tuple[int, int] | None:
    """Return the lines from an anchor to the next anchor or heading."""
    ids = {key, _slug(key.replace(".", "-"))}
    headings = {section.first for section in sections}
    for at, line in enumerate(lines):
        if ids & {each.lower() for each in _ANCHOR.findall(line)}:
            later = (
                number
                for number in range(at + 1, len(lines))
                if (number in headings and number > at + 1) or _ANCHOR.search(lines[number])
            )
            return at, next(later, len(lines))
    return None


def _sections(lines: Sequence[str]) -> Iterator[_Section]:
    headings = list(_headings(lines))
    for number, (first, level, title) in enumerate(headings):
        later = (line for line, other, _ in headings[number + 1 :] if other <= level)
        yield _Section(title, first, next(later, len(lines)))


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the line, level and plain title of each heading outside code."""
    is_code = False
    for at, line in enumerate(lines):
        if _FENCE.match(line):
            is_code = not is_code
        elif not is_code and (match := _HEADING.match(line)) is not None:
            yield at, len(match[1]), _plain(match[2])


def _page(path: Path, kind: str) -> Page:
    lines = path.read_text(encoding="utf-8").splitlines()
    title = next((title for _, _, title in _headings(lines)), path.stem)
    return Page(path.stem.lower(), kind, path, title, _first_sentence(lines))


def _proto(path: Path) -> Page:
    """Return a .proto file as a page; the comment at its beginning is its title and summary."""
    comment = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        comment.append(line.removeprefix("//").strip())
    return Page(path.name, PROTO, path, path.name, _sentence(" ".join(comment)))


def _first_sentence(lines: Sequence[str]) -> str:
    """Return the first sentence of the first paragraph of text."""
    paragraph: list[str] = []
    for line in [*lines, ""]:
        text = line.strip()
        if text and not text.startswith(("#", "|", "- ", "* ", "<", ">", "```", "![")):
            paragraph.append(text)
        elif paragraph:
            return _sentence(_plain(" ".join(paragraph)))
    return ""


def _sentence(text: str) -> str:
    match = re.match(r".+?[.!?](?=\s|$)", text)
    return match[0] if match is not None else text


def _plain(text: str) -> str:
    """Return a line of Markdown without links, anchors, code marks or emphasis."""
    text = _LINK.sub(r"\1", _ANCHOR.sub("", text)).replace("`", "").strip()
    return re.sub(r"(?<!\w)([*_]{1,2})(\S(?:.*?\S)?)\1(?!\w)", r"\2", text)


def _first_word(title: str) -> str:
    """Return the number or first word of a heading."""
    return next(iter(title.split()), "").rstrip(".,:")


def _slug(title: str) -> str:
    """Return the anchor of a heading on the web site."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
