"""Deal sets of King Cut-Throat, where cards are shuffled in mid-hand (rules.md V11.5.8)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.run import ResultsDigest
from bowerbird.harness.records.verify.game_checks import verify_text
from bowerbird.harness.records.verify.verification import verify_run
from tests.support.records.played_games import SEED, database, deal_set, header

RUN = header(bots=("ann", "bob"))


def test_rotations_may_meet_in_other_showdowns(tmp_path: Path) -> None:
    """ratings.md, Deal sets: every rotation has the same deals; the play decides which cards are shuffled later."""
    sets = [deal_set("king-cut-throat", number, RUN) for number in range(4)]
    later: dict[tuple[object, int], set[str]] = defaultdict(set)
    for key, games in sets:
        for game in games:
            for number, hand in enumerate(game.hands):
                later[key, number].update(" ".join(sorted(pack.split())) for pack in hand.packs[1:])
    assert any(len(packs) > 1 for packs in later.values()), "no hand of a set had two showdowns over other cards"
    with Store.create(database(tmp_path)) as store:
        with store.begin(RUN, SEED) as writer:
            for key, games in sets:
                writer.save_set(key, games, ResultsDigest("", 0))
            writer.end()
        assert [str(one) for one in verify_run(store[RUN.fingerprint])] == []


def test_the_packs_of_a_showdown_are_checked() -> None:
    """notation.md, Shuffling: two cards of the second shuffle changed places."""
    games = deal_set("king-cut-throat", 0, RUN)[1]
    game = next(game for game in games if any(len(hand.packs[-1].split()) == 12 for hand in game.hands))
    number, hand = next((k, hand) for k, hand in enumerate(game.hands) if len(hand.packs[-1].split()) == 12)
    first, second, *rest = hand.packs[-1].split()
    packs = (*hand.packs[:-1], " ".join(["As" if first != "As" else "Ks", second, *rest]))
    hands = (*game.hands[:number], replace(hand, packs=packs), *game.hands[number + 1 :])
    (found,) = verify_text(canonical(replace(game, hands=hands)))
    assert f"hand {number}" in str(found)
