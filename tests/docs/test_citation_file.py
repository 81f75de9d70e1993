"""CITATION.cff says of this release what pyproject.toml says."""

from __future__ import annotations

import re
import tomllib

from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def value(key: str) -> str:
    """Return the value of a top-level key that is on one line with it."""
    [found] = re.findall(rf"^{re.escape(key)}: (.+)$", CITATION, re.MULTILINE)
    return str(found)


def test_version_and_licence_are_those_of_the_project() -> None:
    assert value("version") == PROJECT["version"]
    assert value("license") == PROJECT["license"]
    assert value("title").lower() == PROJECT["name"]


def test_required_keys_of_the_format_are_there() -> None:
    """CFF 1.2.0 requires cff-version, message, title and authors; an entity among the authors needs a name."""
    assert value("cff-version") == "1.2.0"
    assert value("message")
    assert re.search(r"^authors:\n  - name: \S", CITATION, re.MULTILINE)
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", value("date-released"))
