"""The meaning of vectors and intrinsics."""
