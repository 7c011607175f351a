"""Calls by the words of a kernel's arrays: what calls it is chosen here, and shorter words than Python's have a caller
of their own."""
