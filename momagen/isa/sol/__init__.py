"""Speed of light: one core projected to a whole CPU, beside what papers report."""
