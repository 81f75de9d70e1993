"""The `bowerbird` command (commands.md).

Input: the command line. Output: an exit code, results on stdout, progress and errors on stderr.
Open first: `main`, which imports a command of `commands` when it is used. `entry` is what the installed command calls.
`tournament_run` goes from a tournament file to a stored run, for all commands that play; `dry_run` forecasts one.
`shared.doc_pages` finds the pages and sections that `bowerbird docs` prints.
"""
