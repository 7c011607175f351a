"""Data flows: passes over memory, and where every bit of an index lives in each."""
