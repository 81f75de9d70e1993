"""The outcome of a run: why it stopped, and the places and matches of a format that pairs bots (knockout, Swiss).

The ratings of record follow from the games alone. An outcome also depends on the seeds, the order of the rounds and the
time limit, so it is stored with its run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bowerbird.engine import stream
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.run import wrong_name

GAMES, EXTRA_SETS, BETTER_SEED, BYE, TIE = "games", "extra sets", "better seed", "bye", "tie"
WALKOVER, ANNULLED = "walkover", "annulled"
DECISIONS = (GAMES, EXTRA_SETS, BETTER_SEED, BYE, TIE, WALKOVER, ANNULLED)
"""The ways to decide a match: by its games, by extra deal sets, for the better seed, without a game, or not at all.

If a bot is withdrawn before the match is over, its opponent gets a walkover, no matter who won the games played. In an
annulled match of a knockout, the bot that advanced has games that no longer count.
"""

LONGEST_SENTENCE = 1000
"""The most characters of a remark, a title, or the reason why a run stopped."""

MOST_GAMES = 10**12
"""The most games of a match, and the most points: far more than any run reaches."""


def _sentence(text: object, what: str) -> None:
    """Raise ValueError unless `text` is one line of at most LONGEST_SENTENCE characters that is safe on a terminal."""
    if not isinstance(text, str) or len(text) > LONGEST_SENTENCE or shown(text) != text:
        raise ValueError(f"{what} is one line of at most {LONGEST_SENTENCE} characters")


def _name(name: object) -> None:
    if wrong := wrong_name(name) if isinstance(name, str) else "the name of a bot is a text":
        raise ValueError(wrong)


def _whole(value: object, what: str, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MOST_GAMES:
        raise ValueError(f"{what} is a whole number from {least}, not {shown(str(value), 40)}")


def _number(value: object, what: str, most: float = float(MOST_GAMES)) -> None:
    """Raise ValueError unless a value is None or a finite number from 0 to `most`."""
    if value is None:
        return
    if not isinstance(value, int | float) or isinstance(value, bool) or not (0 <= value <= most):  # false for NaN
        raise ValueError(f"{what} is a number from 0 to {most:g}, not {shown(str(value), 40)}")


@dataclass(frozen=True, slots=True)
class Placement:
    """The final place of a bot, in a format with its own places.

    place: from 1; equal bots share one.
    points: matches won, a tied match counting a half; None if the format does not count points. share: the share of
        games won in its matches, 0 to 1, which breaks ties of `points`; also None then. opponents: the sum of its
        opponents' points, which breaks ties of `share`; also None then.
    byes: the number of rounds that it sat out; each counts as a match won with half of its games.
    remark: for people: "lost the final".

    Raises ValueError, with a sentence for people, for values that no run has.
    """

    place: int
    bot: str
    points: float | None = None
    share: float | None = None
    opponents: float | None = None
    byes: int = 0
    remark: str = ""

    def __post_init__(self) -> None:
        """Check the values."""
        _whole(self.place, "a place", 1)
        _name(self.bot)
        _number(self.points, "points")
        _number(self.share, "a share of games", most=1.0)
        _number(self.opponents, "the points of opponents")
        _whole(self.byes, "a number of byes", 0)
        _sentence(self.remark, "a remark")


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match of two bots, or a bye.

    In a knockout the matches of a round are in the order of the bracket: the winners of matches 0 and 1 of a round
    meet in match 0 of the next one, those of matches 2 and 3 in match 1, and so on.

    round: from 1. The extra deal sets of a tied match belong to its round.
    title: the title of the round: "semi-finals", "round 2 of 5".
    bot, opponent: in the order of the file; `opponent` is "" in a bye.
    won: games won by `bot`, a tied game counting a half. `opponent` won the others.
    games: all games played in the match, including extra deal sets; 0 in a bye, or if all its sets were left out. Runs
        of store version 11 and older also count games that a withdrawn bot missed.
    winner: the bot that won the match or advanced; "" for a tied match in a format that counts points.
    decided_by: one of DECISIONS.

    Raises ValueError, with a sentence for people, for values that no run has.
    """

    round: int
    title: str
    bot: str
    opponent: str
    won: float
    games: int
    winner: str
    decided_by: str

    def __post_init__(self) -> None:
        """Check the values, and that the winner agrees with the games."""
        _whole(self.round, "the number of a round", 1)
        _sentence(self.title, "the title of a round")
        _name(self.bot)
        _whole(self.games, "a number of games", 0)
        _number(self.won, "games won", most=float(self.games))
        if self.decided_by not in DECISIONS:
            raise ValueError(
                f"a match is decided by one of {', '.join(DECISIONS)}, not by {shown(str(self.decided_by), 40)!r}"
            )
        if self.is_bye:
            if self.decided_by != BYE or self.winner != self.bot or self.games:
                raise ValueError(
                    f"the bye of {self.bot} is wrong: it must have no opponent and no games, and {self.bot} must win"
                )
            return
        _name(self.opponent)
        if self.opponent == self.bot:
            raise ValueError(f"{self.bot} plays a match against itself")
        if self.winner != _winner(self):
            raise ValueError(
                f"the match between {self.bot} and {self.opponent} is won by {shown(str(self.winner), 40) or 'nobody'} "
                f"(decided by: {self.decided_by}) with {self.won:g} of {self.games} games for {self.bot}"
            )

    @property
    def is_bye(self) -> bool:
        """True if `bot` sat the round out."""
        return self.opponent == ""

    @property
    def lost(self) -> float:
        """The games that `opponent` won."""
        return self.games - self.won


def _winner(match: MatchResult) -> str | None:
    """Return the bot that wins a match with these games and this kind of decision; None if that is impossible."""
    lead = 2 * match.won - match.games
    if match.decided_by in (GAMES, EXTRA_SETS) and lead:
        return match.bot if lead > 0 else match.opponent
    if match.decided_by in (WALKOVER, ANNULLED) and match.winner in (match.bot, match.opponent):
        return match.winner
    if match.decided_by == BETTER_SEED and not lead and match.winner in (match.bot, match.opponent):
        return match.winner
    return "" if match.decided_by == TIE and not lead else None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a run.

    reason: why it stopped, if that depended on results or time; else "".
    places: best first; empty if the ratings alone rank the bots.
    matches: the matches, round by round, of a format that pairs bots; else empty.
    """

    reason: str = ""
    places: tuple[Placement, ...] = ()
    matches: tuple[MatchResult, ...] = ()

    def __post_init__(self) -> None:
        """Check the reason. Raises ValueError."""
        _sentence(self.reason, "the reason why a run stopped")


OPEN = Outcome()
"""The outcome of a run that is not complete, or in which the games alone decide."""


def without_disqualified(reached: Mapping[str, int], disqualified: Collection[str]) -> dict[str, int]:
    """Return the places of a bracket once the games of `disqualified` bots are annulled.

    These bots share the last place, and each other bot moves up past those that were ahead of it.

    reached: the place that each bot reached.
    """
    out = [place for bot, place in reached.items() if bot in disqualified]
    last = len(reached) - len(out) + 1
    return {
        bot: last if bot in disqualified else place - sum(other < place for other in out)
        for bot, place in reached.items()
    }


SHARED_PLACE, LOT = "shared", "lot"
"""The ways to place bots with equal results: they share a place, or a lot drawn from the run's seed decides."""


def by_lot(places: Mapping[str, int], bots: Sequence[str], seed: bytes) -> dict[str, int]:
    """Return places without ties: a lot decides between bots that share a place.

    bots: all bots of the run, in its order.
    seed: the seed of the run's deals (`values.run.deal_seed`), committed to before the first card.
    """
    lot = stream(seed, "places").shuffled(list(bots))
    in_order = sorted(places, key=lambda bot: (places[bot], lot.index(bot)))
    return {bot: number for number, bot in enumerate(in_order, 1)}


def wrong_outcome(outcome: Outcome, entered: Collection[str]) -> str:
    """Return a sentence about anything impossible in a run's places and matches; "" if they are possible.

    entered: the names of the run's bots.
    """
    places, matches = outcome.places, outcome.matches
    strangers = {bot for bot in _bots_of(places, matches) if bot not in entered}
    if strangers:
        return f"{min(strangers)!r} has a place or a match but is not one of the run's bots"
    if len({place.bot for place in places}) < len(places):
        return "a bot has two places"
    above = 0
    for number, one in enumerate(places, 1):
        if one.place not in (above, number):
            return f"the places are not in order: {one.bot} has place {one.place} as number {number} of the table"
        above = one.place
    rounds = [match.round for match in matches]
    if rounds != sorted(rounds) or set(rounds) != set(range(1, len(set(rounds)) + 1)):
        return "the matches are not in the order of their rounds, from round 1"
    seen = [(match.round, bot) for match in matches for bot in (match.bot, match.opponent) if bot]
    if len(set(seen)) < len(seen):
        return "a bot has two matches in one round"
    return ""


def _bots_of(places: Iterable[Placement], matches: Iterable[MatchResult]) -> Iterator[str]:
    for place in places:
        yield place.bot
    for match in matches:
        yield match.bot
        if match.opponent:
            yield match.opponent
