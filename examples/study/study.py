"""Three questions about recorded games, answered with pandas: `python study.py [DATABASE] [RUN]`."""

import sys

import pandas as pd

from bowerbird.records import Database, GameRecord, open_database, replay


def places(seats: pd.DataFrame) -> pd.DataFrame:
    """Does the seat matter? The share of games won and mean points, by bot and seat."""
    won = seats.assign(won=(seats["rank"] == 1) & ~seats["penalised"])
    return won.groupby(["bot", "seat"]).agg(games=("won", "size"), won=("won", "mean"), points=("points", "mean"))


def makers(hands: pd.DataFrame) -> pd.DataFrame:
    """How often do makers score, with a partner and alone? The share of hands, and mean points for the maker."""
    return hands.groupby(["bot", "how"]).agg(hands=("made", "size"), made=("made", "mean"), points=("points", "mean"))


def thinking(decisions: pd.DataFrame) -> pd.DataFrame:
    """How long does a bot think, by kind of decision? Milliseconds, without forced decisions."""
    times = decisions[~decisions["forced"]].groupby(["bot", "kind"])["ms"]
    return times.agg(decisions="size", mean="mean", p99=lambda ms: ms.quantile(0.99))


def hands_of(record: GameRecord) -> list[dict[str, object]]:
    """Return one row for each finished hand with a maker, from the last step of the hand."""
    rows = []
    for step in replay(record):
        if step.is_within_hand or step.before.maker is None:
            continue
        maker = step.before.maker
        points = step.after.scores[maker] - step.before.scores[maker]
        how = step.before.how or "with partner"
        rows.append({"bot": record.seats[maker].bot, "how": how, "points": points, "made": points > 0})
    return rows


def decisions_of(record: GameRecord) -> list[dict[str, object]]:
    """Return one row for each decision."""
    return [
        {"bot": record.seats[step.seat].bot, "kind": step.action.kind, "ms": step.ms, "forced": step.forced}
        for step in replay(record)
    ]


def study(database: Database, run: str | None) -> None:
    """Print the answers for one run; None means the latest."""
    seats = pd.DataFrame(database.seat_results(run))
    records = list(database.records(run))
    hands = pd.DataFrame([row for record in records for row in hands_of(record)])
    decisions = pd.DataFrame([row for record in records for row in decisions_of(record)])
    for answer, table in ((places, seats), (makers, hands), (thinking, decisions)):
        print(f"{answer.__doc__}\n\n{answer(table).round(2).to_string()}\n")


if __name__ == "__main__":
    with open_database(sys.argv[1] if len(sys.argv) > 1 else "results/bowerbird.db") as opened:
        study(opened, sys.argv[2] if len(sys.argv) > 2 else None)
