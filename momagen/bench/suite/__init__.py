"""The suites behind ``momagen bench``: bars, races and sweeps."""
