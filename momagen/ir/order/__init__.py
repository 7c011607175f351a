"""Passes that reorder the instructions of a block for the number of registers and for latency."""
