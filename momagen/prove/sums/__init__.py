"""Proofs of sums of products over vectors of any length."""
