"""Kernels on arrays: codelets on words, and what tables hold, for languages whose operations take whole arrays."""
