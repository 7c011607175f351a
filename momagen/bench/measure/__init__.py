"""Measuring: clocks, samples, machines, and the time of one kernel."""
