"""Steps of a transform: their levels, their place in a pass, and what each does."""
