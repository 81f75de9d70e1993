"""Cards: packs, their order under a trump, dealing and shuffling (rules.md Part A; notation.md).

A card is one bit of an int, and a set of cards is an int. Input: a seed or the packs of a record, and a deal written as
text. Output: shuffled cards (`sources`), the place where each card goes (`deal`), and tables of actions and strengths.
Open `pack` first.
"""
