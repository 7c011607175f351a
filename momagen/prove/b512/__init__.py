"""Proofs of programs for the Ring Processing Unit, whose instruction set B512 computes modulo q."""
