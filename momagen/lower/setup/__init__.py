"""What a plan computes: powers of the root, scalar functions, tables of twiddles."""
