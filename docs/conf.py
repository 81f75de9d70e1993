"""Configuration of the site (`make docs`): Sphinx, MyST and furo over the pages of docs/.

The pages stay plain markdown, so that they can be read on GitHub and with `bowerbird docs`. What only a site needs is
added here: the navigation, which follows the links of the index pages, and anchors of the form `<a id="v12"></a>`.
"""

from __future__ import annotations

import json
import re
from importlib.metadata import version as version_of
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from docutils.transforms import Transform
from sphinx.application import Sphinx
from sphinx.util.docstrings import prepare_docstring

DOCS = Path(__file__).resolve().parent

project = "Bowerbird"
author = "the authors of Bowerbird"
release = version_of("bowerbird")
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "newsfragments"]
nitpicky = True
nitpick_ignore_regex = [(r"py:.*", r"(?!bowerbird\.(?!seat\.|bots\.|harness\.|engine\.\w+\.)).*")]
"""Types of the standard library and of modules that are not public have no page."""

myst_heading_anchors = 6
myst_linkify_fuzzy_links = False
suppress_warnings = ["myst.header"]
"""Pages of rules go from the part to the clause without a level between."""

smartquotes = False
"""Quotes in these pages belong to tokens and values."""

default_role = "literal"
"""`name` in a docstring is code."""

autodoc_mock_imports = ["pyspiel"]
"""OpenSpiel has no wheel for some systems on which this site is built."""
autodoc_member_order = "groupwise"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "Bowerbird"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"loading_method": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_search_scorer = str(DOCS / "search-scorer.js")
html_show_search_summary = False
"""A browser that reads the site from disk cannot fetch the pages that a summary quotes."""

html_permalinks_icon = "#"
html_theme_options = {"navigation_with_keys": False}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

ROOT_PAGE = "index"
KINDS = ("tutorials", "how-to", "reference", "explanation", "internals")
"""The index pages of the kinds, in the order of the navigation."""

QUESTIONS = "questions"
"""The index of all pages by question."""

VARIANTS = "reference/variants"
"""The page with the pages of the variants below it, in a folder of the same name."""

PYTHON = "reference/python"
API = "python"
"""The page with the modules of the Python API below it, and the folder of these."""

_LINK = re.compile(r"\]\(([\w./-]+)\.md\)")
_ANCHOR = re.compile(r'<a id="([^"]+)">')
_TITLES = {"Args": "Parameters", "Attributes": "Attributes", "Raises": "Raises", "Returns": "Returns"}
_TITLE = re.compile(rf"({'|'.join(_TITLES)}):")
_FIELD = re.compile(r" *([A-Za-z_]\w*(?:, [A-Za-z_]\w*)*): (.+)")
_QUESTION = re.compile(r"^\| (.+?\?.*?) \| (.+) \|$", re.MULTILINE)
_ANSWER = re.compile(r"\[([^\]]+)\]\(([\w./-]+)\.md(#[\w-]+)?\)")
_SIGNATURE_LINES = re.compile(r'<dl>(\s*<dd><em class="sig-param">)')
_PROTO_FOLDER = re.compile(r"\]\((?:\.\./)*proto/bowerbird/seat/v1/?\)")


def add_navigation(app: Sphinx, docname: str, source: list[str]) -> None:
    """Append the pages below a page to it: for an index those that it links to, in the order of its links."""
    del app
    if docname == ROOT_PAGE:
        entries = [*KINDS, QUESTIONS]
    elif docname in (*KINDS, VARIANTS):
        folder = PurePosixPath(docname).parent
        linked = dict.fromkeys(str(folder / target) for target in _LINK.findall(source[0]))
        entries = [one for one in linked if one.startswith(f"{docname}/")]
    elif docname == PYTHON:
        entries = [f"{API}/{path.stem}" for path in sorted((DOCS / API).glob("*.rst"))]
    else:
        return
    heading, hidden = ("\n\n## Every name", "") if docname == PYTHON else ("", ":hidden:\n")
    pages = "\n".join(f"/{entry}" for entry in entries)
    source[0] += f"{heading}\n\n```{{toctree}}\n{hidden}:maxdepth: 1\n\n{pages}\n```\n"


def keep_one_title(app: Sphinx, docname: str, source: list[str]) -> None:
    """Lower the headings below the title of a page that has further headings of the first level, as rules.md has."""
    del app, docname
    found: list[str] = []
    titles = 0
    is_code = False
    for line in source[0].splitlines():
        is_code ^= line.lstrip().startswith("```")
        is_heading = not is_code and line.startswith("#")
        titles += is_heading and line.startswith("# ")
        found.append(f"#{line}" if is_heading and titles > 1 else line)
    if titles > 1:
        source[0] = "\n".join(found) + "\n"


def link_to_messages(app: Sphinx, docname: str, source: list[str]) -> None:
    """Make links to the folder of the .proto files lead to the page that is generated from them."""
    del app
    up = "../" * docname.count("/")
    source[0] = _PROTO_FOLDER.sub(f"]({up}reference/protocol-messages.md)", source[0])


class HtmlAnchors(Transform):  # type: ignore[misc]  # docutils has no types
    """Makes `<a id="v12"></a>` a target of links, on its own page and from others."""

    default_priority = 500
    """Before MyST resolves links on the page, at 879."""

    def apply(self, **kwargs: Any) -> None:
        """Add each anchor to those of the headings."""
        del kwargs
        slugs = getattr(self.document, "myst_slugs", None)
        if slugs is None:
            return
        for raw in self.document.findall(nodes.raw):
            for name in _ANCHOR.findall(raw.astext()):
                slugs[name] = (raw.line or 0, name, "")


def no_words_of_types(*event: Any) -> None:
    """Leave out what Python says of the type of a constant, as "str(object='') -> str"."""
    _, kind, _, value, _, lines = event
    words = type(value).__doc__
    if kind == "data" and isinstance(words, str) and lines == prepare_docstring(words):
        lines.clear()


def lists_of_fields(*event: Any) -> None:
    """Make the fields that a docstring explains a list: `seat: the seat of the bot.`, one a line, long ones indented.

    A title of such a list, as `Args:`, becomes its own line. Other indented lines are code.
    """
    lines: list[str] = event[-1]
    found: list[str] = []
    is_list = is_code = False
    for line in lines:
        is_code = is_code and (not line.strip() or line.startswith("    "))
        if not is_code and not is_list and line.startswith("    ") and not (found and found[-1].strip()):
            found += [".. code-block:: python", ""]
            is_code = True
        if is_code:
            found.append(line)
            continue
        title = _TITLE.fullmatch(line)
        field = _FIELD.fullmatch(line)
        if title is not None:
            found += ["", f"**{_TITLES[title[1]]}**", ""]
            is_list = True
        elif field is not None:
            if not is_list:
                found.append("")
            found.append(f"- ``{field[1]}``: {field[2]}")
            is_list = True
        elif is_list and line.startswith("    "):
            found.append(f"  {line.strip()}")
        else:
            is_list = is_list and not line.strip()
            found.append(line)
    lines[:] = found


def parameters_are_no_definitions(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], *rest: object
) -> None:
    """Tell a screen reader that the lines of a long signature, which Sphinx makes a list of definitions, are none."""
    del app, pagename, templatename, rest
    if "body" in context:
        context["body"] = _SIGNATURE_LINES.sub(r'<dl role="none">\1', context["body"])


def answers_in_search(app: Sphinx, pagename: str, *rest: object) -> None:
    """Give the search page the questions of questions.md and their answers, which search.js shows above the pages."""
    del rest
    if pagename != "search":
        return
    rows = _QUESTION.findall((DOCS / f"{QUESTIONS}.md").read_text(encoding="utf-8"))
    questions = [
        {
            "question": question,
            "answers": [(words, f"{page}.html{place}") for words, page, place in _ANSWER.findall(answer)],
        }
        for question, answer in ((one.replace("`", ""), other.replace("`", "")) for one, other in rows)
    ]
    text = json.dumps(questions).replace("<", "\\u003c")  # nothing in it ends the script
    app.add_js_file(None, body=f"const QUESTIONS = {text};")
    app.add_js_file("search.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Connect what is added to Sphinx."""
    app.connect("source-read", add_navigation)
    app.connect("source-read", keep_one_title)
    app.connect("source-read", link_to_messages)
    app.connect("autodoc-process-docstring", no_words_of_types)
    app.connect("autodoc-process-docstring", lists_of_fields)
    app.connect("html-page-context", answers_in_search)
    app.connect("html-page-context", parameters_are_no_definitions)
    app.add_transform(HtmlAnchors)
