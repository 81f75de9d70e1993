"""Shared by several commands: options, finding bots, errors and output.

Enters: parsed options. Leaves: values, printed lines and exit codes.
Open first: `options`. Then `errors` (exit codes and messages), `output` (JSON, tables, a progress bar), `bots` (from a
name to a bot.toml), `completion` (ids for the shell), `recording` (the database of a command that plays), `runs` (the
one run that a command changes).
"""
