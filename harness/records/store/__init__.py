"""The SQLite database of recorded runs.

Enters: complete deal sets with their ratings. Leaves: values, one class for each query.
Open first: `store` (queries) and `writer` (deal sets become rows). Then `schema` (tables and views), `rows` (rows to
values and back), `statements` (SQL that the writer and imports share), `database` (opening and migration), `access`
(databases that may only be read), `changes` (rename and delete a run), `sidecar` (lock and seed of a run).
"""
