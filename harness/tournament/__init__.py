"""Tournaments: from a tournament file to a stored and rated run.

Input: a tournament file or the arguments of a match. Output: stored deal sets, and events for a progress display.
How: `config` reads the file and makes the line-ups (`lineups`), `plan` adds the seed, and `start` prepares the run
    (`preparation`). `playing` opens an executor (`executors`), gives it the rounds of a format (`formats`) as `jobs`,
    and stores the games. `corrections` removes games from the results at an organiser's request.
    `bowerbird.harness.cli.tournament_run` calls all of it.
Open first: `start`. Then `playing.runner` and `playing.run`.
"""
