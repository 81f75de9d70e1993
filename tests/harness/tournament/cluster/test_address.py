"""What --cluster may name."""

from __future__ import annotations

import pytest

from harness.tournament.errors import ClusterError
from harness.tournament.executors.cluster.address import ClusterAddress, parse_address


@pytest.mark.parametrize(
    "text",
    ["tls://scheduler:8786", "tls://10.0.0.7:1", "tcp://127.0.0.1:8786", "tcp://localhost:80", "tcp://[::1]:8786"],
)
def test_a_scheduler_is_named_by_protocol_host_and_port(text: str) -> None:
    assert parse_address(text) == ClusterAddress(text)


def test_local_names_a_number_of_workers() -> None:
    assert parse_address("local:4") == ClusterAddress("", 4)
    assert str(parse_address("local:4")) == "local:4"


@pytest.mark.parametrize(
    "text",
    ["", "local", "local:", "local:x", "scheduler:8786", "tls://scheduler", "http://a:1", "tls://a:0", "tls://a:65536"],
)
def test_everything_else_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(ClusterError, match="tls://HOST:PORT of a Dask scheduler, or local:N"):
        parse_address(text)


@pytest.mark.parametrize("text", ["local:0", "local:257"])
def test_the_number_of_local_workers_is_bounded(text: str) -> None:
    with pytest.raises(ClusterError, match="1 to 256 workers are allowed"):
        parse_address(text)


@pytest.mark.parametrize("text", ["tcp://scheduler:8786", "tcp://10.0.0.7:8786", "tcp://localhost.example.org:1"])
def test_plain_tcp_to_another_machine_needs_a_flag(text: str) -> None:
    """The seed travels, and whoever can write there runs programs."""
    with pytest.raises(ClusterError, match="allow it with --insecure-cluster"):
        parse_address(text)
    assert parse_address(text, allow_insecure=True) == ClusterAddress(text)
