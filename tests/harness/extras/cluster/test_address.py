"""Which addresses of a cluster are allowed; each refusal is one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.extras.cluster.address import MOST_LOCAL_WORKERS, ClusterOptions, parse_address
from bowerbird.harness.tournament.errors import MachinesError


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"])
def test_plain_tcp_is_allowed_on_this_machine(host: str) -> None:
    address = parse_address(f"tcp://{host}:8786")
    assert str(address) == f"tcp://{host}:8786"
    assert not address.is_encrypted


@pytest.mark.parametrize("host", ["10.0.0.1", "scheduler", "[2001:db8::1]", "localhost.example.org"])
def test_plain_tcp_to_another_machine_needs_a_word(host: str) -> None:
    with pytest.raises(MachinesError, match=r"^cluster .* over plain TCP.* allow it with --insecure-cluster$"):
        parse_address(f"tcp://{host}:8786")
    assert str(parse_address(f"tcp://{host}:8786", allow_insecure=True)) == f"tcp://{host}:8786"


def test_tls_is_allowed_everywhere() -> None:
    assert parse_address("tls://scheduler.example.org:8786").is_encrypted


@pytest.mark.parametrize(
    "text",
    ["", "scheduler:8786", "http://scheduler:8786", "tls://scheduler", "tls://scheduler:0", "tls://a:65536", "local"],
)
def test_what_is_no_address_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(MachinesError, match=r"^cluster .*: must be tls://HOST:PORT"):
        parse_address(text)


def test_local_workers_are_counted_within_bounds() -> None:
    assert parse_address(f"local:{MOST_LOCAL_WORKERS}").local_workers == MOST_LOCAL_WORKERS
    for number in (0, MOST_LOCAL_WORKERS + 1):
        with pytest.raises(MachinesError, match=f"^cluster local:{number}: must be 1 to {MOST_LOCAL_WORKERS} workers"):
            parse_address(f"local:{number}")


@pytest.mark.parametrize("text", ["tcp://127.0.0.1:8786", "local:2"])
def test_certificates_are_refused_where_they_would_not_be_used(text: str) -> None:
    with pytest.raises(MachinesError, match=r"^cluster .*: --cluster-tls is only for tls://$"):
        ClusterOptions(parse_address(text), Path("certificates"))
