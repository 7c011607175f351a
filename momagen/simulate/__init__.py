"""Simulators of the Ring Processing Unit: a functional one, and one that counts cycles."""
