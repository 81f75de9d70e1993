"""The `bowerbird` command (commands.md).

Input: the command line. Output: an exit code, results on stdout, progress and errors on stderr.
Open first: `main`, which imports each command from `commands` when it is used. The installed command calls `entry`.
`tournament_run` turns a tournament file into a stored run, for every command that plays games; `dry_run` forecasts a
run. `shared.doc_pages` finds the pages and sections that `bowerbird docs` prints.
"""
