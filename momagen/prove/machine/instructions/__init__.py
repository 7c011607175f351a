"""The instructions of x86-64: decoding them, and their meanings."""
