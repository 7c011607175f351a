"""``momagen rpu``."""
