"""Shared by several commands: options, finding bots, errors and output.

Enters: parsed options. Leaves: values, printed lines and exit codes.
Open first: `options`. Then `errors` (exit codes and messages), `output` (JSON, tables, a progress bar), `bots` (from a
name to a bot.toml).
"""
