"""Shuffling can be repeated by anybody in any language (notation.md, Shuffling).

`shuffle_vectors.toml` holds inputs and their results. They are compared with the engine and with a second, plain
implementation that shares no code with it.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.engine import EngineError, new_game
from bowerbird.engine.cards.pack import SINGLE_JOKER, TWO_JOKERS, pack_of
from bowerbird.engine.cards.shuffle import Stream, shuffled, stream

VECTORS = tomllib.loads((Path(__file__).parent / "shuffle_vectors.toml").read_text())


class Plain:
    """notation.md, Shuffling, word by word, with the standard library's own HMAC."""

    def __init__(self, seed: bytes, fields: list[str | int]) -> None:
        self.seed = seed
        self.message = b"bowerbird/1"
        for field in fields:
            data = str(field).encode("utf-8")
            self.message += len(data).to_bytes(4, "big") + data
        self.block = 0
        self.waiting: list[int] = []

    def word(self) -> int:
        if not self.waiting:
            digest = hmac.new(self.seed, self.message + self.block.to_bytes(8, "big"), hashlib.sha256).digest()
            self.waiting = [int.from_bytes(digest[k : k + 4], "big") for k in range(0, 32, 4)]
            self.block += 1
        return self.waiting.pop(0)

    def uniform(self, n: int) -> int:
        while True:
            word = self.word()
            if word < 2**32 - 2**32 % n:
                return word % n

    def shuffled(self, cards: list[str]) -> list[str]:
        cards = list(cards)
        for i in range(len(cards) - 1, 0, -1):
            j = self.uniform(i + 1)
            cards[i], cards[j] = cards[j], cards[i]
        return cards


@pytest.mark.parametrize("vector", VECTORS["words"], ids=lambda vector: str(vector["fields"]))
def test_words_of_a_stream(vector: dict[str, Any]) -> None:
    source = stream(bytes.fromhex(vector["seed"]), *vector["fields"])
    plain = Plain(bytes.fromhex(vector["seed"]), vector["fields"])
    assert [source.word() for _ in vector["words"]] == vector["words"]
    assert [plain.word() for _ in vector["words"]] == vector["words"]


@pytest.mark.parametrize("vector", VECTORS["uniform"], ids=lambda vector: f"{vector['fields']}-{vector['n']}")
def test_uniform_numbers(vector: dict[str, Any]) -> None:
    source = stream(bytes.fromhex(vector["seed"]), *vector["fields"])
    plain = Plain(bytes.fromhex(vector["seed"]), vector["fields"])
    n: int = vector["n"]
    assert [source.uniform(n) for _ in vector["results"]] == vector["results"]
    assert [plain.uniform(n) for _ in vector["results"]] == vector["results"]


PACKS = {
    24: pack_of(6),
    33: pack_of(8, SINGLE_JOKER),
    50: pack_of(6, TWO_JOKERS, double=True),
}


@pytest.mark.parametrize("vector", VECTORS["pack"], ids=lambda vector: f"{vector['fields']}-{vector['cards']}")
def test_shuffled_packs(vector: dict[str, Any]) -> None:
    seed = bytes.fromhex(vector["seed"])
    fields: list[str | int] = vector["fields"]
    codes = PACKS[vector["cards"]].codes
    assert " ".join(shuffled(codes, stream(seed, *fields))) == vector["shuffled"]
    assert " ".join(Plain(seed, fields).shuffled(list(codes))) == vector["shuffled"]


@given(
    st.binary(min_size=32, max_size=32),
    st.lists(st.one_of(st.text(max_size=20), st.integers(0, 10**12)), max_size=5),
    st.integers(1, 60),
)
def test_the_engine_agrees_with_the_plain_reading(seed: bytes, fields: list[str | int], size: int) -> None:
    cards = [str(card) for card in range(size)]
    assert stream(seed, *fields).shuffled(cards) == Plain(seed, fields).shuffled(cards)


@given(st.binary(min_size=32, max_size=32), st.integers(1, 2**32))
def test_uniform_agrees_with_the_plain_reading_also_where_many_words_are_refused(seed: bytes, n: int) -> None:
    source, plain = stream(seed, "u"), Plain(seed, ["u"])
    assert [source.uniform(n) for _ in range(20)] == [plain.uniform(n) for _ in range(20)]


def test_words_that_would_bias_a_shuffle_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """notation.md, Shuffling: words from 2**32 - (2**32 mod n) up are left out; for n = 3 this is 2**32 - 1."""
    words = struct.pack(">8I", 2**32 - 1, 4, 6, 0, 0, 0, 0, 0)
    monkeypatch.setattr(Stream, "_bytes_of_next_blocks", lambda self, count: words)
    assert stream(bytes(32), "a").shuffled("abc") == ["c", "a", "b"]


def test_fields_do_not_run_together() -> None:
    seed = bytes(32)
    assert stream(seed, "a", "bc").word() != stream(seed, "ab", "c").word()
    assert stream(seed, 1, 2).word() == stream(seed, "1", "2").word(), "numbers are written in decimal"


def test_a_seed_has_32_bytes() -> None:
    with pytest.raises(EngineError, match="32 bytes, this one has 3"):
        stream(b"abc", "pack")


def test_every_place_gets_every_card_equally_often() -> None:
    """A7: a uniformly random permutation (24 cards, 4,800 packs; chi-square far inside its range)."""
    seen: Counter[tuple[int, str]] = Counter()
    for k in range(4800):
        seen.update(enumerate(shuffled(PACKS[24].codes, stream(bytes(32), k))))
    expected = 4800 / 24
    chi_square = sum((seen[place, code] - expected) ** 2 / expected for place in range(24) for code in PACKS[24].codes)
    assert 400 < chi_square < 680, f"chi-square {chi_square:.0f} with 529 degrees of freedom"


def test_a_game_deals_from_its_own_fields() -> None:
    """notation.md, Shuffling: ("pack", entry, set, hand, shuffle) and ("dealer", entry, set)."""
    seed = bytes(range(32))
    game = new_game("buck", {"sweep_wins": False}, seed=seed, entry="buck-0", set_number=7)
    assert game.dealer == Plain(seed, ["dealer", "buck-0", 7]).uniform(4)
    for hand in range(3):
        while game.hand_number < hand:
            game.apply(game.legal_actions()[0])
        expected = Plain(seed, ["pack", "buck-0", 7, hand, 0]).shuffled(list(PACKS[24].codes))
        assert game.packs == (" ".join(expected),)
