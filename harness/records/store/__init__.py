"""The SQLite database of recorded runs.

Enters: complete deal sets with their ratings. Leaves: values, one class for each query.
Open first: `store` (queries) and `writer` (deal sets become rows). Then `schema` (tables and views), `rows` (rows to
values and back), `statements` (SQL that the writer and imports share), `database` (opening and migration), `sidecar`
(lock and seed of a run).
"""
