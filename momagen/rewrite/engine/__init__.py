"""The engine, which applies rules until the machine has every remaining operation."""
