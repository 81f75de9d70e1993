"""A chat model as a player, behind any endpoint of OpenAI's form. README.md says how to seat it.

What enters: a decision of the SDK. What leaves: a legal action, or the declared fallback, with a note of what it cost.
Open first: `player`, which asks at most twice. Inside, `prompt` writes the questions, `answers` reads the strict JSON,
and `endpoint` carries both within a time limit.
"""
