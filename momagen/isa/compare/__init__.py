"""Instruction sets compared: counts, port floors, cycles."""
