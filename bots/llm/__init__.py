"""A chat model as a player, behind any OpenAI-style endpoint. README.md says how to seat it.

What enters: a decision of the SDK. What leaves: a legal action, or the declared fallback, with a note of what it cost.
Open first: `player`, the bot. `consulting` asks at most twice about a decision: `request` writes the question,
`endpoint` carries it with patience, `reply` reads what comes, and `answers` the action in it.
`budget` counts what it costs, `notes` reports how it went, `masking` keeps the key out of it. `trial` is `--try`.
"""
