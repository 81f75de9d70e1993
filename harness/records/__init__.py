"""Records of games: values, text, replay, store, verification, archives.

Each subpackage says what enters, what leaves and which file to open first. Lowest is `values`; then come `text`
and `replay`, `store`, `verify`, `archive`, `notation`. `quoting` escapes untrusted text,
`errors` holds the store's error.
"""
