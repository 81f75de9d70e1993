"""What a deal set is measured by: the share of games won, or the points of single deals."""

SCORE, POINTS = "score", "points"
MEASURES = (SCORE, POINTS)
