"""The comparison of instruction sets by instruction counts, port floors and cycles."""
