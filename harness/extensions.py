"""Finds what the optional parts in `harness/extras` add: commands, forms of export, and remarks on pages.

Enters: the folders of `harness/extras`, none of them known by name. Leaves: an `Extension` for each that has a module
`extension` with the constant `EXTENSION`. Such a module imports nothing else, so that `bowerbird --help` starts fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

_EXTRAS = "bowerbird.harness.extras"


@dataclass(frozen=True, slots=True)
class Extension:
    """What an optional part adds.

    Attributes:
        commands: by the heading of `bowerbird --help` under which they stand: the help line of each command. The
            command `new-bot` is `command` in the module `commands.new_bot` of the part.
        exports: forms of `bowerbird export` that write a run as a folder of files. Each is written by the function
            `write_tables` in the module of the part that is named here.
        marks: the module of the part that says something on the pages of a run; "" for none. Its `marks_of` takes the
            path of a database and a record, and returns marks of decisions; its `sections_of` takes a stored run, and
            returns sections of its report (`bowerbird.harness.report.marks`). Both return none where they have nothing
            to say, and raise StoreError.
    """

    commands: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    exports: Mapping[str, str] = field(default_factory=dict)
    marks: str = ""


@cache
def extensions() -> Mapping[str, Extension]:
    """Return what each optional part adds, by the name of its package, in alphabetical order.

    Empty if this installation was built without optional parts.
    """
    if find_spec(_EXTRAS) is None:
        return {}
    parts = (f"{_EXTRAS}.{part.name}" for part in iter_modules(import_module(_EXTRAS).__path__) if part.ispkg)
    found: dict[str, Extension] = {}
    for part in parts:
        if find_spec(f"{part}.extension") is not None:
            extension = import_module(f"{part}.extension").EXTENSION
            assert isinstance(extension, Extension)
            found[part] = extension
    return found


def markers() -> list[Any]:
    """Return the modules that say something on the pages of a run (`Extension.marks`)."""
    return [import_module(f"{part}.{one.marks}") for part, one in extensions().items() if one.marks]


def export_forms() -> list[str]:
    """Return the forms in which the optional parts write a run."""
    return [form for extension in extensions().values() for form in extension.exports]


def exporter_of(form: str) -> Callable[..., dict[str, int]]:
    """Return what writes a run in one of `export_forms`.

    It takes a stored run, a folder, the form, and what is told how many games are done of how many. It returns how
    many rows each file has, and raises StoreError, RecordError or OSError.
    """
    part, module = next((part, one.exports[form]) for part, one in extensions().items() if form in one.exports)
    written: Callable[..., dict[str, int]] = import_module(f"{part}.{module}").write_tables
    return written
