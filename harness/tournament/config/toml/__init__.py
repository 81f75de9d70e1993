"""Reads a TOML file by a schema, strictly. Knows nothing about tournaments or bots.

Input: the text of a file, and the `TableSchema` of its tables. Output: values within their limits, with defaults
filled in, or a `ConfigError` of one sentence with the file, the line, the key and what is allowed. Open first: `table`,
the reader of one table. `keys` has the kinds of keys that a schema declares, `document` knows the line of each key,
`misplaced` explains keys and tables that a file should not have.
"""
