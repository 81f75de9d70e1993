"""Records of games: values, text, replay, store, verification, archives.

Each subpackage says what it takes, what it returns and which file to read first. Lowest is `values`; then come `text`
and `replay`, `store`, `signatures`, `verify`, `archive`, `notation`. `quoting` escapes untrusted text,
`errors` holds the store's error.
"""
