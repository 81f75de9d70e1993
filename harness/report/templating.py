"""Renders the templates of pages, with all values escaped, under a Content-Security-Policy (pages.md)."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from harness.records.quoting import shown

_FOLDER = "templates"

_STYLE = Markup("<style>{}</style>")
_SCRIPT = Markup("<script>{}</script>")
_POLICY = Markup('<meta http-equiv="Content-Security-Policy" content="{}">')

RAW = "record"
"""The key of the one text in a page's data that stays as it is: the record of a game, for its download."""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("harness.report", _FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    environment.filters["script_json"] = script_json
    return environment


def _finalized(value: object) -> object:
    """Return the value of an expression of a template: text as `shown` shows it, unless it is our own markup."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def render_page(template: str, *, styles: Sequence[str], scripts: Sequence[str] = (), **values: object) -> str:
    """Render a template with escaped `values`, and in it the style sheets and scripts with these file names.

    The page's policy (`policy_of`) allows these style sheets and scripts and nothing else. Raises
    jinja2.UndefinedError if a value that the template needs is absent.
    """
    style, script = (Markup("").join(map(source, names)) for names in (styles, scripts))
    return (
        _environment()
        .get_template(template)
        .render(
            policy=_POLICY.format(policy_of(str(style), str(script))),
            style=_STYLE.format(style),
            script=_SCRIPT.format(script),
            **values,
        )
    )


def policy_of(style: str, script: str) -> str:
    """Return the Content-Security-Policy of a page with this style sheet and this script, both inside the page.

    It allows them by their hashes: no other script, style attribute, event handler, image, frame, form or connection.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@cache
def source(name: str) -> Markup:
    """Return one of our style sheets or scripts, to insert into a page unescaped."""
    return Markup(files("harness.report").joinpath(_FOLDER, name).read_text(encoding="utf-8"))


def script_json(value: object) -> Markup:
    """Return JSON that is safe inside <script>: nothing in it can end the element or begin a comment.

    Every text is as `shown` shows it, except under the key `RAW`.
    """
    text = json.dumps(_shown_in(value), ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\x7f\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _shown_in(value: object) -> object:
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, Mapping):
        return {key: item if key == RAW else _shown_in(item) for key, item in value.items()}
    return [_shown_in(item) for item in value] if isinstance(value, (list, tuple)) else value
