"""The engine: applies rules until a machine has every operation that is left."""
