"""Calls from Python: operands read and checked, the kernel called, answers given in the kind that came."""
