"""Finds every citation of a page of docs/ and resolves it: in code, comments, docstrings, help, .proto files and pages.

`python -m tests.support.docs.citations` lists those that do not resolve, by page, and exits with 1 if there are any.

The forms (a comma, "and" or "to" continues a list):

    ratings.md                        the page
    rules.md V12.9, A14 and T2 to T4  rules by number
    faults.md row 12                  a row of the fault matrix; also "row 12 of faults.md"
    ratings.md, Deal sets             a heading; in quotes where it holds a comma or ends in doubt
    ratings.md, Ratings kept, 2       a numbered item below a heading
    commands.md, `bowerbird verify`   a heading in backquotes
    V12.9, A14, T2                    a rule of rules.md, in comments, docstrings and pages
    5.3                               in a comment of engine/variants: a rule of the variant that was named last
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import groupby
from pathlib import Path

from tests.support.docs.markdown import Heading, Page, read_page
from tests.support.paths import DOCS, ROOT

RULES = "rules.md"
FAULTS = "faults.md"
FAULT_MATRIX = "Fault matrix"

UNCHECKED = frozenset({"CHANGELOG.md", "tests/docs/test_citations.py"})
"""What tells of the past, and examples of bad citations. Links must hold there, too."""

MADE = frozenset({"mybot/README.md"})
"""Pages that a command writes for its user."""

RECORDED = ("results/", "docs/newsfragments/")
"""Folders whose texts are not checked: figures of past runs, and notes that become history."""

SOURCES = frozenset({".py", ".pyi", ".proto", ".toml", ".md", ".js", ".ts", ".go", ".rs", ".java", ".rb", ".h", ".cpp"})

RULE = r"(?:V\d+(?:\.\d+)*[a-z]?|[ABDEO]\d{1,2}(?:\.\d+)?[a-z]?|[TL]\d)"
_RULE = re.compile(rf"(?<![\w.\-/#&\\$]){RULE}(?![\w\-/:=(]|\.\d)")
_ANY_RULE = re.compile(rf"(?<!\w){RULE}")
_NUMBERS = re.compile(rf"{RULE}(?:(?:,? and |, ?| to |–){RULE}(?!\w))*")
_ROWS = re.compile(r"rows? (\d+(?:(?:,? and |, | to )\d+)*)")
_ROWS_OF = re.compile(r"\b[Rr]ows? (\d+(?:(?:,? and |, | to )\d+)*) of $")
_PAGE = re.compile(r"(?<![\w*])([\w./-]*?)([\w-]+\.md)(#[\w-]+)?")
_OLD_FORM = re.compile(r" (?:rules?|contract|sections?|chapters?|parts?|no\.|number|matrix|items?|steps?) \w?\d")
_RELATIVE = re.compile(r"\d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*")


@dataclass(frozen=True, order=True)
class Unresolved:
    """A citation or link that leads nowhere. `nearest` is what was probably meant, "" if nothing is near."""

    page: str
    file: str
    line: int
    text: str
    reason: str
    nearest: str = ""

    def __str__(self) -> str:
        """Return it as one line: place, citation, reason, nearest anchor."""
        nearest = f"; nearest: {self.nearest}" if self.nearest else ""
        return f"{self.file}:{self.line}: {self.text!r}: {self.reason}{nearest}"


@dataclass(frozen=True)
class Segment:
    """A piece of text that may cite: a run of comments, a docstring, another string, or a whole page.

    `line` is the line of its first character. `is_prose` says that bare numbers such as V12.9 are citations in it.
    """

    text: str
    line: int
    is_prose: bool


# What there is to cite.


@cache
def tracked() -> tuple[Path, ...]:
    """Return the files of the repository, new ones included."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(path for name in sorted(listed.stdout.split("\0")) if name and (path := ROOT / name).is_file())


@cache
def pages() -> dict[str, Page]:
    """Return the pages of docs/ by the names of their files."""
    return {path.name: read_page(path) for path in tracked() if path.suffix == ".md" and is_page(path)}


def is_page(path: Path) -> bool:
    """Return whether a file lies in docs/ and is not a news fragment."""
    return path.is_relative_to(DOCS) and "newsfragments" not in path.parts


@cache
def other_pages() -> frozenset[str]:
    """Return the other markdown files of the repository, by path."""
    return frozenset(path.relative_to(ROOT).as_posix() for path in tracked() if path.suffix == ".md")


# What is cited.


def segments(path: Path) -> Iterator[Segment]:
    """Yield the texts of a file in which citations are looked for."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from _python(text)
    elif path.suffix == ".md":
        yield Segment("\n".join(read_page(path).lines), 1, is_prose=True)
    else:
        yield Segment(_without_marks(text), 1, is_prose=path.suffix in {".proto", ".pyi"})


def has_citations(path: Path) -> bool:
    """Return whether a file may cite anything. Marks of comments are still in the text and may touch a rule, so this
    says yes more often than a citation needs.

    Marks of comments still stand in the text and may touch a rule, so this says yes more often than a citation needs.
    """
    text = path.read_text(encoding="utf-8")
    return ".md" in text or _ANY_RULE.search(text) is not None


def _without_marks(text: str) -> str:
    """Replace the marks of comments at the beginnings of lines by blanks."""
    return re.sub(r"^[ \t]*(?://+|#+|\*)", lambda mark: " " * len(mark.group()), text, flags=re.MULTILINE)


def _python(text: str) -> Iterator[Segment]:
    documents = {
        (statement.value.lineno, statement.value.col_offset)
        for node in ast.walk(ast.parse(text))
        if isinstance(body := getattr(node, "body", None), list)
        for statement in body
        if isinstance(statement, ast.Expr)
        if isinstance(statement.value, ast.Constant)
        if isinstance(statement.value.value, str)
    }
    comments: list[str] = []
    first = last = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if comments and token.start[0] != last + 1:
                yield Segment("\n".join(comments), first, is_prose=True)
                comments = []
            first = first if comments else token.start[0]
            last = token.start[0]
            comments.append(token.string.lstrip("#"))
        elif token.type == tokenize.STRING and not token.string.lower().startswith(("b", "rb", "br")):
            yield Segment(token.string, token.start[0], is_prose=token.start in documents)
    if comments:
        yield Segment("\n".join(comments), first, is_prose=True)


def unresolved_citations(path: Path, name: str) -> Iterator[Unresolved]:
    """Yield the citations in a file that lead nowhere. `name` is its path in the repository."""
    if not has_citations(path):
        return
    for segment in segments(path):
        taken: list[tuple[int, int]] = []
        flat, lines = _flat(segment)
        for found in _PAGE.finditer(flat):
            if not _is_citation(path, segment, flat, found):
                continue
            end, problem = _resolved(flat, found)
            taken.append((found.start(), end))
            if problem is not None:
                said = flat[found.start() : end].strip()
                yield Unresolved(found.group(2), name, lines[found.start()], said, *problem)
        if segment.is_prose and path.name != RULES:
            for found in _RULE.finditer(flat):
                if any(start <= found.start() < end for start, end in taken):
                    continue
                problem = _rule_problem(found.group())
                if problem is not None:
                    yield Unresolved(RULES, name, lines[found.start()], found.group(), *problem)
    if path.name == RULES:
        yield from _in_the_rules(read_page(path), name)
    if name.startswith("engine/variants/"):
        yield from _relative(path, name)


def _flat(segment: Segment) -> tuple[str, list[int]]:
    """Return a string with one blank for each run of white space, and the line of each of its characters."""
    text = []
    lines = []
    line = segment.line
    for run in re.findall(r"\s+|\S+", segment.text):
        piece = " " if run.isspace() else run
        text.append(piece)
        lines += [line] * len(piece)
        line += run.count("\n")
    return "".join(text), lines


def _is_citation(path: Path, segment: Segment, flat: str, found: re.Match[str]) -> bool:
    """Return whether a name of a page cites it: not the target of a link, and not a file name that a test makes up."""
    before = flat[: found.start()]
    if path.suffix == ".md" and (before.endswith("](") or "://" in re.split(r"[\s(]", before + found.group(1))[-1]):
        return False
    return segment.is_prose or found.group(2) in pages() or path.suffix != ".py"


def _in_the_rules(page: Page, name: str) -> Iterator[Unresolved]:
    """Yield the numbers in the text of the rules that no rule has."""
    for number, line in enumerate(page.lines, 1):
        for found in _RULE.finditer(re.sub(r"\[[SPD][^\]]*\]", "", line)):
            problem = _rule_problem(found.group())
            if problem is not None:
                yield Unresolved(RULES, name, number, found.group(), *problem)


def _relative(path: Path, name: str) -> Iterator[Unresolved]:
    """Yield the numbers of rules in comments of a variant, such as `# 5.3, 7`, that its page does not have."""
    section = ""
    for segment in segments(path):
        if not segment.is_prose:
            continue
        for offset, line in enumerate(segment.text.splitlines()):
            is_document = segment.text.startswith('"')
            named = re.findall(r"\b(V\d+)" if is_document else r"^ (V\d+)\.1(?:,|$)", line)
            section = named[-1] if named else section
            for part in [] if is_document else line.strip().split(", "):
                if _RELATIVE.fullmatch(part) and section:
                    for number in re.findall(r"[\d.]+", part):
                        problem = _rule_problem(f"{section}.{number}")
                        if problem is not None:
                            yield Unresolved(RULES, name, segment.line + offset, f"{section}.{number}", *problem)


Problem = tuple[str, str]
"""Why a citation leads nowhere, and the nearest that would lead somewhere."""


def _resolved(text: str, found: re.Match[str]) -> tuple[int, Problem | None]:
    """Return where the citation that begins with the page's name ends, and its problem if it has one."""
    folder, name, anchor = found.groups()
    end = found.end()
    page = pages().get(name)
    if page is None or (folder and not _is_path(folder, name)):
        known = other_pages()
        if f"{folder}{name}" in known | MADE or any(other.endswith(f"/{folder}{name}") for other in known):
            return end, None
        near = get_close_matches(name, pages(), 1, 0.6)
        return end, (f"there is no page {folder}{name}", near[0] if near else "")
    if anchor is not None:
        return end, None if anchor[1:] in page.anchors else _no_anchor(page, anchor[1:])
    rows = _ROWS_OF.search(text[: found.start()])
    if rows is not None:
        return end, _row_problem(page, rows.group(1))
    rest = text[end:]
    rule = _NUMBERS.match(rest[1:]) if rest.startswith(" ") else None
    if rule is not None and name == RULES:
        numbers = re.findall(RULE, rule.group())
        problems = [problem for number in numbers if (problem := _rule_problem(number)) is not None]
        return end + 1 + rule.end(), problems[0] if problems else None
    rows = re.match(r",? (" + _ROWS.pattern + ")", rest)
    if rows is not None:
        return end + rows.end(), _row_problem(page, rows.group(2))
    if re.match(r",? \d", rest) or (_OLD_FORM.match(rest.lstrip(",")) and not re.match(r" Part [A-E]\b", rest)):
        length = len(rest[:24])
        return end + length, ("an unknown form of citation", "")
    part = re.match(r" (Part [A-E])\b", rest)
    if part is not None:
        heading = next((one for one in page.headings if one.text.startswith(f"{part.group(1)}:")), None)
        return end + part.end(), None if heading else (f"{name} has no {part.group(1)}", "")
    if re.match(r", [\"`]?[A-Z]|, [\"`]", rest):
        return _heading_problem(page, rest, end)
    if re.match(r" [A-Z]", rest):
        return end + 16, ("an unknown form of citation", "")
    return end, None


def _is_path(folder: str, name: str) -> bool:
    """Return whether `folder` is the end of the path of the page `name`."""
    return pages()[name].path.as_posix().endswith(f"/{folder.removeprefix('./').removeprefix('../')}{name}")


def _heading_problem(page: Page, rest: str, end: int) -> tuple[int, Problem | None]:
    """Resolve `, Heading and Heading, 2` at the beginning of `rest`."""
    at = 0
    joint = ", "
    heading: Heading | None = None
    while True:
        quoted = rest[at + len(joint) : at + len(joint) + 1] in ('"', "`")
        begin = at + len(joint) + quoted
        matches = [one for one in page.headings if _stands(_short(one), rest, begin)]
        if not matches:
            said = re.split(r"[\"`;:.()]|, ", rest[begin:])[0][:60].strip()
            if not said:
                return end + at, None
            near = get_close_matches(said, [one.text for one in page.headings], 1, 0.4)
            reason = f"{page.path.name} has no heading {said!r}"
            return end + begin + len(said), (reason, near[0] if near else "")
        heading = max(matches, key=lambda one: len(_short(one)))
        at = begin + len(_short(heading)) + quoted
        item = re.match(r", (\d)(?![\w.])", rest[at:])
        if item is not None:
            at += item.end()
            if not any(re.match(rf"(?:#+ |\*\*)?{item.group(1)}\.? ", line) for line in page.section(heading)):
                return end + at, (f"{page.path.name}, {heading.text} has no item {item.group(1)}", "")
        joint = next((one for one in (", and ", " and ", ", ") if _goes_on(page, rest, at, one)), "")
        if not joint:
            return end + at, None


def _stands(title: str, rest: str, begin: int) -> bool:
    """Return whether a heading is in a string, and is not the beginning of a longer word."""
    return rest.startswith(title, begin) and not rest[begin + len(title) : begin + len(title) + 1].isalnum()


def _goes_on(page: Page, rest: str, at: int, joint: str) -> bool:
    """Return whether another heading of the page follows after `joint`."""
    begin = at + len(joint)
    begin += rest[begin : begin + 1] in ('"', "`")
    return rest.startswith(joint, at) and any(_stands(_short(one), rest, begin) for one in page.headings)


def _short(heading: Heading) -> str:
    """Return what cites a heading: its text up to a colon."""
    return heading.text.partition(":")[0]


def _rule_problem(number: str) -> Problem | None:
    rules = pages()[RULES].rules
    if number in rules:
        return None
    near = get_close_matches(number, rules, 1, 0.5)
    return f"{RULES} has no rule {number}", near[0] if near else ""


def _row_problem(page: Page, said: str) -> Problem | None:
    if page.path.name != FAULTS:
        return f"only {FAULTS} has rows with numbers", ""
    heading = next((one for one in page.headings if one.text.startswith(FAULT_MATRIX)), None)
    rows = page.rows(heading) if heading is not None else {}
    missing = [number for number in re.findall(r"\d+", said) if int(number) not in rows]
    return (f"{FAULTS} has no row {missing[0]}", f"rows 1 to {max(rows, default=0)}") if missing else None


def _no_anchor(page: Page, anchor: str) -> Problem:
    near = get_close_matches(anchor, page.anchors, 1, 0.4)
    return f"{page.path.name} has no anchor #{anchor}", f"#{near[0]}" if near else ""


# Links.


def unresolved_links(path: Path, name: str) -> Iterator[Unresolved]:
    """Yield the relative links of a markdown file that lead nowhere. `name` is its path in the repository."""
    page = read_page(path)
    for line, link in page.links():
        if re.match(r"[a-z+]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        at = target.name if target.suffix == ".md" else link
        if not target.exists():
            near = get_close_matches(target.name, [*pages(), *(Path(one).name for one in other_pages())], 1, 0.6)
            yield Unresolved(at, name, line, link, "there is no such file", near[0] if near else "")
        elif anchor and target.suffix == ".md" and anchor not in read_page(target).anchors:
            yield Unresolved(at, name, line, link, *_no_anchor(read_page(target), anchor))


def checked_files() -> list[Path]:
    """Return the files that may cite."""
    return [
        path
        for path in tracked()
        if path.suffix in SOURCES and not path.relative_to(ROOT).as_posix().startswith(RECORDED)
        if not path.name.endswith("_pb2.py")
    ]


def unresolved() -> list[Unresolved]:
    """Return all citations and links of the repository that lead nowhere."""
    found: set[Unresolved] = set()
    for path in checked_files():
        name = path.relative_to(ROOT).as_posix()
        if path.suffix == ".md":
            found.update(unresolved_links(path, name))
        if name not in UNCHECKED:
            found.update(unresolved_citations(path, name))
    return sorted(found)


def main() -> int:
    """List what does not resolve, by page. Return the exit code: 1 if there is anything."""
    found = unresolved()
    for page, group in groupby(found, key=lambda one: one.page):
        print(page)
        for one in group:
            print(f"  {one}")
    print(f"{len(found)} citations and links lead nowhere." if found else "Every citation and link resolves.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
