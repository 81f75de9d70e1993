"""A league: one run after another for a season, between bots that join, change and leave.

Input: a league file, the database, and what the organiser's commands stored in it. Output: a complete, verified and
archived run for each epoch, and in the store who plays and why (`records.values.league`). `epoch_loop` is the process
that lives for months and does little. It starts a process for each epoch, which does the rest and ends: `epoch` takes
the file (`league_file`), decides who plays (`roster`, with `snapshots` of the bots' folders and `season_ratings`),
binds the epoch to a round of drand if the file says so (`epoch_beacon`), writes its tournament file (`epoch_file`),
plays it, and looks after the results (`housekeeping`). Everything that must survive is in the store, so any process can
be killed. `members` carries out the organiser's commands. Open first: `epoch`,
then `roster`.
"""
