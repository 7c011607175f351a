"""What a transform on arrays needs, counted from its steps, and the roofs that TPUs put on it."""
