"""Imports and exports games in Euchre Game Notation (egn.md).

`fields` reads a file and checks each field against the specification's schema, and `game` has its values. `judge` plays
the deals by the rules of the specification. It finds who played which card, who won, the scores, and contradictions in
the file. `whole` turns a game with all cards known into a record, and `writer` writes a record as EGN. `notation`
offers all this to the commands, shows partial games and keeps imported files. `match` does so for files of several
games. Open first: `game`, `judge`.
"""
