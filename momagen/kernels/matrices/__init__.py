"""Products with constant matrices modulo q: the split of residues into signed digits, and the reduction of the sums.

A matrix engine computes the sums of products of digits in between.
"""
