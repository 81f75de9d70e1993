"""The record's text: one form, read back without loss; any other form is refused (notation.md, Record of a game)."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bowerbird.harness.records.text.canonical import canonical, differing_line
from bowerbird.harness.records.text.reader import ReadError, read
from bowerbird.harness.records.values.game_record import FaultRecord, GameRecord, HandRecord, ResultRecord, TimeControl
from tests.support.records import record_samples as samples

SAMPLE = samples.written()


def resealed(text: str) -> str:
    """Return the text with a digest that fits its present content."""
    body = text[: text.rindex("[integrity]")]
    return f'{body}[integrity]\nsha256 = "{hashlib.sha256(body.encode()).hexdigest()}"\n'


def test_the_text_is_that_of_the_notation_page() -> None:
    expected = """\
format = "bowerbird-record/1"
id = "4f1c9a/buck-0/greedy+pimc/12/3"
engine = "1.0.0"
rules = "1"
variant = "buck"
options = { start = 25, sweep_wins = true }
first_dealer = 2
commitment = "sha256:c0ffee"

[conditions]
on_fault = "substitute"
isolation = "sandbox"
instances = "seat"
time = { per_decision_ms = 1000, bank_ms = 5000, increment_ms = 0 }

[[seat]]
bot = "greedy"
version = "1.0"
fingerprint = "sha256:0a"

[[seat]]
bot = "pimc"
version = "2.1"
fingerprint = "sha256:0b"

[[hand]]
dealer = 2
packs = ["As 9d Jc", "9c Td Ks"]
actions = ["3 pass", "0 order", "2 discard 9c"]
ms = [3, 12, 0]
forced = [2]
substituted = []
scores = [24, -1]

[[hand]]
dealer = 3
packs = ["Kh"]
actions = []
ms = []
forced = []
substituted = []

[[fault]]
hand = 1
action = 0
seat = 1
kind = "TIMEOUT"
limit_ms = 6020
elapsed_ms = 6031
detail = "it said \\"nein\\"\\n\\u001b[2J ♠"

[result]
ended = "forfeit"
winners = [0]
ranks = [1, 2]
games = []

"""
    digest = hashlib.sha256(expected.encode()).hexdigest()
    assert canonical(SAMPLE) == f'{expected}[integrity]\nsha256 = "{digest}"\n'


def test_the_text_is_toml_that_says_what_the_record_says() -> None:
    table = tomllib.loads(canonical(SAMPLE))
    assert table["options"] == dict(SAMPLE.options)
    assert table["hand"][0]["actions"] == list(SAMPLE.hands[0].actions)
    assert "scores" not in table["hand"][1], "a hand that was not finished has no scores"
    assert table["fault"][0]["detail"] == SAMPLE.faults[0].detail


def test_the_order_in_which_options_were_put_in_does_not_matter() -> None:
    turned = replace(SAMPLE, options=dict(reversed(list(SAMPLE.options.items()))))
    assert canonical(turned) == canonical(SAMPLE)


def test_start_up_and_margin_are_no_part_of_a_record() -> None:
    patient = replace(SAMPLE.conditions, time=TimeControl(startup_ms=99, margin_ms=99))
    assert canonical(replace(SAMPLE, conditions=patient)) == canonical(SAMPLE)
    assert read(canonical(replace(SAMPLE, conditions=patient))) == replace(SAMPLE, conditions=patient)


@given(samples.records())
@settings(max_examples=150)
def test_reading_gives_back_what_was_written(record: GameRecord) -> None:
    text = canonical(record)
    assert read(text) == record
    assert read(text.encode()) == record
    assert canonical(read(text)) == text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
@example('\x00\x1b[31m\x7f\x85\u2028\u202e\ufeff\\ " \b\t\n\f\r \U0001f0a1')
@settings(max_examples=200)
def test_any_text_can_be_the_detail_of_a_fault(detail: str) -> None:
    record = replace(SAMPLE, faults=(replace(SAMPLE.faults[0], detail=detail),))
    text = canonical(record)
    assert read(text).faults[0].detail == detail
    assert tomllib.loads(text)["fault"][0]["detail"] == detail
    assert not any(ord(character) < 32 and character != "\n" for character in text)


def test_half_a_surrogate_pair_becomes_the_replacement_character() -> None:
    record = replace(SAMPLE, faults=(replace(SAMPLE.faults[0], detail="a\ud800b"),))
    assert read(canonical(record)).faults[0].detail == "a\ufffdb"


@given(st.data())
@settings(max_examples=400)
def test_damage_of_one_byte_anywhere_is_refused(data: st.DataObject) -> None:
    """notation.md, Record of a game: the digest reveals damage."""
    whole = canonical(SAMPLE).encode()
    at = data.draw(st.integers(0, len(whole) - 1), label="position")
    value = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole[at]), label="byte")
    with pytest.raises(ReadError):
        read(whole[:at] + bytes([value]) + whole[at + 1 :])


@pytest.mark.parametrize("bit", range(8))
def test_a_turned_bit_anywhere_is_refused(bit: int) -> None:
    whole = canonical(SAMPLE).encode()
    for at in range(len(whole)):
        with pytest.raises(ReadError):
            read(whole[:at] + bytes([whole[at] ^ (1 << bit)]) + whole[at + 1 :])


@pytest.mark.parametrize("cut", [1, 2, 60, 200])
def test_a_text_that_was_cut_off_is_refused(cut: int) -> None:
    with pytest.raises(ReadError):
        read(canonical(SAMPLE)[:-cut])


def test_a_digest_that_does_not_hold_names_the_game() -> None:
    text = canonical(SAMPLE).replace("scores = [24, -1]", "scores = [23, -1]")
    with pytest.raises(ReadError, match=r"4f1c9a/buck-0/greedy\+pimc/12/3.*digest does not match") as refusal:
        read(text)
    assert refusal.value.line == len(text.splitlines())


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ('format = "bowerbird-record/1"', 'format = "bowerbird-record/2"', 1, "one of bowerbird-record/1"),
        ('variant = "buck"', 'variannt = "buck"', 5, "unknown key 'variannt', did you mean 'variant'?"),
        ('engine = "1.0.0"\nrules = "1"', 'rules = "1"\nengine = "1.0.0"', 3, "'rules' is where 'engine' must be"),
        ("first_dealer = 2", 'first_dealer = "2"', 7, "'first_dealer' must be a whole number"),
        ("first_dealer = 2", "first_dealer = -2", 7, "0 or more"),
        ("first_dealer = 2", "first_dealer = true", 7, "'first_dealer' must be a whole number"),
        ("start = 25", "start = 25.0", 6, "'options' must be an inline table"),
        ("start = 25,", "start = 25, start = 25,", 6, "each key once"),
        ('on_fault = "substitute"', 'on_fault = "ignore"', 11, "one of forfeit, substitute"),
        ("bank_ms = 5000, ", "", 14, "'time' must be"),
        ("ms = [3, 12, 0]", "ms = [3, 12]", 30, "2 times in 'ms' for 3 actions"),
        ("forced = [2]", "forced = [3]", 31, "names action 3 of 3"),
        ("forced = [2]", "forced = [2, 1]", 31, "ascending"),
        ("forced = [2]", "forced = [ 2]", 31, "a list of whole numbers"),
        ('kind = "TIMEOUT"', 'kind = "SLEEPY"', 47, "one of ILLEGAL, TIMEOUT"),
        ('actions = ["3 pass"', 'actions = ["3\\u0020pass"', 29, "not the canonical form"),
        ('detail = "it', 'detail = "\\q it', 50, "a string in double quotes"),
        ("\n[result]", "\n[outcome]", 52, r"is where the table \[result\] must be"),
        ("\n[result]", "[result]", 51, "must be"),
        ("games = []\n", "games = []\nmood = 1\n", 57, "unknown key 'mood'"),
        ("options = { start = 25, sweep_wins = true }", "options = { sweep_wins = true, start = 25 }", 6, "canonical"),
    ],
)
def test_what_is_not_known_is_refused_with_line_and_reason(old: str, new: str, line: int, reason: str) -> None:
    text = canonical(SAMPLE)
    assert text.count(old) == 1, f"the test's own text is wrong: {old!r}"
    with pytest.raises(ReadError, match=reason) as refusal:
        read(resealed(text.replace(old, new)))
    assert refusal.value.line == line
    assert refusal.value.game == SAMPLE.id


@pytest.mark.parametrize("text", ["", "\n", "x", "[integrity]", 'format = "bowerbird-record/1"', "[" * 100_000])
def test_what_is_no_record_at_all_is_refused(text: str) -> None:
    with pytest.raises(ReadError, match="line 1"):
        read(text)


def test_other_line_ends_are_refused() -> None:
    with pytest.raises(ReadError, match="line 1"):
        read(canonical(SAMPLE).replace("\n", "\r\n"))


def test_bytes_that_are_no_utf8_are_refused_with_their_line() -> None:
    with pytest.raises(ReadError, match="0xff") as refusal:
        read(canonical(SAMPLE).encode().replace(b'engine = "1', b'engine = "\xff'))
    assert refusal.value.line == 3


def test_more_after_the_end_is_refused() -> None:
    with pytest.raises(ReadError, match="ends with the line of its digest"):
        read(canonical(SAMPLE) + "\n")


def test_a_game_without_a_hand_can_be_written_and_read() -> None:
    record = replace(
        SAMPLE,
        hands=(),
        faults=(FaultRecord(0, 0, 1, "NEVER_STARTED", 0, 0, ""),),
        result=ResultRecord("withdrawn", (0,), (1, 2), ()),
    )
    assert read(canonical(record)) == record
    assert record.scores == ()


def test_scores_are_those_of_the_last_finished_hand() -> None:
    assert SAMPLE.scores == (24, -1)
    assert replace(SAMPLE, hands=(HandRecord(0, ("As",), (), (), (), (), ()),)).scores == ()


@pytest.mark.parametrize(("text", "other", "line"), [("a\nb\n", "a\nc\n", 2), ("a", "a\nb", 2), ("a\nb\nc", "a\nb", 3)])
def test_the_first_line_that_differs_is_found_also_after_the_end_of_the_shorter_text(
    text: str, other: str, line: int
) -> None:
    assert differing_line(text, other) == line
