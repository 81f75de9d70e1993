"""The standings as text: cells of tables, sentences, the headline, and the meanings of terms.

Input: estimates and ranks. Output: strings, the same in the terminal and on the report page.
Open first: `cells`.
"""
