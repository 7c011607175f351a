"""Loop bodies: lowered codelets with the loads, stores and permutations around them."""
