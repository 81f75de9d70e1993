"""The meanings of the terms in the standings, used in the terminal (`--explain`) and in the report's tooltips."""

from __future__ import annotations

from bowerbird.harness.ratings.bradley_terry.fit import ANCHOR

WORDS: dict[str, str] = {
    "#": "The ranks that the bot can have: 1–3 means that no bot is settled above it, and all but two of the "
    "others are settled below it. Two bots whose ranks overlap are not told apart, whatever their order. At most 5% "
    "of tables have a wrong interval. If results chose the pairs it is -, because ratings would claim too much.",
    "Elo": "The rating of record, fitted to all complete deal sets at once. 400 points are odds of ten to one.",
    "95%": "The interval that contains the true value in 95 of 100 such runs. "
    "Two intervals can overlap even if the difference is settled.",
    ">": "After a perfect score the interval has one end: '> 612' means that the rating is above 612 at this level. "
    "'< 638' is the same for a bot that lost everything. The number beside it is a cautious estimate.",
    "±": "Half of a 95% interval, everywhere.",
    "LOS": "Likelihood of superiority: how likely it is that this bot is stronger than the bot in the next row. "
    "It uses the distribution of the interval, for this pair alone: even 99% may be undecided, since all pairs of a "
    "table are tested at once. --full has it for every pair.",
    "estimate": "The rating in a variant, drawn towards the bot's mean over all variants as far as the variants agree. "
    "With few deal sets it is closer to the truth than Elo. It is never used for ranks.",
    "points/deal": "Points per deal above the table's mean, in the direction that is better in the variant.",
    "won-drawn-lost": "Pairs: at each table, each bot on another side is one opponent.",
    "score": "The share of these pairs that the bot won; a draw counts half.",
    "games": "Games of the bot.",
    "decisions": "Decisions that the bot was asked for and answered itself.",
    "p50 ms": "Time charged for a decision, in milliseconds: the median.",
    "p99 ms": "Time charged for a decision, in milliseconds: 99 of 100 took no longer.",
    "faults": "Faults of the bot by kind. A side with a fault loses to every side without one.",
    "mean": "The weighted mean of the ratings in these variants. Weights are 1 unless the tournament file sets them.",
    "random effects": "The mean over variants like these, of which the ones played are a sample. "
    "Its interval includes the spread from variant to variant.",
    "tau": "How much the bot's strength differs from variant to variant, in Elo: a standard deviation.",
    "variants": "How many variants the bot played.",
    "norm.": "Normalised Elo against the field: the mean result in standard deviations of a game. "
    "Luck compresses Elo but not normalised Elo, so variants can be compared.",
    "anchor": f"The bot that is fixed at 0, which is {ANCHOR} if it played and did not win or lose everything. "
    "Otherwise the mean of some bots is 0. Each table has its own zero, so a rating may differ between tables. "
    "Differences within a table do not depend on it.",
    "not decided": "Bots that are not told apart from the next one, and roughly how many more deal sets would do "
    "that if the difference is as estimated. Withdrawn bots are left out.",
    "flagged": "A bot did better against another one than both bots' other results predict. 'not 48% ± 9%' is "
    "the interval of 95% of honest results. Look at their games. A flag does not change ratings or accuse anybody. At "
    "most 5% of tables of honest bots have a flagged pair.",
    "deal set": "The same packs, played once by one line-up in every rotation of the seats. All counts and "
    "forecasts are in deal sets. For errors, everything that shares packs, even across line-ups, is one observation.",
    "rated apart": "Results with different options or time controls, or of single hands and whole games, "
    "are never rated together. For each variant the scope with the most deal sets is shown.",
    "place": "The place in the competition: by the score, or in a knockout or Swiss by the matches. It always stands. "
    "The rank comes from the ratings, which take the luck of the deals into account and may disagree. "
    "Rows are in the order of the ratings if there are ranks.",
}
"""The terms in the order of the tables' columns, then terms used in the sentences below the tables."""
