"""The procedures that variants share (rules.md Part B).

A phase is a stateless object. It asks seats one after another and changes the `State` passed to it. Input: a state and
a legal action. Output: the next seat to ask, or None. Each module cites the part of the rules that it follows. Open
`base` first, then `upcard`.
"""
