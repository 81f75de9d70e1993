"""Shared by several commands: options, errors, output, completion.

Input: parsed options. Output: values, printed lines and exit codes.
Open first: `options`. Then `errors` (exit codes and messages), `output` (JSON, tables, a progress bar), `groups`
(commands of commands), `completion` (ids for the shell), `recording` (the database of a command that plays), `runs`
(the one run that a command changes).
"""
