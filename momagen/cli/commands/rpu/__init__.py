"""The command ``momagen rpu``."""
