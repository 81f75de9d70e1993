"""Three questions about the tables of a run: `python tables.py FOLDER`.

`bowerbird export RUN --format csv -o FOLDER` writes them. Editors that support cells (`# %%`) can run this file piece
by piece, like a notebook.
"""

# %% Read the tables, of either form
import sys
from pathlib import Path

import pandas as pd

TEXT = dict.fromkeys(("run", "lineup", "bot", "dealer_bot", "maker_bot", "version", "note"), "str")
"""Text columns that can look like numbers. pandas would read the run 12345e6789 as infinity, and 1.10 as 1.1."""


def read(folder: Path, table: str) -> pd.DataFrame:
    """Return a table from the folder, as Parquet or otherwise as CSV, in which only an empty cell is missing data."""
    parquet = folder / f"{table}.parquet"
    if parquet.exists():
        return pd.read_parquet(parquet)
    return pd.read_csv(folder / f"{table}.csv", dtype=TEXT, keep_default_na=False, na_values=[""])


# %% 1. How much is the deal worth?
def dealing(games: pd.DataFrame, hands: pd.DataFrame) -> pd.DataFrame:
    """How much is the deal worth? Points that the dealer won in a hand, by variant, with their standard error.

    Hands of one deal set share their cards, so the error is computed over the means of deal sets, not over hands.
    """
    finished = hands.dropna(subset=["dealer_points"]).merge(games[["game", "variant", "entry", "lineup", "set_number"]])
    by_variant = finished.groupby("variant")["dealer_points"].agg(hands="size", points="mean")
    sets = finished.groupby(["variant", "entry", "lineup", "set_number"])["dealer_points"].mean()
    by_variant["error"] = sets.groupby("variant").sem()
    return by_variant


# %% 2. Does it pay to go alone?
def alone(games: pd.DataFrame, hands: pd.DataFrame) -> pd.DataFrame:
    """Does it pay to go alone? The maker's points in a hand, alone and otherwise, by variant and bot."""
    made = hands.dropna(subset=["maker_points"]).merge(games[["game", "variant"]])
    made["how"] = made["how"].astype(object).fillna("ordinary")
    return made.groupby(["variant", "maker_bot", "how"])["maker_points"].agg(hands="size", points="mean")


# %% 3. How long does each bot think, and does it help?
def thinking(decisions: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """How long does each bot think, and does it help? Milliseconds for each decision, by stage, beside games won."""
    own = decisions[~decisions["forced"] & ~decisions["substituted"]]
    table = own.groupby(["bot", "stage"])["time_ms"].agg(decisions="size", mean_ms="mean").reset_index()
    won = results.assign(won=(results["rank"] == 1) & ~results["penalised"]).groupby("bot")["won"].mean()
    return table.assign(won=table["bot"].map(won)).set_index(["bot", "stage"])


# %% Print the answers
def study(folder: Path) -> None:
    """Print the three answers."""
    games, hands, decisions, results = (read(folder, name) for name in ("games", "hands", "decisions", "results"))
    answers = (
        (dealing, dealing(games, hands)),
        (alone, alone(games, hands)),
        (thinking, thinking(decisions, results)),
    )
    for question, table in answers:
        print(f"{(question.__doc__ or '').splitlines()[0]}\n\n{table.round(2).to_string()}\n")


if __name__ == "__main__":
    study(Path(sys.argv[1] if len(sys.argv) > 1 else "tables"))
