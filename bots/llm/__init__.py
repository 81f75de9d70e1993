"""A chat model as a player, behind any OpenAI-style endpoint. README.md explains how to seat it.

Input: a decision of the SDK. Output: a legal action, or the declared fallback, with a note of its cost. Open first:
`player`, the bot. `consulting` asks at most twice about a decision: `request` writes the question, `endpoint` sends it
and retries, `reply` parses the reply, and `answers` finds the action in it. `budget` counts the costs, `notes` reports
the decision, and `masking` keeps the key out of the reports. `trial` is `--try`.
"""
