"""Transforms that a processor computes depth first, with everything that follows from the choices of a schedule."""
