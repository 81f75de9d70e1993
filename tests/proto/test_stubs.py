"""The committed stubs match the committed .proto files."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from types import ModuleType

from tests.support.paths import ROOT


def test_stubs_are_what_the_generator_makes(generate: ModuleType, tmp_path: Path) -> None:
    made = generate.generate(tmp_path)
    kept = sorted(path.relative_to(ROOT) for path in (ROOT / "bowerbird").glob("*/v1/*_pb2*"))
    assert made == kept, "bowerbird/*/v1 hold other stubs than proto/generate.py makes: run `make proto`"
    stale = [str(path) for path in made if (tmp_path / path).read_bytes() != (ROOT / path).read_bytes()]
    assert not stale, f"stale stubs {stale}: run `make proto`"


def test_dependency_floors_are_the_generators_versions() -> None:
    """A runtime older than the generator refuses to load the stubs (architecture.md, Trio and gRPC)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    floors = dict(line.split(">=") for line in project["dependencies"])
    grpc_stub = (ROOT / "bowerbird/seat/v1/seat_pb2_grpc.py").read_text(encoding="utf-8")
    message_stub = (ROOT / "bowerbird/seat/v1/seat_pb2.py").read_text(encoding="utf-8")
    assert [floors["grpcio"]] == re.findall(r"^GRPC_GENERATED_VERSION = '([\d.]+)'$", grpc_stub, re.M)
    assert [floors["protobuf"]] == re.findall(r"^# Protobuf Python Version: ([\d.]+)$", message_stub, re.M)
