"""docs/reference/notation.md is enough: what it says about tokens, shuffles and records is done here exactly as it
says.

The plain functions below are written from the page and use nothing of the engine.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from bowerbird.engine import KING, LIMIT, SHOWDOWN, SWEEP, TARGET, Action, IllegalAction, rules_of, variant_names
from bowerbird.harness.records.quoting import quote
from bowerbird.harness.records.replay import replay
from bowerbird.harness.records.text import canonical, reader, run_text
from bowerbird.harness.records.values.corrections import Correction
from bowerbird.harness.records.values.faults import FORFEIT
from bowerbird.harness.records.values.game_record import FORMAT
from bowerbird.harness.records.values.machines import Machine, MachineTotal
from bowerbird.harness.records.values.outcome import WITHDRAWN
from bowerbird.harness.records.values.placements import MatchResult, Outcome, Placement
from bowerbird.harness.records.values.run import CpuTotal, SetKey
from bowerbird.harness.records.values.voids import VoidedSet
from tests.support.docs.pages import EXAMPLE_SEED, NOTATION, plain, rows, section
from tests.support.docs.parts import part
from tests.support.engine.variant_games import positions
from tests.support.records.played_games import SEED, header
from tests.support.records.record_samples import written

TEXT = NOTATION.read_text(encoding="utf-8")


# Tokens.


def table_rows() -> list[list[str]]:
    """Return the tokens of each row of the table, in its order."""
    return [re.findall(r"`([^`]+)`", row[0]) for row in rows(section(NOTATION, "Decisions"))]


def place(action: Action, legal: tuple[Action, ...], codes: tuple[str, ...]) -> tuple[object, ...]:
    """Return where an action comes in the canonical order, as the page states it."""
    kinds = {one.kind for one in legal}
    table = [[token.split()[0] for token in row] for row in table_rows()]
    held = [(number, row.index(action.kind)) for number, row in enumerate(table) if action.kind in row]
    number, within = max(held, key=lambda one: len(kinds & set(table[one[0]])))
    return (
        number,
        within,
        action.number or 0,
        ["", "s", "h", "d", "c", "nt", "low"].index(action.suit),
        ["", "alone", "jambone"].index(action.how),
        codes.index(action.card) if action.card else -1,
        -1 if action.seat is None else action.seat,
    )


@pytest.mark.parametrize("variant", variant_names())
def test_legal_actions_stand_in_the_order_of_the_page(variant: str) -> None:
    for seed in range(3):
        for game in positions(variant, {"max_hands": 2}, Random(seed)):
            legal = game.legal_actions()
            codes = game.rules.pack.codes
            assert sorted(legal, key=lambda action: place(action, legal, codes)) == list(legal)
            assert len(set(legal)) == len(legal)


def test_examples_of_the_order_are_in_it() -> None:
    for example in re.findall(
        r"((?:`[^`]+`(?:, |,\n))+`[^`]+`)", section(NOTATION, "Order of legal actions").partition("example:")[2]
    ):
        legal = tuple(Action(token) for token in re.findall(r"`([^`]+)`", example))
        codes = rules_of("euchre").rules().pack.codes
        assert sorted(legal, key=lambda action: place(action, legal, codes)) == list(legal)


def patterns() -> str:
    [text] = re.findall(r"```text\n(pass\|.*?)```", section(NOTATION, "Decisions"), re.DOTALL)
    return "|".join(f"(?:{line})" for line in text.splitlines())


def test_tokens_of_the_table_match_the_patterns_and_are_read() -> None:
    tokens = [token for row in table_rows() for token in row]
    assert len(tokens) > 30
    for token in tokens:
        assert re.fullmatch(patterns(), token), token
        assert str(Action(token)) == token


@pytest.mark.parametrize(
    "token",
    [
        *("pass", "call nt alone", "bid 1", "bid 99", "bid 0", "bid 100", "bid 4 nt", "exchange 0", "exchange 10"),
        *("bid 4 low", "bid 4 lo", "call low", "lone 0", "lone 3 low", "lone 4", "lone", "lone 2 h alone"),
        *("play X3", "play X4", "play 1s", "discard", "give", "dictate", "order Alone", "lead 10", "lead 9", "claim "),
    ],
)
def test_patterns_allow_what_the_reader_allows(token: str) -> None:
    """But "discard" and "give" alone: that is all other seats see of them."""
    allowed = re.fullmatch(patterns(), token) is not None or token in ("discard", "give")
    try:
        Action(token)
    except IllegalAction:
        assert not allowed
    else:
        assert allowed


# Cards and shuffles.


def canonical_order(cards: list[str]) -> list[str]:
    single = [rank + suit for suit in "shdc" for rank in "AKQJT98765432" if rank + suit in cards]
    jokers = [joker for joker in ("X1", "X2", "X3", "Xr", "Xb") if joker in cards]
    return single * ((len(cards) - len(jokers)) // len(single)) + jokers


def message(fields: list[str | int], block: int) -> bytes:
    data = b"bowerbird/1"
    for field in fields:
        text = str(field).encode()
        data += len(text).to_bytes(4, "big") + text
    return data + block.to_bytes(8, "big")


def words(seed: bytes, *fields: str | int) -> Iterator[int]:
    block = 0
    while True:
        digest = hmac.digest(seed, message(list(fields), block), "sha256")
        yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))
        block += 1


def uniform(stream: Iterator[int], n: int) -> int:
    word = next(stream)
    while word >= 2**32 - 2**32 % n:
        word = next(stream)
    return word % n


def shuffled(cards: list[str], stream: Iterator[int]) -> list[str]:
    order = canonical_order(cards)
    for i in range(len(order) - 1, 0, -1):
        other = uniform(stream, i + 1)
        order[i], order[other] = order[other], order[i]
    return order


@pytest.mark.parametrize("variant", variant_names())
def test_canonical_order_of_every_pack_is_that_of_the_page(variant: str) -> None:
    sizes = [{}] if variant != "cornish" else [{"pack": 33}, {"pack": 50}]
    for options in sizes:
        codes = rules_of(variant).rules(options).pack.codes
        assert canonical_order(sorted(codes)) == list(codes)


def example() -> dict[str, str]:
    """Return the worked example by its titles; broken lines are joined."""
    lines = part(NOTATION, "shuffle").splitlines()[1:-1]
    found: dict[str, str] = {}
    for line in lines:
        if not line.startswith(" "):
            found[line.removesuffix(":")] = ""
        else:
            title = next(reversed(found))
            joint = "" if title.startswith(("message", "block", "seed")) else " "
            found[title] = (found[title] + joint + line.strip()).strip()
    return found


def test_the_worked_example_is_what_the_page_describes() -> None:
    shown = example()
    seed = bytes.fromhex(shown.pop("seed"))
    fields: list[str | int] = ["pack", "two-handed-0", 0, 0, 0]
    assert shown.pop("fields") == '"pack" "two-handed-0" 0 0 0'
    assert bytes.fromhex(shown.pop("message of block 0")) == message(fields, 0)
    assert shown.pop("block 0") == hmac.digest(seed, message(fields, 0), "sha256").hex()
    stream = words(seed, *fields)
    assert [int(word) for word in shown.pop("words").split()] == [next(stream) for _ in range(23)]
    stream = words(seed, *fields)
    drawn = [uniform(stream, n) for n in range(24, 1, -1)]
    assert [int(number) for number in shown.pop("uniform(24), uniform(23), …, uniform(2)").split()] == drawn
    cards = shown.pop("canonical order").split()
    assert cards == canonical_order(cards)
    assert shown.pop("shuffled").split() == shuffled(cards, words(seed, *fields))
    [(title, dealer)] = shown.items()
    assert title == 'fields "dealer" "two-handed-0" 0, uniform(2)'
    assert int(dealer) == uniform(words(seed, "dealer", "two-handed-0", 0), 2)


def test_fields_of_streams_are_those_of_the_table() -> None:
    """Each is used somewhere in the code with these fields, and no other stream is."""
    names = {re.findall(r'"([^"]+)"', row[0])[0] for row in rows(section(NOTATION, "Shuffling"))}
    used = set()
    for path in [*NOTATION.parents[2].glob("engine/**/*.py"), *NOTATION.parents[2].glob("harness/referee/**/*.py")]:
        text = path.read_text(encoding="utf-8")
        used |= set(re.findall(r'(?:stream\(\w+(?:\.\w+)*, |written\(|_words\(\()"([^"]+)"', text))
    assert names == used


# Records.


def record_text() -> str:
    """Return the example of a record."""
    return part(NOTATION, "record").removeprefix("```toml\n").removesuffix("```")


def test_the_example_is_a_record_that_the_reader_accepts() -> None:
    record = reader.read(record_text())
    assert canonical.canonical(record) == record_text()
    assert len(list(replay.replay(record))) == sum(len(hand.actions) for hand in record.hands)
    assert record.faults


def test_the_example_follows_from_its_seed() -> None:
    """Digest, commitment, fingerprint, dealer, packs and substituted actions, by plain Python."""
    text = record_text()
    body = text[: text.index("[integrity]\n")]
    record = tomllib.loads(text)
    assert record["integrity"]["sha256"] == hashlib.sha256(body.encode()).hexdigest()
    assert record["commitment"] == f"sha256:{hashlib.sha256(EXAMPLE_SEED).hexdigest()}"
    run, entry, _, number, _ = record["id"].split("/")
    assert run == hashlib.sha256(b"example\0" + record["commitment"].encode()).hexdigest()[:10]
    assert record["first_dealer"] == uniform(words(EXAMPLE_SEED, "dealer", entry, number), len(record["seat"]))
    for hand, played in enumerate(record["hand"]):
        for shuffle, pack in enumerate(played["packs"]):
            stream = words(EXAMPLE_SEED, "pack", entry, number, hand, shuffle)
            assert pack.split() == shuffled(pack.split(), stream)
    substitute = words(EXAMPLE_SEED, "substitute", record["id"], record["fault"][0]["seat"])
    made = 0
    for step in replay.replay(reader.read(text)):
        if step.substituted:
            assert step.legal[uniform(substitute, len(step.legal))] == step.action
            made += 1
    assert made == sum(len(hand["substituted"]) for hand in record["hand"]) > 1


def test_keys_of_a_record_are_those_of_the_page() -> None:
    shown = {
        plain(key).strip("[] ")
        for row in rows(section(NOTATION, "Record of a game")) + rows(section(NOTATION, "Results"))
        for key in row[0].split(",")
    }
    record = tomllib.loads(canonical.canonical(written()))
    keys: set[str] = set()
    for key, value in record.items():
        keys.add(key)
        for table in value if isinstance(value, list) else [value]:
            keys |= set(table) if isinstance(table, dict) and key not in ("options",) else set()
    assert keys - {"bot", "version", "fingerprint", "conditions", "integrity"} <= shown
    assert FORMAT in section(NOTATION, "Record of a game")


def test_endings_are_those_of_the_page() -> None:
    shown = {plain(row[0]) for row in rows(section(NOTATION, "Results"))} - {"ended", "winners", "ranks", "games"}
    assert shown == {TARGET, LIMIT, SWEEP, KING, SHOWDOWN, FORFEIT, WITHDRAWN}


def test_strings_are_escaped_as_the_page_says() -> None:
    """Every character of the first plane: a short form, four hex digits, or as it is; no half of a surrogate pair."""
    text = section(NOTATION, "Record of a game")
    ranges = [(int(low, 16), int(high or low, 16)) for low, high in re.findall(r"U\+(\w{4})(?: to U\+(\w{4}))?", text)]
    short = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    assert len(ranges) == 7
    for code in range(0x10000):
        if 0xD800 <= code <= 0xDFFF:
            continue
        hidden = any(low <= code <= high for low, high in ranges)
        wanted = short.get(chr(code)) or (f"\\u{code:04x}" if hidden else chr(code))
        assert quote(chr(code)) == f'"{wanted}"', hex(code)


def test_keys_of_a_run_are_those_of_the_page() -> None:
    """In the order in which they are written."""
    names = [plain(key).strip() for row in rows(section(NOTATION, "Archive of a run")) for key in row[0].split(",")]
    listed = {row[0]: re.findall(r"`(\w+)`", row[1]) for row in rows(section(NOTATION, "Archive of a run"))}
    table = tomllib.loads(run_text.run_text(WHOLE_RUN))
    assert table.pop("integrity")
    assert names == [f"[[{key}]]" if isinstance(value, list) else key for key, value in table.items()]
    for key, value in table.items():
        if isinstance(value, list):
            assert listed[f"`[[{key}]]`"] == list(value[0]), key


WHOLE_RUN = run_text.ArchivedRun(
    header=replace(header(), beacon="drand"),
    seed=SEED,
    engine="1",
    rules="1",
    started="2026-01-01T00:00:00.000+00:00",
    ended="2026-01-02T00:00:00.000+00:00",
    games=2,
    sets_after_seed=1,
    stories=1,
    label="spring",
    voids=(VoidedSet(SetKey("euchre-0", "ann+bob", 0), 0, ("ann",), "stalled", "now", 1),),
    cpu=(CpuTotal("ann", 1, 1),),
    machines=(MachineTotal(Machine("a processor", 1), 1),),
    outcome=Outcome(
        "all rounds were played",
        (Placement(1, "ann", 1.5, 0.5, 1.0, 1, "opponents had 1"),),
        (MatchResult(1, "final", "ann", "bob", 3.0, 5, "ann", "games"),),
    ),
    corrections=(
        Correction(
            *(1, "reinstate", "ann", "Anna", "a disk was full", "now", "sha256:0", SEED),
            sets=(SetKey("euchre-0", "ann+bob", 0),),
            games=1,
        ),
    ),
    notes=1,
    unpaired={1: frozenset({"ann"})},
)
"""A run that has every key."""
