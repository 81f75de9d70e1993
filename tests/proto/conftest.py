"""The contract as descriptors, made from the .proto files once in each test run."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from tests.support.paths import ROOT


@pytest.fixture(scope="session")
def generate() -> ModuleType:
    """Return the generator, a program beside the .proto files that does not belong to any package."""
    spec = importlib.util.spec_from_file_location("bowerbird_proto_generate", ROOT / "proto" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def contract(generate: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> FileDescriptorSet:
    """Return the contract with its comments."""
    target = tmp_path_factory.mktemp("contract") / "contract.binpb"
    generate.descriptors(target, "--include_source_info")
    return FileDescriptorSet.FromString(target.read_bytes())
