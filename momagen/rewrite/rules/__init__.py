"""Rules: read from TOML, checked to end, and evaluated."""
