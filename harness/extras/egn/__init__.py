"""Games in Euchre Game Notation 1.4 (egn.md), in and out.

`fields` reads a file and checks each field against the specification's schema; `game` holds its values. `judge` plays
the deals by the rules of the specification: who played which card, who won, the scores, and where the file contradicts
itself. `whole` turns a game of which every card is known into a record, and `writer` writes a record as EGN. `words`
shows a partial game. `notation` offers all this to the commands and keeps imported files. Open first: `game`, `judge`.
"""

from __future__ import annotations

from bowerbird.harness.records.notation import NotationError


class EgnError(NotationError):
    """A file that is no EGN, contradicts itself, or plays a game that does not fit. The text is one sentence."""
