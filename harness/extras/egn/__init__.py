"""Games in Euchre Game Notation (egn.md), in and out.

`fields` reads a file and checks each field against the specification's schema; `game` holds its values. `judge` plays
the deals by the rules of the specification: who played which card, who won, the scores, and where the file contradicts
itself. `whole` turns a game of which every card is known into a record, and `writer` writes a record as EGN.
`notation` offers all this to the commands, shows a partial game and keeps imported files; `match` does so for files
of several games. Open first: `game`, `judge`.
"""
