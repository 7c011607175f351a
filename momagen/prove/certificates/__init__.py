"""Certificates: the steps of a proof, which are checked again without a search."""
