"""Generates the Python stubs of the protocols into bowerbird/seat/v1/ and bowerbird/watch/v1/.

Run `python proto/generate.py`.

The stubs are committed; a test regenerates them and compares bytes.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from grpc_tools import protoc  # type: ignore[import-untyped]  # grpcio-tools ships no types

PROTO = Path(__file__).resolve().parent
ROOT = PROTO.parent
RELEASED = PROTO / "released.binpb"


def sources() -> list[Path]:
    """Return every .proto file of the contract, sorted by name."""
    return sorted((PROTO / "bowerbird").rglob("*.proto"))


def generate(target: Path) -> list[Path]:
    """Write stubs and their types below `target` (as bowerbird/*/v1/*). Returns their paths relative to `target`."""
    target.mkdir(parents=True, exist_ok=True)
    _protoc(sources(), _plugin("mypy"), f"--python_out={target}", f"--mypy_out=quiet:{target}")
    with_service = [path for path in sources() if "\nservice " in path.read_text(encoding="utf-8")]
    _protoc(with_service, _plugin("mypy_grpc"), f"--grpc_python_out={target}", f"--mypy_grpc_out=quiet:{target}")
    return sorted(path.relative_to(target) for path in (target / "bowerbird").glob("*/v1/*_pb2*"))


def descriptors(target: Path, *flags: str) -> None:
    """Write the descriptor set of the contract to the file `target`. Flag `--include_source_info` keeps comments."""
    _protoc(sources(), f"--descriptor_set_out={target}", *flags)


def _protoc(paths: Sequence[Path], *arguments: str) -> None:
    """Run protoc on `paths`. Raises RuntimeError with its exit code; its error message goes to stderr."""
    names = [str(path.relative_to(PROTO)) for path in paths]
    code = protoc.main(["protoc", f"-I{PROTO}", *arguments, *names])
    if code:
        raise RuntimeError(f"protoc failed with exit code {code}")


def _plugin(name: str) -> str:
    """Return the flag that makes protoc use the plugin `name` of mypy-protobuf beside this interpreter, not on PATH."""
    program = shutil.which(f"protoc-gen-{name}", path=str(Path(sys.executable).parent))
    if program is None:
        raise RuntimeError(f"protoc-gen-{name} is not beside {sys.executable}; install mypy-protobuf (make setup)")
    return f"--plugin=protoc-gen-{name}={program}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Generate the stubs and, with --release, the descriptor set that later changes are compared with."""
    parser = argparse.ArgumentParser(description="Generate the Python stubs of the protocols.")
    parser.add_argument("--release", action="store_true", help=f"also update {RELEASED.relative_to(ROOT)}")
    options = parser.parse_args(arguments)
    for path in generate(ROOT):
        print(path)
    if options.release:
        descriptors(RELEASED)
        print(RELEASED.relative_to(ROOT))


if __name__ == "__main__":
    main()
