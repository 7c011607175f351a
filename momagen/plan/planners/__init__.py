"""Planners: functions from a broken-down formula and the facts of a machine to a schedule."""
