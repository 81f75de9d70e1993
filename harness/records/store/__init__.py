"""The SQLite database of recorded runs.

Input: complete deal sets with their ratings. Output: values, one class for each query.
Open first: `store` (queries) and `writer` (turns deal sets into rows). Then `schema` (tables and views), `tables` (each
table: SQL, values to rows and back), `changes` (rename or delete a run). Files: `database` (opening and migration),
    `access` (what this user may do), `file_header`, `atomic_file`, `sidecar` (lock and seed of a run). `protection`
    finds bots that could pass on to one seat what another saw.
"""
