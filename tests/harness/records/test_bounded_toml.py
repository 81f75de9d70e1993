"""A stranger's TOML text costs little time and memory, and a refusal gives one reason."""

from __future__ import annotations

import pytest

from bowerbird.harness.records.text.bounded_toml import MAX_ALL_DOTS, MAX_CHARACTERS, MAX_DOTS, MAX_TABLES, load_toml


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = [", "not valid TOML: "),
        (f"a = {'[' * 5000}{']' * 5000}", "nested too deeply"),
        (f"a = {'9' * 5000}", "a number has too many digits"),
        (f"a = 0x{'f' * 5000}", "a number has too many digits"),
        ("a.b.c = 1\n" * MAX_ALL_DOTS, f"more than {MAX_ALL_DOTS:,} dots"),
        ("\n".join(f" [t{number}]" for number in range(MAX_TABLES + 1)), f"more than {MAX_TABLES:,} tables"),
        (f"x = 1\n{'a.' * (MAX_DOTS + 1)}b = 1", f"line 2 has more than {MAX_DOTS} dots"),
        ("#" * (MAX_CHARACTERS + 1), "longer than 1,048,576 characters"),
    ],
    ids=["invalid", "deep", "digits", "hex digits", "all dots", "tables", "dots", "long"],
)
def test_an_extravagant_text_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        load_toml(text)


def test_what_is_within_the_bounds_is_read() -> None:
    text = f"a = {'[' * 50}{']' * 50}\n{'b.' * MAX_DOTS}c = 1\n"
    assert set(load_toml(text.ljust(MAX_CHARACTERS))) == {"a", "b"}


def test_the_mark_before_a_text_of_some_editors_changes_nothing() -> None:
    assert load_toml("\ufeffa = 1\n") == load_toml("a = 1\n") == {"a": 1}


def test_a_key_that_is_given_twice_is_named_with_its_line() -> None:
    with pytest.raises(ValueError, match=r"^not valid TOML: line 3 defines 'sets' a second time$"):
        load_toml("[tournament]\nsets = 1\nsets = 2\n")
