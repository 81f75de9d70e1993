"""The columns of the tidy tables. The files and their reference page are made from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TEXT, INTEGER, BOOLEAN = "text", "integer", "boolean"

Cell = str | int | bool | None
Row = tuple[Cell, ...]
"""The cells of a row, in the order of its table's columns."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column. `unit` is "" if it has none. Columns that are `is_optional` may have empty cells."""

    name: str
    type: str
    meaning: str
    unit: str = ""
    is_optional: bool = False


GAME = Column("game", TEXT, "the game's id")
HAND = Column("hand", INTEGER, "the hand of the game, from 0")
EMPTY_POINTS = "more is better; empty in an unfinished hand and in matches of games"
USUAL_CLOCK = "for bots without their own clock"
MAKER = Column("maker", INTEGER, "the seat that named trump; empty if nobody did", is_optional=True)

TABLES: Mapping[str, tuple[Column, ...]] = {
    "games": (
        GAME,
        Column("run", TEXT, "the run's id"),
        Column("entry", TEXT, "the variant and its index among the entries of this variant"),
        Column("variant", TEXT, "the variant"),
        Column("options", TEXT, "every option of the variant, as a JSON object"),
        Column("lineup", TEXT, "the bots, joined by `+`"),
        Column("set_number", INTEGER, "the deal set, from 0"),
        Column("rotation", INTEGER, "the rotation of the seats, from 0"),
        Column("seats", INTEGER, "how many seats the game has"),
        Column("first_dealer", INTEGER, "the seat that deals the first hand"),
        Column("ended", TEXT, "why it ended: `target`, `max_hands`, …"),
        Column("hands", INTEGER, "finished hands"),
        Column("decisions", INTEGER, "its rows in `decisions`"),
        Column("faults", INTEGER, "how many faults it has"),
        Column("per_decision_ms", INTEGER, f"time of each decision before the bank is used, {USUAL_CLOCK}", "ms"),
        Column("bank_ms", INTEGER, f"the bank of a seat at the start, {USUAL_CLOCK}", "ms"),
    ),
    "hands": (
        GAME,
        HAND,
        Column("dealer", INTEGER, "the seat that dealt"),
        Column("dealer_bot", TEXT, "the bot at that seat"),
        MAKER,
        Column("maker_bot", TEXT, "the bot at that seat; empty if there is no maker", is_optional=True),
        Column("how", TEXT, "how the maker plays, such as `alone`; empty for ordinary play", is_optional=True),
        Column("is_finished", BOOLEAN, "whether the hand was played to its end"),
        Column("dealer_points", INTEGER, f"won by the dealer, {EMPTY_POINTS}", "points", True),
        Column("maker_points", INTEGER, f"won by the maker, {EMPTY_POINTS}", "points", True),
        Column("decisions", INTEGER, "its rows in `decisions`"),
        Column("time_ms", INTEGER, "time charged to all seats", "ms"),
    ),
    "decisions": (
        GAME,
        HAND,
        Column("step", INTEGER, "the decision of the hand, from 0"),
        Column("seat", INTEGER, "the seat that decided, from 0"),
        Column("bot", TEXT, "the bot at that seat"),
        Column("stage", TEXT, "the kind of decision: `order up`, `play`, …"),
        Column("token", TEXT, "the action, as a record writes it: `play Jc`, `order alone`"),
        Column("time_ms", INTEGER, "time charged; 0 for an action of the referee", "ms"),
        Column("legal", INTEGER, "how many actions were legal"),
        Column("forced", BOOLEAN, "whether the referee acted because only one action was legal"),
        Column("substituted", BOOLEAN, "whether the referee acted instead of a bot at fault"),
        Column("fault", TEXT, "the kind of the fault at this decision; empty without one", is_optional=True),
        Column(
            "note", TEXT, "the bot's note about it, with hidden characters escaped; empty without one", is_optional=True
        ),
    ),
    "results": (
        GAME,
        Column("seat", INTEGER, "the seat, from 0"),
        Column("bot", TEXT, "the bot at that seat"),
        Column("version", TEXT, "the version of the bot, as its author wrote it"),
        Column("side", INTEGER, "the number of its side; the seat itself in games without partners"),
        Column("rank", INTEGER, "1 is best; shared ranks are equal"),
        Column("score", INTEGER, "the score at the end", "points"),
        Column("points", INTEGER, "won over the game, more is better; empty in matches of games", "points", True),
        Column("penalised", BOOLEAN, "whether its side is at fault and loses to every other"),
        Column("decisions", INTEGER, "the number of those that the bot answered itself"),
        Column("time_ms", INTEGER, "time charged in the whole game", "ms"),
        Column("per_decision_ms", INTEGER, "by the clock of this seat", "ms"),
        Column("bank_ms", INTEGER, "by the clock of this seat", "ms"),
    ),
}
