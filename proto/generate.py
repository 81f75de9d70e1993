"""Generates the Python stubs of the seat protocol into harness/v1/ (`python proto/generate.py`).

The stubs are committed; a test generates them anew and compares bytes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

PROTO = Path(__file__).resolve().parent
ROOT = PROTO.parent
RELEASED = PROTO / "harness" / "v1" / "released.binpb"


def sources() -> list[Path]:
    """Every .proto file of the contract, in the order of their names."""
    return sorted((PROTO / "harness").rglob("*.proto"))


def _protoc(arguments: Sequence[str]) -> None:
    """Runs protoc on all sources; raises RuntimeError with its exit code (its complaint goes to stderr)."""
    well_known = str(files("grpc_tools") / "_proto")
    names = [str(path.relative_to(PROTO)) for path in sources()]
    code = protoc.main(["protoc", f"-I{PROTO}", f"-I{well_known}", *arguments, *names])
    if code:
        raise RuntimeError(f"protoc failed with exit code {code}")


def generate(target: Path) -> list[Path]:
    """Writes stubs and their types below `target` (as harness/v1/*); returns their paths relative to it."""
    target.mkdir(parents=True, exist_ok=True)
    _protoc([f"--python_out={target}", f"--pyi_out={target}"])
    service = [name for name in sources() if "\nservice " in name.read_text(encoding="utf-8")]
    _grpc(target, service)
    return sorted(path.relative_to(target) for path in (target / "harness" / "v1").glob("*_pb2*"))


def _grpc(target: Path, services: Sequence[Path]) -> None:
    names = [str(path.relative_to(PROTO)) for path in services]
    code = protoc.main(["protoc", f"-I{PROTO}", f"--grpc_python_out={target}", *names])
    if code:
        raise RuntimeError(f"protoc failed with exit code {code}")


def descriptors(target: Path) -> None:
    """Writes the descriptor set of the contract, with comments, to the file `target`."""
    _protoc([f"--descriptor_set_out={target}", "--include_source_info"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Generates the stubs; with --release also the descriptor set that later changes are compared with."""
    parser = argparse.ArgumentParser(description="Generate the Python stubs of the seat protocol.")
    parser.add_argument("--release", action="store_true", help=f"also update {RELEASED.relative_to(ROOT)}")
    options = parser.parse_args(arguments)
    for path in generate(ROOT):
        print(path)
    if options.release:
        descriptors(RELEASED)
        print(RELEASED.relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(main())
