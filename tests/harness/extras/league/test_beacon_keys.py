"""What a league file says of beacons, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.extras.drand.rounds import QUICKNET, QUICKNET_ADDRESSES
from bowerbird.harness.extras.league import epoch_beacon
from bowerbird.harness.extras.league.epoch_beacon import DrandTerms
from bowerbird.harness.extras.league.league_file import parse_league
from bowerbird.harness.tournament.errors import ConfigError
from tests.support.fake_drand import FakeDrand, own_chain

LEAST = '[[variant]]\nname = "euchre"\n'


def read(text: str) -> DrandTerms | None:
    return parse_league(f"[league]\n{text}\n{LEAST}", Path("autumn.toml")).drand


def test_a_league_has_no_beacon_unless_its_file_says_so() -> None:
    assert read("") is None


def test_drand_is_quicknet_with_half_a_minute_by_default() -> None:
    assert read('beacon = "drand"') == DrandTerms(QUICKNET, QUICKNET_ADDRESSES, 30_000)
    assert all(address.startswith("https://") for address in QUICKNET_ADDRESSES)


def test_another_chain_is_described_as_a_whole() -> None:
    found = read(FakeDrand(url="http://127.0.0.1:8080").league_lines(lead="5s"))
    assert found == DrandTerms(own_chain(), ("http://127.0.0.1:8080",), 5000)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('beacon = "lottery"', "line 2, key 'beacon': got 'lottery'; must be 'drand'"),
        ('drand = { lead = "1m" }', "line 2, key 'drand': the table is for beacon = \"drand\""),
        ('beacon = "drand"\ndrand = { leads = "1m" }', "key 'leads': unknown key 'leads' in .*did you mean 'lead'"),
        ('beacon = "drand"\ndrand = { lead = "0s" }', "key 'lead': .*at least 1000ms"),
        ('beacon = "drand"\ndrand = { addresses = [] }', "add at least one"),
        ('beacon = "drand"\ndrand = { addresses = ["ftp://a"] }', "got 'ftp://a'; must be the address of a chain"),
        ('beacon = "drand"\ndrand = { period = 3 }', "'public_key' is missing; a chain other than quicknet needs"),
        (
            f'beacon = "drand"\ndrand = {{ public_key = "{"0" * 192}", genesis = 1, period = 1, '
            'addresses = ["https://a"] }',
            "must be a point of G2",
        ),
        ('beacon = "drand"\n[tournament]\nbeacon = ""', "leave out 'beacon'"),
        ('beacon = "drand"\n[tournament]\nbeacon_source = "dice"', "leave out 'beacon_source'"),
    ],
)
def test_anything_else_is_refused_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        read(text)


def test_without_the_extra_the_sentence_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epoch_beacon, "is_installed", lambda: False)
    with pytest.raises(ConfigError) as caught:
        read('beacon = "drand"')
    assert str(caught.value) == (
        "autumn.toml, line 2, key 'beacon': drand needs the extra bowerbird[beacon]; install it with: "
        "pip install 'bowerbird[beacon]'"
    )
