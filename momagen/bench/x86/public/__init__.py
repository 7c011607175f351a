"""The data flow of public numbers in x86-64 machine code, to find branches that depend on data.

Public numbers are counts, pointers, and what they address in a plan; all other numbers are data.
"""
