"""Signs archives with the key of this installation, and checks who vouches for a run.

Input: the members of an archive, the user's key files, the origins of stored runs. Output: the text of
`signature.toml`, a checked `Signature`, and for a stored run whether a trusted key vouches for all of it. A signature
shows who vouches for a run, not that play was honest. Open first: `signature` (what is signed). Then `key_files` and
`vouching`.
"""
