"""The tables and figures of CROSS as sweeps of races."""
