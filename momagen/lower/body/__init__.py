"""Loop bodies: a lowered codelet with the loads, stores and permutations around it."""
