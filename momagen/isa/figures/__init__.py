"""Figures 4 and 5 of the MQX paper, and its two ways to multiply, on the machine at hand."""
