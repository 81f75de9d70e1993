"""The protocol's own conformance tests against `bowerbird mcp --listen`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.mcp.conformance import install, outcomes, with_token
from tests.support.mcp.sdk_client import listening

FOR_ANY_SERVER = {
    "server-initialize": 1,
    "ping": 1,
    "tools-list": 1,
    "tools-call-simple-text": 1,
    "tools-call-error": 1,
    "server-sse-multiple-streams": 2,
    "resources-list": 1,
    "prompts-list": 1,
    "dns-rebinding-protection": 2,
}
"""The checks of each scenario that any server must pass.

The others call tools, resources and prompts of a server written for them, or want optional features: log messages,
completion, subscriptions.
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory, processes: None) -> Path:
    """Return a folder in which the package is installed."""
    folder = tmp_path_factory.mktemp("conformance")
    install(folder)
    return folder


@pytest.mark.long
@pytest.mark.toolchain("node", "npm")
def test_every_scenario_that_is_for_any_server_passes(bowerbird: Bowerbird, package: Path) -> None:
    arguments = ("euchre", "--isolation", "none", "--db", "x.db")
    with listening(bowerbird, *arguments) as (address, token), with_token(address, token) as reached:
        found = outcomes(package, reached)
    assert len(found) > len(FOR_ANY_SERVER)
    assert {name: found[name] for name in FOR_ANY_SERVER} == {
        name: (checks, 0) for name, checks in FOR_ANY_SERVER.items()
    }
