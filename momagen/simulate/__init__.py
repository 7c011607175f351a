"""Simulators of the Ring Processing Unit: what a program computes, and how many cycles that takes."""
