"""Loop bodies: a lowered codelet with its data movement around it."""
