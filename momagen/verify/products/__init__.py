"""The verification of products of polynomials."""
