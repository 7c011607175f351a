"""Calls of kernels from Python.

Operands are read and checked, the kernel runs, and the result gets the form of the operands.
"""
