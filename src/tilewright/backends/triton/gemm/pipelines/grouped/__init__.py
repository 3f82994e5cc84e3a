"""grouped: rows in groups, each multiplied by a matrix of its own."""
