"""Records for tests: a written one, arbitrary ones, and real ones that the engine played."""

from __future__ import annotations

from hypothesis import strategies as st

from bowerbird.harness.records.values.faults import FAULT_KINDS
from bowerbird.harness.records.values.game_record import (
    Conditions,
    FaultRecord,
    GameRecord,
    HandRecord,
    ResultRecord,
    SeatRecord,
    TimeControl,
)


def written() -> GameRecord:
    """Return the record of notation.md, shortened; its play has no meaning."""
    return GameRecord(
        id="4f1c9a/buck-0/greedy+pimc/12/3",
        engine="1.0.0",
        rules="1",
        variant="buck",
        options={"start": 25, "sweep_wins": True},
        first_dealer=2,
        commitment="sha256:c0ffee",
        conditions=Conditions("substitute", "sandbox", "seat", TimeControl()),
        seats=(SeatRecord("greedy", "1.0", "sha256:0a"), SeatRecord("pimc", "2.1", "sha256:0b")),
        hands=(
            HandRecord(
                dealer=2,
                packs=("As 9d Jc", "9c Td Ks"),
                actions=("3 pass", "0 order", "2 discard 9c"),
                ms=(3, 12, 0),
                forced=(2,),
                substituted=(),
                scores=(24, -1),
            ),
            HandRecord(dealer=3, packs=("Kh",), actions=(), ms=(), forced=(), substituted=(), scores=()),
        ),
        faults=(FaultRecord(1, 0, 1, "TIMEOUT", 6020, 6031, 'it said "nein"\n\x1b[2J ♠'),),
        result=ResultRecord("forfeit", (0,), (1, 2), ()),
    )


_text = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)
_count = st.integers(0, 10**12)
_ms = st.integers(0, 10**9)
_clock_ms = st.integers(0, 86_400_000)
_whole = st.integers(-(10**12), 10**12)
_counts = st.lists(_count, max_size=4).map(tuple)


@st.composite
def _hands(draw: st.DrawFn) -> HandRecord:
    actions = tuple(draw(st.lists(_text, max_size=5)))
    indices = st.sets(st.integers(0, len(actions) - 1)) if actions else st.just(set[int]())
    return HandRecord(
        dealer=draw(_count),
        packs=tuple(draw(st.lists(_text, max_size=3))),
        actions=actions,
        ms=tuple(draw(st.lists(_ms, min_size=len(actions), max_size=len(actions)))),
        forced=tuple(sorted(draw(indices))),
        substituted=tuple(sorted(draw(indices))),
        scores=tuple(draw(st.lists(_whole, max_size=7))),
    )


def records() -> st.SearchStrategy[GameRecord]:
    """Draw any values that a record can hold, sensible or not."""
    options = st.dictionaries(
        st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True), st.one_of(st.booleans(), _whole, _text), max_size=4
    )
    seats = st.lists(st.builds(SeatRecord, _text, _text, _text), max_size=7).map(tuple)
    faults = st.lists(
        st.builds(FaultRecord, _count, _count, _count, st.sampled_from(FAULT_KINDS), _ms, _ms, _text), max_size=3
    ).map(tuple)
    conditions = st.builds(
        Conditions,
        st.sampled_from(["forfeit", "substitute"]),
        st.sampled_from(["sandbox", "limits", "none"]),
        st.sampled_from(["seat", "shared", "remote"]),
        st.builds(TimeControl, _clock_ms, _clock_ms, _clock_ms),
    )
    return st.builds(
        GameRecord,
        id=_text,
        engine=_text,
        rules=_text,
        variant=_text,
        options=options,
        first_dealer=_count,
        commitment=_text,
        conditions=conditions,
        seats=seats,
        hands=st.lists(_hands(), max_size=3).map(tuple),
        faults=faults,
        result=st.builds(ResultRecord, _text, _counts, _counts, _counts),
    )
