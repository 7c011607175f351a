"""The meaning of the C source that momagen generates, for the prover."""
