"""commands.md, Exit codes: errors name the nearest match ("unknown variant 'bukc', did you mean 'buck'?")."""

from __future__ import annotations

import pytest

from bowerbird.engine import variant_names
from bowerbird.engine.wording import did_you_mean, listed, unknown


@pytest.mark.parametrize(
    ("name", "known", "sentence"),
    [
        ("bukc", variant_names(), "unknown variant 'bukc', did you mean 'buck'?"),
        (
            "whist",
            variant_names(),
            f"unknown variant 'whist', there are {len(variant_names())}: 'euchre', 'british', 'railroad', …",
        ),
        ("whist", ("buck", "euchre"), "unknown variant 'whist'; known are 'buck' and 'euchre'"),
        ("whist", (), "unknown variant 'whist', there is none"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_or_with_what_there_is(
    name: str, known: tuple[str, ...], sentence: str
) -> None:
    assert unknown("variant", name, known) == sentence


def test_nothing_is_meant_where_nothing_is_near() -> None:
    assert did_you_mean("x", ("buck", "euchre")) == ""


def test_words_are_listed_with_an_or() -> None:
    assert [listed(words) for words in ((), ("a",), ("a", "b", "c"))] == ["", "'a'", "'a', 'b' or 'c'"]
