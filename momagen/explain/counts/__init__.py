"""Counts of the operations that a transform on arrays needs, and the resulting bounds on its speed on TPUs."""
