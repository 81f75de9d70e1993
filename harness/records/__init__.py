"""Records of games: values, text, replay, store, verification, archives.

Each subpackage states what enters, what leaves and which file to open first. The lowest layer is `values`; above it are
`text` and `replay`, `store`, `verify`, `archive`, `notation`. `quoting` escapes untrusted text, and `errors` holds the
store's error.
"""
