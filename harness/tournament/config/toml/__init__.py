"""Reads a TOML file strictly by a schema, whatever it is about.

Input: the text of a file, and the `TableSchema` of its tables. Output: values within their limits, with defaults filled
in, or a one-sentence `ConfigError` with the file, the line, the key and the allowed values. Open first: `table`,
the reader of one table. `keys` has the kinds of keys that a schema declares, `document` finds the line of each key,
`misplaced` explains keys and tables that a file should not have.
"""
