"""grouped: rows in groups, each multiplied by a matrix of its own."""

PLACE = 3
WHAT = "rows in groups, each with a B of its own; programs stay and walk through the tiles of all groups"
