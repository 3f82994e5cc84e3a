"""The C++ face: selection translated from its Python definitions, and headers that dispatch without Python."""
