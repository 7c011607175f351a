"""Checks of schedules: that they compute what was requested, within the memory and the ranges of the machine."""
