"""Rounds of drand: their times, how a run names them, and their signatures."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from bowerbird.harness.extras.drand.rounds import QUICKNET, Chain, Round, is_drand, read_round
from bowerbird.harness.extras.drand.signature import is_key, is_signed, load_library
from tests.support.fake_drand import ROUND_1000 as SIGNATURE
from tests.support.fake_drand import own_chain, signature
from tests.support.paths import ROOT

ROUND_1000 = Round(QUICKNET, 1000)


def test_a_round_of_the_public_chain_has_its_signature() -> None:
    assert is_signed(ROUND_1000, SIGNATURE)
    randomness = hashlib.sha256(bytes.fromhex(SIGNATURE)).hexdigest()
    assert randomness == "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd"


@pytest.mark.usefixtures("processes")
def test_a_check_leaves_the_limit_of_recursion_as_it_was() -> None:
    """A limit that is far too high ends the process at the next deeply nested JSON."""
    program = (
        "import json, sys\n"
        "from bowerbird.harness.extras.drand.rounds import QUICKNET, Round\n"
        "from bowerbird.harness.extras.drand.signature import is_signed\n"
        f"assert is_signed(Round(QUICKNET, 1000), {SIGNATURE!r})\n"
        "try: json.loads('[' * 100_000)\n"
        "except RecursionError: print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "refused\n", (done.returncode, done.stderr[-500:])


def test_a_round_of_another_chain_has_its_signature() -> None:
    chain = own_chain()
    assert is_key(chain.public_key)
    assert is_signed(Round(chain, 7), signature(7))


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "00" * 48,
        "ff" * 48,
        f"c0{'00' * 47}",
        SIGNATURE[:-2],
        SIGNATURE.upper(),
        f"{SIGNATURE[:-1]}8",
        f"a{SIGNATURE[1:]}",
        f" {SIGNATURE[1:]}",
    ],
    ids=range(9),
)
def test_any_other_text_is_no_signature_of_it(wrong: str) -> None:
    assert not is_signed(ROUND_1000, wrong)


def test_the_signature_of_another_round_or_chain_is_none_of_it() -> None:
    assert not is_signed(Round(QUICKNET, 1001), SIGNATURE)
    assert not is_signed(Round(own_chain(), 1000), SIGNATURE)
    assert not is_signed(Round(own_chain(), 7), signature(8))
    assert not is_signed(Round(own_chain(5), 7), signature(7))


def test_a_point_outside_of_the_subgroup_is_no_signature_though_the_pairing_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise an organiser could choose among many texts for one round, and so choose the cards."""
    load_library()
    from py_ecc.bls.point_compression import compress_G1, decompress_G1
    from py_ecc.bls.typing import G1Compressed
    from py_ecc.fields import optimized_bls12_381_FQ as FQ
    from py_ecc.optimized_bls12_381.optimized_curve import add, curve_order, is_inf, is_on_curve, multiply
    from py_ecc.optimized_bls12_381.optimized_curve import b as b_of_curve

    x = FQ(4)  # a point of the curve; times the order of the group it is one whose order divides the cofactor
    y = (x**3 + FQ(4)) ** ((FQ.field_modulus + 1) // 4)
    outside = multiply((x, y, FQ(1)), curve_order)
    assert is_on_curve(outside, b_of_curve)
    assert not is_inf(outside)
    other = add(decompress_G1(G1Compressed(int(SIGNATURE, 16))), outside)
    assert is_on_curve(other, b_of_curve)
    text = f"{compress_G1(other):096x}"
    assert not is_signed(ROUND_1000, text)
    monkeypatch.setattr("py_ecc.bls.g2_primitives.subgroup_check", lambda _: True)
    assert is_signed(ROUND_1000, text), "the check of the subgroup is what refuses it"


def test_the_first_round_from_a_moment_is_not_before_it_and_the_one_before_is() -> None:
    chain = Chain(QUICKNET.public_key, 1000, 3)
    assert [chain.first_from(moment) for moment in (0, 1000, 1000.1, 1003, 1003.5, 1006)] == [1, 1, 2, 2, 3, 3]
    assert QUICKNET.moment(1000) == 1_692_803_367 + 999 * 3


def test_a_source_is_read_as_it_is_written() -> None:
    for round_ in (ROUND_1000, Round(own_chain(), 4711)):
        assert is_drand(str(round_))
        assert read_round(str(round_)) == round_
    assert str(ROUND_1000) == "drand quicknet 1000"


@pytest.mark.parametrize(
    "source",
    [
        "drand",
        "drand quicknet",
        "drand quicknet 0",
        "drand quicknet 01",
        "drand quicknet 1.5",
        "drand  quicknet 1",
        "drand quicknet 1 2",
        "drand fastnet 1",
        "drand quicknet 999999999999999999",
        f"drand {'0' * 192} 1 1",
        f"drand {QUICKNET.public_key} {QUICKNET.genesis} {QUICKNET.period} 1000",
    ],
)
def test_another_source_that_begins_with_drand_is_refused(source: str) -> None:
    assert is_drand(source)
    with pytest.raises(ValueError, match="must be a round of drand"):
        read_round(source)


def test_another_source_is_free_text() -> None:
    assert not any(map(is_drand, ("", "the lottery of 5 December", "drandom", "not drand")))


def test_a_beacon_is_number_and_signature_and_nothing_else() -> None:
    beacon = ROUND_1000.beacon(SIGNATURE)
    assert beacon == f"1000 {SIGNATURE}"
    assert ROUND_1000.signature_of(beacon) == SIGNATURE
    for wrong in (
        "",
        SIGNATURE,
        f"1001 {SIGNATURE}",
        f"1000  {SIGNATURE}",
        f"{beacon} ",
        beacon.upper(),
    ):
        assert ROUND_1000.signature_of(wrong) is None, wrong


@pytest.mark.parametrize("stored", ["2023-08-23T15:59:23.999+00:00", "2023-08-23T15:59:23.999"])
def test_a_round_comes_after_a_stored_time_only_if_it_is_later(stored: str) -> None:
    assert ROUND_1000.at == "2023-08-23 15:59:24 UTC"
    assert ROUND_1000.comes_after(stored)
    assert not ROUND_1000.comes_after(stored.replace("23.999", "24.000"))
