"""Functions that compute plans: powers of the root, scalar functions, and tables of twiddles."""
