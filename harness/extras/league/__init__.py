"""A league: one run after another for a season, between bots that come, change and go.

Input: a league file, the database, and what the organiser's commands stored in it. Output: a complete, verified and
archived run for each epoch, and in the store who plays and why (`records.values.league`).
The way: `epoch_loop` is the process that lives for months and does little. It starts a process for each epoch, which
does the rest and ends: `epoch` takes the file (`league_file`), decides who plays (`roster`, with `snapshots` of the
bots' folders and `season_ratings`), binds it to a round of drand if that is asked for (`epoch_beacon`),
writes the tournament file of the epoch (`epoch_file`), has it played, and looks after the results (`housekeeping`).
Everything that must survive is in the store, so that any process may be killed. `members` carries out the organiser's
commands.
Open first: `epoch`, then `roster`.
"""
