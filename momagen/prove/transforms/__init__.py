"""Proving kernels whose control flow is known, such as transforms, part by part."""
