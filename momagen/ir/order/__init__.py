"""The order of a block's instructions, which is chosen for the number of registers and for latency."""
