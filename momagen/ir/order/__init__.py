"""The order of a block's instructions, for registers and for latency."""
