"""Finds files that hide a package of this project from Python: they have its name and come first on the path."""

from __future__ import annotations

import os
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

PACKAGES = ("bowerbird", "engine", "harness")
"""The packages of this project that the SDK imports."""


def refuse_shadows() -> None:
    """Raise ImportError, which names the file, if Python finds another file in place of a package of this project.

    The public modules call it before they import anything else of the project. An author who runs a bot under a
    debugger then reads which file to rename; a referee refuses such a bot before the run.
    """
    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    for package in PACKAGES:
        file = _source_of(package)
        if file and os.path.dirname(os.path.dirname(os.path.realpath(file))) != root:
            raise ImportError(
                f"{file} hides Bowerbird's own package {package!r}, because Python finds it first: "
                f"rename {_named(file)}",
                name=package,
                path=file,
            )


def _source_of(package: str) -> str:
    """Return the file that Python imports for `package`; "" if there is none, or a folder without `__init__.py`."""
    try:
        spec: ModuleSpec | None = find_spec(package)
    except (ImportError, ValueError):  # ValueError: a module in sys.modules that was made without a spec
        return ""
    return spec.origin or "" if spec is not None and spec.has_location else ""


def _named(file: str) -> str:
    """Return what the author has to rename, for a sentence: the file, or the folder of an `__init__.py`."""
    folder, name = os.path.split(file)
    return f"the folder {os.path.basename(folder)}" if name.startswith("__init__.") else f"the file {name}"
