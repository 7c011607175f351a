"""Design-space exploration of Ring Processing Units: sweeps over machines, and comparisons with the paper."""
