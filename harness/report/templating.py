"""Renders the templates of pages, with all values escaped."""

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
    """Render a template with escaped `values`. Raises jinja2.UndefinedError if one that it needs is absent."""
    return _environment().get_template(template).render(**values)


def source(name: str) -> Markup:
    """Return one of our style sheets or scripts, to insert into a page unescaped."""
    return Markup(files("harness.report").joinpath(_FOLDER, name).read_text(encoding="utf-8"))


def script_json(value: object) -> Markup:
    """Return JSON that is safe inside <script>: nothing in it can end the element or begin a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)
