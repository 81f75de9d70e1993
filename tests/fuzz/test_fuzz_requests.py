"""Requests of browsers and messages of bots: each is answered, or refused by the one error of its reader."""

from __future__ import annotations

from pathlib import Path

from google.protobuf.message import DecodeError
from hypothesis import strategies as st

from bowerbird.harness.extras.play.bot_line import says
from bowerbird.harness.extras.serve.addresses import Addresses
from bowerbird.harness.extras.serve.site import Site
from bowerbird.harness.records.text.bounded_json import load_json
from bowerbird.harness.wire import WireError, decode
from bowerbird.seat.v1 import seat_pb2, table_pb2
from tests.support.fuzz.mutation import NASTY, Fuzz, nearly
from tests.support.records.stored_runs import store_run

WORDS = st.one_of(
    st.sampled_from(("games", "bots", "pairs", "tables", "faults", "ann", "bob", "two-handed-0", "ann+bob", "0", "-1")),
    st.sampled_from([piece.decode(errors="replace") for piece in NASTY]),
    st.text(max_size=12),
)


def test_page_requests(fuzz: Fuzz[tuple[str, list[str], dict[str, str], bool]], tmp_path: Path) -> None:
    database = tmp_path / "x.db"
    run = store_run(database, variants=("two-handed",))
    site, addresses = Site(database), Addresses("")

    def check(asked: tuple[str, list[str], dict[str, str], bool]) -> None:
        of, parts, query, as_json = asked
        answer = site.answer(("runs", of, *parts), query, {}, addresses, as_json=as_json)
        assert answer.status in (200, 404, 503), answer.status
        season = site.answer(("leagues", of, *parts), query, {}, addresses, as_json=as_json)
        assert season.status in (200, 404, 503), season.status

    queries = st.dictionaries(st.sampled_from(("variant", "bot", "page")), WORDS)
    fuzz(st.tuples(st.one_of(st.just(run), WORDS), st.lists(WORDS, max_size=6), queries, st.booleans()), check)


def test_wishes_of_the_page_of_a_game(fuzz: Fuzz[bytes]) -> None:
    def check(data: bytes) -> None:
        assert not says(data, "the secret of a game")
        try:
            load_json(data)
        except ValueError:
            return

    fuzz(nearly([b'{"number": 3, "action": "play Ks"}', b'{"secret": "abc"}', b"[]"]), check)


def test_messages_of_the_protocol(fuzz: Fuzz[bytes]) -> None:
    def check(data: bytes) -> None:
        for kind in (seat_pb2.PlayRequest, seat_pb2.PlayResponse):
            try:
                kind.FromString(data)
            except DecodeError:
                continue
        try:
            opened = table_pb2.TableOpened.FromString(data)
            decode.table_constants(opened)
        except (DecodeError, WireError):
            return

    hello = seat_pb2.PlayRequest(hello=seat_pb2.Hello(protocol_versions=[1], token="x", bot_name="ada"))
    table = table_pb2.TableOpened(table_id="t", variant="euchre", seat=1)
    fuzz(nearly([hello.SerializeToString(), table.SerializeToString(), b""]), check)
