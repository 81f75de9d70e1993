"""The tables of the store, one file for each table or small group of tables: SQL, values to rows, rows to values.

Input: a connection; the store, a run's writer and an import each have their own. Output: values.
Open first: `table` (the common parts), then `games`. The definitions of the tables are in `store.schema`.
"""
