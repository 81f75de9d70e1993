"""The referee: plays games between bot processes and delivers their records.

Input: bots, conditions and jobs of tables (`spec`). Output: the record of each game and the stories of its faults. At
the end no process is left. An answer takes this path: `connection.link` → `connection.session` (is the message in
time?) → `game.table` (is the decision in time, by `game.clock`, and legal?) → `table_driver` (asks the next seat) → at
the end of a game `scheduler` → the caller's `on_game` (`bowerbird.harness.tournament.playing.run`). Open first:
`referee`. Then `scheduler` (which table opens next), `lifecycle` (the life of a process), `connection` (gRPC), `remote`
(TLS, bots elsewhere), `process` (starting and ending bots), `isolation` and `network` (what a bot may see and reach),
`game` (rules, clocks and faults).
"""
