"""Options that bring in rules of their own (rules.md, Part O, B6, B7), each with a game in which it takes effect.

The table `RULES` is written from the rule book, not from the engine. `make_fixtures` looks for a game of each entry,
`test_fixtures.py` holds that the rule takes effect in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bowerbird.engine import THROWN_IN, Action, Game, OptionValue, new_game, rules_of

Made = Sequence[tuple[int, Action]]
"""The decisions of a game: seat, action."""


@dataclass(frozen=True)
class Rule:
    """A rule that an option brings in.

    Attributes:
        variants: the variants that have it.
        options: how it is switched on, and what makes short games with it.
        shown: whether it takes effect in a game with these decisions.
        dealt: whether it can take effect in a game that begins so.
    """

    variants: tuple[str, ...]
    options: dict[str, OptionValue]
    shown: Callable[[Game, Made], bool]
    dealt: Callable[[Game], bool] = lambda _: True


def plays_otherwise(option: str) -> Callable[[Game, Made], bool]:
    """Return whether the same cards and decisions make another game where `option` has its default."""

    def shown(game: Game, made: Made) -> bool:
        options = dict(game.rules.options)
        variant = game.rules.variant
        options[option] = rules_of(variant).options[option].default
        packs = [result.packs for result in game.results]
        packs.append(packs[-1])  # for a game that continues where this one has ended
        other = new_game(variant, options, first_dealer=game.results[0].dealer, packs=packs)
        for seat, action in made:
            if other.actor != seat or action not in other.legal_actions():
                return True
            other.apply(action)
        return other.ended != game.ended or [one.points for one in other.results] != [
            one.points for one in game.results
        ]

    return shown


def decides(*tokens: str) -> Callable[[Game, Made], bool]:
    """Return whether somebody makes a decision that begins with each of `tokens`."""
    return lambda _, made: all(any(str(action).startswith(token) for _, action in made) for token in tokens)


def thrown_in_by_claim(game: Game, made: Made) -> bool:
    """Return whether a poor hand is thrown in (B6)."""
    return decides("claim")(game, made) and any(result.ended == THROWN_IN for result in game.results)


def holds_the_five(game: Game) -> bool:
    """Return whether somebody holds both bowers, ace, king and queen of a suit."""
    fives = [{f"J{suit}", f"J{mate}", *(f"{rank}{suit}" for rank in "AKQ")} for suit, mate in ("sc", "cs", "hd", "dh")]
    hands = [set(game.rules.pack.text(hand)) for hand in game.hands]
    return any(five <= hand for five in fives for hand in hands)


def pack_of(size: int) -> Callable[[Game, Made], bool]:
    """Return whether the pack has this number of cards."""
    return lambda game, _: game.rules.pack.size == size


def turns_up_a_joker(game: Game, _: Made) -> bool:
    """Return whether the joker is turned up in some hand: it follows the four hands of five."""
    return any(result.packs[0].split()[20] == "X1" for result in game.results)


_ONE: dict[str, OptionValue] = {"max_hands": 1}
_TALON = ("three-handed", "cut-throat", "two-handed", "two-handed-dummy", "lap-slam")
_DROPPING = ("buck", "buck-turn-up", "buck-wager", "dirty-clubs")

RULES: dict[str, Rule] = {
    "rule-misdeal-nines-tens": Rule(  # B6
        ("euchre", "british"), {"misdeal": "nines_tens", **_ONE}, thrown_in_by_claim
    ),
    "rule-misdeal-ace-no-face": Rule(  # B6
        ("euchre", "british"), {"misdeal": "ace_no_face", **_ONE}, thrown_in_by_claim
    ),
    "rule-farmers-hand-clean": Rule(  # B7
        ("euchre", "british"), {"farmers_hand": "clean", **_ONE}, decides("swap", "show", "play")
    ),
    "rule-farmers-hand-mixed": Rule(  # B7
        ("euchre", "british"), {"farmers_hand": "mixed", **_ONE}, decides("swap", "show", "play")
    ),
    "rule-no-trump": Rule(("euchre",), {"name_no_trump": True, **_ONE}, decides("call nt", "play")),  # O3
    "rule-joker": Rule(("euchre",), {"joker": True, **_ONE}, turns_up_a_joker),  # O4
    "rule-call-best": Rule(("euchre", "british"), {"call_best": True, **_ONE}, decides("give", "play")),  # O5
    "rule-alone-needs-five": Rule(  # O6
        ("euchre", "british"), {"alone_needs_five": True, **_ONE}, plays_otherwise("alone_needs_five")
    ),
    "rule-alone-march-points": Rule(  # O7
        ("euchre",), {"alone_march_points": 7, **_ONE}, plays_otherwise("alone_march_points")
    ),
    "rule-slam-after-lap": Rule(  # O8
        ("euchre", "british", "railroad", "lap-slam"),
        {"slam": True, "lap": True, "slam_after_lap": True, "target": 3, "games_to_win": 3},
        plays_otherwise("slam_after_lap"),
    ),
    "rule-jamboree-listed": Rule(  # O9
        ("railroad",),
        {"jamboree": True, "jamboree_cards": "listed", **_ONE},
        plays_otherwise("jamboree_cards"),
        holds_the_five,
    ),
    "rule-pack-of-28": Rule(_TALON, {"deck": 28, **_ONE}, pack_of(28)),  # O10
    "rule-pack-of-24": Rule(  # O10
        ("two-handed", "three-handed", "cut-throat", "lap-slam"), {"deck": 24, **_ONE}, pack_of(24)
    ),
    "rule-pack-of-32": Rule(("two-handed-dummy",), {"deck": 32, **_ONE}, pack_of(32)),  # O10
    "rule-no-drop": Rule(  # O11
        _DROPPING, {"start": 15, "no_drop_at_or_below": 12, "max_hands": 3}, plays_otherwise("no_drop_at_or_below")
    ),
    "rule-sacrifice": Rule(("dirty-clubs",), {"max_bid": 8, **_ONE}, plays_otherwise("max_bid")),  # O12
    "rule-sweep-does-not-win": Rule(  # O13
        ("buck-wager",), {"sweep_wins": False, "max_hands": 2}, plays_otherwise("sweep_wins")
    ),
}
"""The rules by the name of their fixtures."""


def rules_of_variant(variant: str) -> list[str]:
    """Return the names of the rules that a variant has."""
    return [name for name, rule in RULES.items() if variant in rule.variants]
