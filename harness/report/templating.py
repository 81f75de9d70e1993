"""The templates of the pages, and how values get into them unharmed."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

_FOLDER = "templates"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("harness.report", _FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["script_json"] = script_json
    return environment


def render_page(template: str, **values: object) -> str:
    """A template of the folder with these values, all of which are escaped; one that is wanted and absent raises."""
    return _environment().get_template(template).render(**values)


def source(name: str) -> Markup:
    """A style sheet or script of ours, to stand in a page as it is."""
    return Markup(files("harness.report").joinpath(_FOLDER, name).read_text(encoding="utf-8"))


def script_json(value: object) -> Markup:
    """JSON that may stand inside a <script>: nothing in it can end the element or begin a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)
