"""Whatever is changed in a file, it is read whole or in part, or refused in one sentence: nothing else happens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bowerbird.harness.extras.egn.errors import EgnError
from bowerbird.harness.extras.egn.fields import parse
from bowerbird.harness.extras.egn.judge import JudgedGame, judged
from bowerbird.harness.extras.egn.notation import lines_of
from bowerbird.harness.extras.egn.whole import record_of
from bowerbird.harness.extras.egn.writer import egn_of
from tests.support.records.egn_files import base
from tests.support.records.played_games import game

CARDS = ("9h", "Jd", "Xx", "Jx", "Xc", "R", "L", "B", "8c", "Nc", "9t", "qs")
CALLS = ("Pass", "Order", "s", "d", "n", "x")
VALUES: tuple[Any, ...] = (*CARDS, *CALLS, 0, 1, 3, -1, 2.0, 1.5, True, None, [], {}, "", "\x1b[31m", "1.3", ["9h"])


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container of a document with each of its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])


def changed(document: Any, rng: Random) -> Any:
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        inside, key = rng.choice(list(places(document)))
        match rng.randrange(4):
            case 0:
                del inside[key]
            case 1 if isinstance(inside, list):
                inside.insert(key, rng.choice(VALUES))
            case 2 if isinstance(inside, list) and len(inside) > 1:
                other = rng.randrange(len(inside))
                inside[key], inside[other] = inside[other], inside[key]
            case _:
                inside[key] = rng.choice(VALUES)
    return document


@settings(max_examples=800)
@given(seed=st.integers(0, 2**48))
def test_a_changed_file_is_judged_or_refused_in_one_sentence(seed: int) -> None:
    rng = Random(seed)
    document = base() if rng.random() < 0.7 else json.loads(egn_of(game("euchre", seed % 50, options={"max_hands": 3})))
    found, sentence = outcome(json.dumps(changed(document, rng)).encode())
    assert (found is None) != (sentence == "")
    assert not set("\n\x1b") & set(sentence)
    assert not any("\x1b" in line for line in (lines_of(found) if found is not None else ()))


def outcome(data: bytes) -> tuple[JudgedGame | None, str]:
    """Return the game in a file, or the sentence that refuses it."""
    try:
        found = judged(parse(data))
        if found.is_whole:
            record_of(found, "egn/0123456789abcdef", "0" * 64)
    except EgnError as error:
        return None, str(error)
    return found, ""
