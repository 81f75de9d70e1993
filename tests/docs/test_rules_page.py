"""docs/reference/rules.md describes what the engine does: options, seats, packs, deals. Its numbers are whole."""

from __future__ import annotations

import re

import pytest

from bowerbird.engine import Option, Variant, rules_of, variant_names
from tests.support.docs.markdown import read_page
from tests.support.docs.pages import RULES, plain, rows

PAGE = read_page(RULES)
ALL = pytest.mark.parametrize("name", variant_names())


def part(number: str) -> str:
    """Return the text of a section (V12, A19) or of a number of a variant (V12.10)."""
    first = PAGE.rules[number] - 1
    head = PAGE.lines[first]
    end = r"#{1,6} |<a id=" if head.startswith("#") else r"#{1,6} |<a id=|\*\*V\d+\.\d+ "
    lines = [head]
    for line in PAGE.lines[first + 1 :]:
        if re.match(end, line):
            break
        lines.append(line)
    return "\n".join(lines)


def options_shown(number: str) -> dict[str, tuple[str, str]]:
    """Return the default and allowed values of each option in the table of this number."""
    return {plain(name): (plain(default), allowed) for name, default, allowed, _ in rows(part(number))}


def said(options: dict[str, Option]) -> dict[str, tuple[str, str]]:
    """Return the same, as the engine has it."""
    return {
        name: (str(option.default).lower() if isinstance(option.default, bool) else str(option.default), values)
        for name, option in options.items()
        if (values := str(option.allowed).replace('"', ""))
    }


def first_number(number: str) -> int:
    """Return the number that a part begins with after its title: "24: A K Q …"."""
    found = re.match(r"\*\*[^*]*\*\* (\d+)", part(number))
    assert found is not None, f"{number} begins with no number"
    return int(found.group(1))


# Options.


@ALL
def test_options_of_every_variant_are_those_of_the_engine(name: str) -> None:
    variant = rules_of(name)
    common = {option: of for option, of in variant.options.items() if option not in variant.own_options}
    assert options_shown("A19") == said(common)


@ALL
def test_options_of_a_variant_are_those_of_the_engine(name: str) -> None:
    """Each with its default and allowed values, in the same order; no other option is in the table."""
    variant = rules_of(name)
    shown = options_shown(f"{variant.section}.10")
    assert shown == said(dict(variant.own_options))
    assert list(shown) == list(variant.own_options)


def test_no_page_names_an_option_that_does_not_exist() -> None:
    """Words in backquotes with an underscore are options, values of options, or `first_dealer`."""
    known = {"first_dealer"}
    for name in variant_names():
        for option, declared in rules_of(name).options.items():
            known |= {option, *re.findall(r"\w+", str(declared.allowed))}
    named = re.findall(r"`([a-z]+(?:_[a-z]+)+)`", "\n".join(PAGE.lines))
    assert len(named) > 100
    assert set(named) <= known


# Seats, packs, deals.


@ALL
def test_list_of_variants_is_that_of_the_engine(name: str) -> None:
    variant = rules_of(name)
    [shown] = [row for row in rows("\n".join(PAGE.lines)) if row[0] == f"`{name}`" and row[-1].startswith("[V")]
    _, title, seats, sides, section = shown
    assert (title, section) == (variant.title, f"[{variant.section}](#{variant.section.lower()})")
    assert [int(number) for number in re.findall(r"\d+", seats)] == seats_allowed(variant)
    teams = variant.teams()
    assert sides == ("each for himself" if teams is None else f"{len(teams)} teams of {len(teams[0])}")
    assert any(heading.text.startswith(f"{variant.section} {name}: ") for heading in PAGE.headings)


def seats_allowed(variant: Variant) -> list[int]:
    """Return the possible numbers of seats, the default first."""
    option = variant.own_options.get("players")
    if option is None:
        return [variant.seats()]
    others = [number for number in range(2, 11) if number in option.allowed and number != option.default]
    return [variant.seats(), *others]


def test_list_of_variants_is_complete() -> None:
    shown = [plain(row[0]) for row in rows("\n".join(PAGE.lines)) if re.match(r"\[V\d+\]", row[-1])]
    assert shown == list(variant_names())


@ALL
def test_players_and_deck_of_a_section_are_those_of_the_engine(name: str) -> None:
    """Numbers 1 and 2; a section may say "As V1." or begin with an option."""
    variant = rules_of(name)
    rules = variant.rules()
    players = part(f"{variant.section}.1")
    if "As V1." in players:
        assert (rules.players, rules.teams) == (4, rules_of("euchre").teams())
    else:
        assert first_number(f"{variant.section}.1") == rules.players
    deck = re.search(r"\b(\d+)\b", part(f"{variant.section}.2").split("Deck.**")[1].replace("4 players: ", ""))
    assert deck is not None
    assert int(deck.group(1)) == rules.pack.size


@ALL
def test_deal_and_end_of_a_section_are_those_of_the_engine(name: str) -> None:
    """Numbers 4 and 9 and 1: place of the upcard, talon, points that win, points at the beginning."""
    variant = rules_of(name)
    rules = variant.rules()
    plan = rules.plans[0]
    deal = (
        part(f"{variant.section}.4").replace("last card is U", f"card {rules.pack.size} is U").replace("no talon", "")
    )
    shown = [int(number) for number in re.findall(r"card (\d+) is U", deal)]
    if shown:
        assert plan.upcard is not None
        assert shown == [plan.upcard + 1]
    for talon in re.findall(r"talon (\d+)", deal)[:1]:
        assert int(talon) == rules.pack.size - plan.dealt
    for option, number, pattern in (("target", 9, r"(?:≥|T\* =) (\d+)"), ("start", 1, r"[Ss]tart (?:at )?(\d+)")):
        if option in variant.own_options:
            found = re.search(pattern, part(f"{variant.section}.{number}"))
            assert found is not None
            assert int(found.group(1)) == variant.own_options[option].default


def arithmetic() -> list[tuple[str, dict[str, object], list[int], str, str]]:
    """Return the rows of D1 as variant, options, cards of the pack and players, cards of each hand, talon."""
    found: list[tuple[str, dict[str, object], list[int], str, str]] = []
    for names, packs, hands, _, _, talon in rows(part("D1")):
        sizes = [int(number) for number in re.findall(r"\d+", packs)]
        if names.startswith("cornish"):
            for size, left in zip(sizes, talon.split(" / "), strict=True):
                found.append(("cornish", {"pack": size}, [size, 6], hands, left))
        elif names.startswith("bid-euchre"):
            decks = names.removeprefix("bid-euchre ").split(", ")
            for deck, size, held in zip(decks, sizes, hands.split(", "), strict=True):
                found.append(("bid-euchre", {"deck": deck}, [size, 4], held, talon))
        elif "5 to 10" in names:
            for players, size in enumerate(sizes, 5):
                found.append(("dirty-clubs", {"players": players}, [size, players], f"{players}×5", "rest"))
        elif names.startswith("king"):
            for players in (3, 2):
                found.append(("king-cut-throat", {"players": players}, [*sizes, players], "3×10", talon))
        else:
            for name in names.replace(" (4)", "").split(", "):
                found.append((name, {}, [*sizes, rules_of(name).seats()], hands, talon))
    return found


@pytest.mark.parametrize(("name", "options", "numbers", "hands", "talon"), arithmetic())
def test_card_arithmetic_is_that_of_the_deal(
    name: str, options: dict[str, object], numbers: list[int], hands: str, talon: str
) -> None:
    rules = rules_of(name).rules(options)
    assert numbers == [rules.pack.size, rules.players]
    plan = rules.plans[0]
    cards = int(re.findall(r"×(\d+)", hands)[0])
    held = len(plan.hands[0](range(rules.pack.size)))
    in_rows = {"two-handed-straw-men": 8}.get(name, 0)
    assert held + in_rows == cards
    left = rules.pack.size - plan.dealt - (4 if name == "bid-102" and not dict(plan.piles).get("stock") else 0)
    assert talon == "rest" or int(talon) == left


def test_card_arithmetic_has_every_variant() -> None:
    assert {name for name, *_ in arithmetic()} == set(variant_names())


# Numbers.


def test_numbers_of_rules_run_on() -> None:
    """In every section from 1, without gaps. Rows may be in a different order from their numbers."""
    sections = [int(rules_of(name).section[1:]) for name in variant_names()]
    children: dict[str, list[int]] = {}
    for number in PAGE.rules:
        found = re.fullmatch(r"(.*?)\.?(\d+)", number)
        if found is not None:
            children.setdefault(found.group(1), []).append(int(found.group(2)))
    for parent, numbers in children.items():
        first = 0 if parent == "T" else 1
        assert sorted(numbers) == (sections if parent == "V" else list(range(first, first + len(numbers)))), parent
    assert {len(children[f"V{number}"]) for number in sections} == {12}


def test_every_section_can_be_linked() -> None:
    sections = [number for number in PAGE.rules if re.fullmatch(r"[ABDV]\d+", number)]
    assert len(sections) > 50
    assert {number.lower() for number in sections} <= PAGE.anchors


def test_every_tag_is_of_a_source_that_is_listed() -> None:
    tags = {
        tag
        for found in re.findall(r"\[([SPD][^\]]*)\]", "\n".join(PAGE.lines))
        for tag in re.findall(r"[SP]\d+", found)
    }
    listed = {row[0] for number in ("D7", "D8") for row in rows(part(number))}
    assert tags <= listed
