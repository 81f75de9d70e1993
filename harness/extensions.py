"""Finds the additions of the optional parts in `harness/extras`: commands, and anything else that core lets them offer.

Input: the folders of `harness/extras`, none of them known by name. Output: an `Extension` for each that has a module
`extension` with the constant `EXTENSION`. Such a module imports nothing else, so that `bowerbird --help` starts fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType

_EXTRAS = "bowerbird.harness.extras"


@dataclass(frozen=True, slots=True)
class Extension:
    """What an optional part adds.

    Attributes:
        commands: by their heading in `bowerbird --help`: the help line of each command. The
            command `new-bot` is `command` in the module `commands.new_bot` of the part.
        adds: by kind and by name: the module of the part that offers it. The kinds:
            "beacon": checks beacons whose source begins with this word (`records.verify.beacons.BeaconSource`);
            "beside": data that go with the archive of a run in a separate file. Its `write_beside` and `take_beside`
            take a stored run and the path of its archive, write or store the data, and return a sentence about them;
            "" if there are none. `write_beside` raises StoreError, OSError;
            "lessons": a teacher for people who play. Its `lessons_of` takes the variant, the options, the steps of a
            hand that is over and a seat, and returns a lesson for each decision of this seat (`report.marks.Lesson`),
            in the order of play; None where it has no opinion;
            "machines": machines that play or verify instead of this one (`tournament.executors.other_machines`);
            "marks": remarks on pages of a run (`report.marks`). Its `marks_of` takes the path of a database and yields
            a function that returns the marks of a record (`MarksOf`); its `sections_of` takes a stored run and returns
            sections for its report. Both return nothing if there are no remarks, and raise StoreError;
            "signatures": signed archives and the keys that vouch for runs (`records.vouching.Signatures`);
            "match": a notation of several games in one file (`records.notation.MatchNotation`);
            "notation": a notation of games (`records.notation.Notation`);
            "watch": a service for spectators of a run (`tournament.run_watch.WatchServer`);
            "tables": a form of `bowerbird export` that writes a run as a folder of files. Its function `write_tables`
            takes a stored run, a folder, the form, and a callback for the numbers of games. It returns how
            many rows each file has, and raises StoreError, RecordError or OSError.
        libraries: the modules that the part needs; `pip install 'bowerbird[NAME]'` installs them, where NAME is its
            folder.
    """

    commands: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    adds: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    libraries: tuple[str, ...] = ()


@cache
def extensions() -> Mapping[str, Extension]:
    """Return the additions of each optional part, by the name of its package, in alphabetical order.

    There are none if this installation was built without optional parts.
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


def offered(kind: str) -> Mapping[str, str]:
    """Return the modules of a kind that the optional parts offer, by name."""
    return {
        name: f"{part}.{module}"
        for part, extension in extensions().items()
        for name, module in extension.adds.get(kind, {}).items()
    }


def offer(kind: str, name: str) -> ModuleType:
    """Return the module of a kind with this name. Raises KeyError if there is none."""
    return import_module(offered(kind)[name])


def offers(kind: str) -> list[ModuleType]:
    """Return all modules of a kind that are offered."""
    return [offer(kind, name) for name in offered(kind)]
