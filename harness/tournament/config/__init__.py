"""Reads tournament files and bot files strictly into plain values.

Input: TOML files, or the bots and variants of a command line. Output: a `TournamentFile`, or a one-sentence
    `ConfigError` that names the file, the line and the key.
Open first: `tournament_file`, which lists where each key is read. `schema` declares every key, and `toml` is the strict
    reader below all of them. `resolved` writes the copy that is stored with a run, `resume_rules` decides which changes
    a stored run accepts, `template` writes a new file, `fingerprint` hashes the files of a bot.
"""
