"""Schedules: the steps of a transform as plain data, with the values between them and the tables of twiddles.

A planner makes a schedule from the broken-down formula and the machine; lowering carries it out. A schedule
can be printed, saved as JSON, edited, loaded and checked against its formula.
"""
