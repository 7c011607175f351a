"""The data flows of transforms: passes over memory, and the placement of every bit of an index in each pass."""
