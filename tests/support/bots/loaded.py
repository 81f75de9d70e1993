"""Programs that are not modules of a package, imported from their files."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType


def loaded(file: Path) -> ModuleType:
    """Import the program in `file` under a name that no other module has. Return the module."""
    spec = importlib.util.spec_from_file_location(f"{file.parent.name}_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
